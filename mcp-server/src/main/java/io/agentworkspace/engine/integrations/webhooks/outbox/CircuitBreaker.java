package io.agentworkspace.engine.integrations.webhooks.outbox;

import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.HistoryChange;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.ReceiverHistory;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens when a receiver fails:
 * <ul>
 * <li>After {@value #PATIENCE} failures in a row, nothing is sent for a pause; then one delivery at a time until one succeeds.
 * <li>Each further failure doubles the pause, up to {@link #LONGEST}.
 * <li>The tenant is warned.
 * <li>After {@link #GIVEN_UP} of only failures, or a response 410 Gone, the receiver is disabled.
 * </ul>
 */
final class CircuitBreaker {
    static final int PATIENCE = 10;
    static final Duration LONGEST = Duration.ofMinutes(1);

    /** See decisions, section 8. */
    static final Duration GIVEN_UP = Duration.ofHours(120);

    private static final List<Integer> WARNINGS = List.of(90, 70, 50);
    private static final int GONE = 410;

    private final Duration firstPause;

    CircuitBreaker(RetrySchedule schedule) {
        var step = schedule.firstPause();
        firstPause = step.compareTo(LONGEST) < 0 ? step : LONGEST;
    }

    /** The result of one attempt. */
    record DeliveryResult(Instant at, @Nullable Integer status, boolean delivered) {}

    /** Receivers that have failed for this long are also judged by time, without an attempt. */
    static final Duration JUDGED = GIVEN_UP.dividedBy(2);

    /** @param results in the order of the attempts; empty if only the time is judged */
    HistoryChange after(ReceiverHistory before, List<DeliveryResult> results, Instant now) {
        var history = before;
        for (var result : results) {
            history = result.delivered() ? succeeded(history) : failed(history, result, now);
        }
        history = judged(history, now);
        return new HistoryChange(history, event(before, history, now));
    }

    private static ReceiverHistory succeeded(ReceiverHistory was) {
        return with(was, was.disabledReason(), null, 0, 0, 0, null);
    }

    private ReceiverHistory failed(ReceiverHistory was, DeliveryResult result, Instant now) {
        var since = was.failingSince() == null ? result.at() : was.failingSince();
        var inRow = was.failuresInRow() + 1;
        var opens = inRow >= PATIENCE
                && (was.openUntil() == null || !was.openUntil().isAfter(now));
        var openings = opens ? Math.min(was.openings() + 1, Short.MAX_VALUE) : was.openings();
        return with(
                was,
                was.disabledReason() == null && isGone(result) ? "gone" : was.disabledReason(),
                since,
                was.warned(),
                inRow,
                openings,
                opens ? now.plus(pause(openings)) : was.openUntil());
    }

    private Duration pause(int openings) {
        var doubled = firstPause.multipliedBy(1L << Math.min(openings - 1, 20));
        return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }

    private static boolean isGone(DeliveryResult result) {
        return result.status() != null && result.status() == GONE;
    }

    /** Applies the time since the first failure: warnings, and the end. */
    private static ReceiverHistory judged(ReceiverHistory was, Instant now) {
        var since = was.failingSince();
        if (since == null || was.disabledReason() != null) {
            return was;
        }
        return with(
                was,
                now.isBefore(since.plus(GIVEN_UP)) ? null : "failing",
                since,
                warned(was.warned(), since, now),
                was.failuresInRow(),
                was.openings(),
                was.openUntil());
    }

    private static int warned(int before, Instant since, Instant now) {
        var percent = Duration.between(since, now).toMillis() * 100 / GIVEN_UP.toMillis();
        return WARNINGS.stream()
                .filter(warning -> warning <= percent && warning > before)
                .findFirst()
                .orElse(before);
    }

    private static @Nullable Event event(ReceiverHistory before, ReceiverHistory now, Instant at) {
        if (now.events().contains(OutboxStore.PUSH)) {
            return null; // Only its client knows of it.
        }
        if (before.disabledReason() == null && now.disabledReason() != null) {
            return updated(now, null, at);
        }
        if (now.disabledReason() == null && now.failingSince() != null && now.warned() > before.warned()) {
            var since = now.failingSince();
            return updated(now, new EventData.Warning(now.warned(), since, since.plus(GIVEN_UP)), at);
        }
        return null;
    }

    private static Event updated(ReceiverHistory now, EventData.@Nullable Warning warning, Instant at) {
        return Event.of(
                EventType.WEBHOOK_ENDPOINT_UPDATED,
                at,
                new EventData.EndpointState(
                        now.receiver(),
                        now.url(),
                        now.events(),
                        now.disabledReason() == null,
                        now.disabledReason(),
                        warning));
    }

    private static ReceiverHistory with(
            ReceiverHistory was,
            @Nullable String reason,
            @Nullable Instant failingSince,
            int warned,
            int failuresInRow,
            int openings,
            @Nullable Instant openUntil) {
        return new ReceiverHistory(
                was.tenant(),
                was.receiver(),
                was.url(),
                was.events(),
                reason,
                failingSince,
                warned,
                failuresInRow,
                openings,
                openUntil);
    }
}
