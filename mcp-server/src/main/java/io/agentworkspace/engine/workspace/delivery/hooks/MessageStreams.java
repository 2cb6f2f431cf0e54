package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.CredentialCheck;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open streams of wake-ups of this replica. However many there are, a change in a tenant costs one statement. */
final class MessageStreams implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(MessageStreams.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
    private static final Duration CHECK = Duration.ofMillis(400);

    /** The pause between two reads of a tenant, in which signals are collected. */
    private static final Duration COLLECTED = Duration.ofMillis(50);

    /** When it is first looked again whether the client of a session is connected after all. */
    private static final Duration PROOF = Duration.ofSeconds(2);

    /** A listener that lost its stream has reported before that what came of its wake-up. */
    private static final Duration BACK = Duration.ofSeconds(15);

    private static final String MESSAGES = ChangeTopic.MESSAGES.word();

    private final ConcurrentHashMap<Long, Set<MessageStream>> streams = new ConcurrentHashMap<>();
    private final Set<Long> scheduled = ConcurrentHashMap.newKeySet();
    private final HookStore store;
    private final ListeningTenants listening;
    private final Ticker ticker;

    MessageStreams(HookStore store, ListeningTenants listening, Ticker ticker) {
        this.store = store;
        this.listening = listening;
        this.ticker = ticker;
        ticker.every(KEEP_ALIVE, this::keepAlive);
        ticker.every(ListeningTenants.HOLDS.dividedBy(4), this::renew);
        ticker.every(CHECK, this::endInvalid);
    }

    /** Makes sure that changes in the tenant are signalled. */
    void listen(long tenant) {
        listening.in(Set.of(tenant));
    }

    /** Adds a stream, which is woken for what waits already, unless its session knows it. */
    void add(MessageStream stream) {
        var tenant = stream.session().caller().tenant();
        streams.compute(tenant, (_, open) -> {
            var all = open == null ? ConcurrentHashMap.<MessageStream>newKeySet() : open;
            all.add(stream);
            return all;
        });
        streams.getOrDefault(tenant, Set.of()).stream().filter(stream::isAfter).forEach(MessageStream::end);
        wake(tenant);
        ticker.after(PROOF, () -> compare(tenant, Set.of(stream)));
    }

    void remove(MessageStream stream) {
        streams.computeIfPresent(stream.session().caller().tenant(), (_, open) -> {
            open.remove(stream);
            return open.isEmpty() ? null : open;
        });
        ticker.after(BACK, () -> takeBack(stream));
    }

    private static void takeBack(MessageStream stream) {
        try {
            stream.takeBack();
        } catch (RuntimeException e) {
            LOG.debug("wake-ups of a lost listener are not taken back: {}", e.toString());
        }
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(MESSAGES) && streams.containsKey(signal.t())) {
            wake(signal.t());
        }
    }

    @Override
    public void gap() {
        streams.keySet().forEach(this::wake);
    }

    private void wake(long tenant) {
        if (scheduled.add(tenant)) {
            ticker.after(COLLECTED, () -> read(tenant));
        }
    }

    private void read(long tenant) {
        scheduled.remove(tenant);
        var open = streams.getOrDefault(tenant, Set.of());
        try {
            var agents = open.stream()
                    .map(stream -> stream.session().agent())
                    .distinct()
                    .toList();
            var waiting = store.waiting(tenant, agents);
            open.forEach(stream ->
                    stream.waiting(waiting.getOrDefault(stream.session().agent(), Positions.NONE)));
        } catch (Problem unavailable) {
            LOG.debug("postponed: {}", unavailable.note()); // Until the next signal or keep-alive.
        }
    }

    /** Ends streams whose session has a newer one, on whichever replica. */
    private void compare(long tenant, Set<MessageStream> all) {
        var open = List.copyOf(all); // One that is added meanwhile is not asked for.
        try {
            var sessions = open.stream()
                    .map(stream -> stream.session().key())
                    .distinct()
                    .toList();
            var newest = store.listeners(tenant, sessions);
            open.forEach(stream -> stream.compare(newest));
        } catch (Problem unavailable) {
            LOG.debug("postponed: {}", unavailable.note());
        }
    }

    private void keepAlive() {
        streams.forEach(this::compare);
        gap();
        each(MessageStream::keepAlive);
    }

    private void renew() {
        try {
            listening.in(streams.keySet());
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
    }

    /** Ends the streams of credentials that are no longer valid. */
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
        each(MessageStream::end);
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    }

    private void each(Consumer<MessageStream> use) {
        streams.values().stream()
                .flatMap(Set::stream)
                .collect(Collectors.toList())
                .forEach(use);
    }
}
