package io.agentworkspace.engine.model.health;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Envelope;
import java.time.Clock;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the health routes respond with, while the engine starts, serves and stops.
 *
 * @param version the product's version
 */
public record HealthBody(String version, Clock clock) {
    /** After so many seconds, a probe may ask again whether the engine is ready. */
    public static final int RETRY_SECONDS = 1;

    /** Returns the body that says that the process runs. */
    public static ObjectNode live() {
        return Json.object().put("status", "ok");
    }

    /** Returns the body with this status; the caller may add to it. */
    public ObjectNode of(String status) {
        var body = Json.object()
                .put("status", status)
                .put("contract_version", Envelope.CONTRACT_VERSION)
                .put("version", version);
        body.set("time", Json.valueTree(clock.instant()));
        return body;
    }
}
