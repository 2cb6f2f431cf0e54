package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.store.SessionStore;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

/** What the lanes share: signatures, streams, the timer, and stored session data. */
record Workings(RequestState states, SessionIds office, SessionStore sessions, Listen listen, Streams streams) {
    /**
     * Streams on this replica.
     *
     * @param listeners the listeners that report changes
     */
    record Streams(Pulse pulse, Bounds bounds, Listeners listeners, Clock clock) {}

    Instant now() {
        return streams.clock().instant();
    }

    /** Begins an answer on the thread that makes it. */
    Reply begin(Exchange exchange) {
        var places = streams.bounds().of(exchange.caller());
        return Reply.begin(exchange, places, streams.pulse());
    }

    /** @throws RpcError if the client is asked for something that it did not declare */
    static void checkAbilities(Outcome.Ask ask, Client client) {
        List<Client.Ability> missing = ask.questions().values().stream()
                .map(question -> Client.Ability.of(question.path("method").asString("")))
                .distinct()
                .filter(ability -> !client.can(ability))
                .toList();
        if (!missing.isEmpty()) {
            throw RpcError.missingAbilities(missing);
        }
    }
}
