package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the results of tools over MCP. */
public final class McpResult {
    /** The header of a result, as a JSON pointer from the result. */
    public static final String HEADER = "/_meta/io.agentworkspace~1header";

    private McpResult() {}

    /**
     * Returns the envelope that REST would have returned: the structured content with the header and the
     * codes, which a model does not need.
     *
     * @param result the result of {@code tools/call}
     */
    public static ObjectNode envelope(JsonNode result) {
        var body = (ObjectNode) result.get("structuredContent").deepCopy();
        body.set("status", status((ObjectNode) body.get("status")));
        var envelope = Json.object();
        var header = result.at(HEADER);
        if (!header.isMissingNode()) {
            envelope.set("header", header);
        }
        return envelope.setAll(body);
    }

    private static ObjectNode status(ObjectNode error) {
        if (error.get("success").asBoolean()) {
            return Json.object()
                    .put("success", true)
                    .put("internal_code", 0)
                    .put("http_code", 200)
                    .setAll(error);
        }
        var failure = Arrays.stream(Failure.values())
                .filter(each -> each.commandError().equals(error.path("error").asString()))
                .findFirst()
                .orElseThrow();
        var status = Json.object()
                .put("success", false)
                .put("note", error.path("note").asString())
                .put("internal_code", error.path("internal_code").asInt())
                .put("http_code", failure.commandStatus());
        return status.setAll(error);
    }

    /** Returns the envelope of a JSON-RPC response; of an error, the content of its data. */
    public static ObjectNode ofResponse(JsonNode response) {
        return response.has("error") ? (ObjectNode) response.at("/error/data") : envelope(response.get("result"));
    }

    /**
     * Completes the envelope of a response over MCP to the one over REST. It adds the fields that MCP leaves out.
     *
     * @param rest the response to the same call over REST
     */
    public static void complete(ObjectNode mcp, ObjectNode rest, String service) {
        List.of("unread", "context").stream().filter(name -> !rest.has(name)).forEach(mcp::remove);
        var said = mcp.at("/header/time");
        complete(mcp, (JsonNode) rest, service.equals("AP_Chat") ? said : MissingNode.getInstance());
    }

    /**
     * Adds what records leave out over MCP: empty lists, {@code updated_at} where it equals {@code created_at}, and of
     * a message what its speaker knows.
     *
     * @param said when the message was said; missing if none was
     */
    private static void complete(JsonNode mcp, JsonNode rest, JsonNode said) {
        if (mcp instanceof ObjectNode record && rest instanceof ObjectNode whole) {
            var shortened = record.deepCopy();
            record.removeAll();
            for (var field : whole.properties()) {
                var name = field.getKey();
                var value = field.getValue();
                if (shortened.has(name)) {
                    complete(shortened.get(name), value, said);
                    record.set(name, shortened.get(name));
                } else if (name.equals("updated_at") && value.equals(whole.path("created_at"))) {
                    record.set(name, shortened.get("created_at"));
                } else if (!said.isMissingNode() && whole.has("from_kind")) {
                    record.set(name, name.equals("created_at") ? said : value);
                } else if (value.isArray() && value.isEmpty()) {
                    record.set(name, value);
                }
            }
            record.setAll(shortened.without(List.copyOf(record.propertyNames())));
        } else if (mcp.isArray() && rest.isArray() && mcp.size() == rest.size()) {
            for (var i = 0; i < mcp.size(); i++) {
                complete(mcp.get(i), rest.get(i), i == 0 ? said : MissingNode.getInstance());
            }
        }
    }
}
