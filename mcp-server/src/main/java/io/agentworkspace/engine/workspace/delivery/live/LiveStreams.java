package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.CredentialCheck;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open streams of this replica, by audience. */
final class LiveStreams implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(LiveStreams.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
    private static final Duration CHECK = Duration.ofMillis(400);

    private final ConcurrentHashMap<LiveView.AudienceKey, LiveAudience> audiences = new ConcurrentHashMap<>();
    private final LiveQueries queries;
    private final ListeningTenants listening;
    private final Ticker ticker;

    LiveStreams(LiveQueries queries, ListeningTenants listening, Ticker ticker) {
        this.queries = queries;
        this.listening = listening;
        this.ticker = ticker;
        ticker.every(KEEP_ALIVE, this::keepAlive);
        ticker.every(ListeningTenants.HOLDS.dividedBy(4), this::renew);
        ticker.every(CHECK, this::endInvalid);
    }

    /**
     * Makes sure that changes in the tenant are logged whose statements begin after it returns. A change that is being
     * written meanwhile may be missing, because its statement cannot see yet that somebody listens.
     */
    void listen(long tenant) {
        listening.in(Set.of(tenant));
    }

    /** @return the audience, to which the stream belongs until it is removed */
    LiveAudience add(LiveView audience, long horizon, LiveStream stream) {
        return audiences.compute(audience.key(), (_, present) -> {
            var joined = present == null ? new LiveAudience(audience, queries, ticker, horizon) : present;
            joined.streams().add(stream);
            return joined;
        });
    }

    void remove(LiveView audience, LiveStream stream) {
        audiences.computeIfPresent(audience.key(), (_, entry) -> {
            entry.streams().remove(stream);
            return entry.streams().isEmpty() ? null : entry;
        });
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (Topic.isTopic(signal.k())) {
            audiences.forEach((key, audience) -> {
                if (key.tenant() == signal.t()) {
                    audience.wake();
                }
            });
        }
    }

    @Override
    public void gap() {
        audiences.values().forEach(LiveAudience::wake); // The log contains the changes whose signals were missed.
    }

    private void keepAlive() {
        audiences.values().forEach(LiveAudience::wake);
        each(LiveStream::keepAlive);
    }

    private void renew() {
        try {
            listening.in(audiences.keySet().stream()
                    .map(LiveView.AudienceKey::tenant)
                    .collect(Collectors.toSet()));
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
    }

    /**
     * Ends the streams of credentials that are no longer valid. A credential is looked up once, however many streams
     * it has.
     */
    private void endInvalid() {
        var credentials = new CredentialCheck();
        each(stream -> {
            if (!credentials.isValid(stream.validity())) {
                stream.end();
            }
        });
    }

    /** Ends all streams. The result completes when they have ended. */
    CompletableFuture<Void> endAll() {
        var ends = new ArrayList<CompletableFuture<Void>>();
        each(stream -> ends.add(stream.ended()));
        each(LiveStream::end);
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    }

    private void each(Consumer<LiveStream> use) {
        audiences.values().forEach(audience -> audience.streams().forEach(use));
    }
}
