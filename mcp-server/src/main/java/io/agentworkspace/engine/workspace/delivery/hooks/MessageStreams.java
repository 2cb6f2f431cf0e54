package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open streams of wake-ups of this replica. However many there are, a change in a tenant costs one statement. */
final class MessageStreams {
    private static final Logger LOG = LoggerFactory.getLogger(MessageStreams.class);

    /** How often it is looked again without a signal, and whether a session has a newer stream on another replica. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    /** When it is first looked again whether the client of a session is connected after all. */
    private static final Duration PROOF = Duration.ofSeconds(2);

    /** A listener that lost its stream has reported before that what came of its wake-up. */
    private static final Duration BACK = Duration.ofSeconds(15);

    private final Hub<MessageStream> hub;
    private final HookStore store;
    private final Ticker ticker;

    MessageStreams(HookStore store, ListeningTenants listening, Ticker ticker) {
        this.store = store;
        this.ticker = ticker;
        this.hub = new Hub<>(ticker, listening, ChangeTopic.MESSAGES.word()::equals, this::read);
        hub.start();
        ticker.every(AGAIN, hub::wakeAll);
        ticker.every(
                AGAIN,
                () -> hub.all()
                        .collect(Collectors.groupingBy(MessageStream::tenant))
                        .values()
                        .forEach(this::compare));
    }

    Hub<MessageStream> hub() {
        return hub;
    }

    /** Adds a stream, which is woken for what waits already, unless its session knows it. */
    void add(MessageStream stream) {
        hub.add(stream);
        hub.of(stream.tenant()).filter(stream::isAfter).forEach(MessageStream::end);
        hub.wake(stream);
        ticker.after(PROOF, () -> compare(List.of(stream)));
        stream.ended().thenRun(() -> ticker.after(BACK, () -> takeBack(stream)));
    }

    private static void takeBack(MessageStream stream) {
        try {
            stream.takeBack();
        } catch (RuntimeException e) {
            LOG.debug("wake-ups of a lost listener are not taken back: {}", e.toString());
        }
    }

    private void read(List<MessageStream> open) {
        var agents = open.stream().map(MessageStream::agent).distinct().toList();
        var waiting = store.waiting(open.getFirst().tenant(), agents);
        open.forEach(stream -> stream.waiting(waiting.getOrDefault(stream.agent(), Positions.NONE)));
    }

    /** Ends streams of a tenant whose session has a newer one, on whichever replica. */
    private void compare(List<MessageStream> open) {
        try {
            var sessions =
                    open.stream().map(MessageStream::sessionKey).distinct().toList();
            var newest = store.listeners(open.getFirst().tenant(), sessions);
            open.forEach(stream -> stream.compare(newest));
        } catch (Problem unavailable) {
            LOG.debug("postponed: {}", unavailable.note());
        }
    }
}
