package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.integrations.webhooks.Endpoint.Circuit;
import io.agentworkspace.engine.model.event.EventData;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates a receiver's record, and the data of its events, from its row. */
final class ReceiverRecord {
    private static final double HALF = 0.5;
    private static final double MOST = 0.95;

    private ReceiverRecord() {}

    /** @param secret only if it is new */
    static Endpoint of(ReceiverRow row, Instant now, @Nullable String secret) {
        var overlaps = row.previousUntil() != null && now.isBefore(row.previousUntil());
        return new Endpoint(
                row.id(),
                row.url(),
                row.events(),
                row.description(),
                null,
                null,
                row.enabled(),
                row.disabledReason(),
                row.createdAt(),
                row.updatedAt(),
                row.revision(),
                secret,
                overlaps ? row.previousUntil() : null,
                row.preflight(),
                row.missed(),
                health(row, now));
    }

    private static Endpoint.Health health(ReceiverRow row, Instant now) {
        var attempts = row.succeeded() + row.failed();
        return new Endpoint.Health(
                row.succeeded(),
                row.failed(),
                attempts == 0 ? null : (Integer) Math.toIntExact(row.succeeded() * 100 / attempts),
                quantile(row.durations(), HALF),
                quantile(row.durations(), MOST),
                row.lastSuccessAt(),
                row.lastFailureAt(),
                row.failingSince(),
                circuit(row.openUntil(), now));
    }

    private static @Nullable Long quantile(@Nullable List<Long> counts, double share) {
        if (counts == null) {
            return null;
        }
        var took = DurationHistogram.quantile(
                counts.stream().mapToLong(count -> count).toArray(), share);
        return took == 0 ? null : (Long) took;
    }

    private static Circuit circuit(@Nullable Instant openUntil, Instant now) {
        return openUntil == null ? Circuit.CLOSED : now.isBefore(openUntil) ? Circuit.OPEN : Circuit.HALF_OPEN;
    }

    static EventData.EndpointState state(ReceiverRow row) {
        return new EventData.EndpointState(
                row.id(), row.url(), row.events(), row.enabled(), row.disabledReason(), null);
    }

    /** Returns the state of a deleted receiver, which receives nothing any more. */
    static EventData.EndpointState deleted(ReceiverRow row) {
        return new EventData.EndpointState(row.id(), row.url(), row.events(), false, row.disabledReason(), null);
    }
}
