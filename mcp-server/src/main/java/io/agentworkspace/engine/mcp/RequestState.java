package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Sha256;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a request of several rounds remembers between them: sealed, carried by the client, and good only for the same
 * caller asking for the same thing within ten minutes.
 */
final class RequestState {
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final List<String> NOT_THE_REQUEST = List.of(Message.META, "inputResponses", "requestState");

    private final Seal seal;
    private final Clock clock;

    RequestState(Seal seal, Clock clock) {
        this.seal = seal;
        this.clock = clock;
    }

    String seal(ObjectNode state, Message request, Caller caller) {
        var content = Json.object().put("until", clock.instant().plus(LIFE).toEpochMilli());
        content.set("state", state);
        return seal.seal(bound(request, caller), Json.bytes(content));
    }

    /** What was remembered, if it is untouched, not too old, and of this very request. */
    Optional<ObjectNode> open(String text, Message request, Caller caller) {
        return seal.open(bound(request, caller), text)
                .map(Json::readObject)
                .filter(content -> clock.instant()
                        .isBefore(Instant.ofEpochMilli(content.path("until").asLong())))
                .map(content -> (ObjectNode) content.get("state"));
    }

    private static String bound(Message request, Caller caller) {
        var asked = request.params().deepCopy().without(NOT_THE_REQUEST);
        return String.join(
                "\n",
                "state",
                Long.toString(caller.tenant()),
                caller.principal(),
                request.method(),
                digest(Json.canonical(asked)));
    }

    private static String digest(String text) {
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8));
    }
}
