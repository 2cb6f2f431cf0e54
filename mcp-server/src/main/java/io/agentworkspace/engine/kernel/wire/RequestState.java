package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The state of a request of several rounds. The client carries it, sealed. It is valid for ten minutes, for the
 * same caller and the same request.
 */
public final class RequestState {
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final List<String> NOT_THE_REQUEST = List.of(JsonRpcMessage.META, "inputResponses", "requestState");

    private final StateSigner signer;
    private final Clock clock;

    public RequestState(StateSigner signer, Clock clock) {
        this.signer = signer;
        this.clock = clock;
    }

    public String seal(ObjectNode state, JsonRpcMessage request, Caller caller) {
        var content = Json.object().put("until", clock.instant().plus(LIFE).toEpochMilli());
        content.set("state", state);
        return signer.seal(bound(request, caller), Json.bytes(content));
    }

    /** Returns the state if it is unchanged, not expired, and of this request. */
    public Optional<ObjectNode> open(String text, JsonRpcMessage request, Caller caller) {
        return signer.open(bound(request, caller), text)
                .map(Json::readObject)
                .filter(content -> clock.instant()
                        .isBefore(Instant.ofEpochMilli(content.path("until").asLong())))
                .map(content -> (ObjectNode) content.get("state"));
    }

    private static String bound(JsonRpcMessage request, Caller caller) {
        var params = request.params().deepCopy().without(NOT_THE_REQUEST);
        return String.join(
                "\n",
                "state",
                Long.toString(caller.tenant()),
                caller.principal(),
                request.method(),
                digest(Json.canonical(params)));
    }

    private static String digest(String text) {
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8));
    }
}
