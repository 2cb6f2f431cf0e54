package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.HexFormat;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request to a server that is no call of a tool, as a tool of ours that no list has.
 *
 * @param required the parameter that says what it is about
 */
record UpstreamRequest(Target target, String method, String required) {
    Tool<?, ?> tool(UpstreamCalls calls, InstalledContent content) {
        return foreign().calledBy((in, call) -> {
            content.check(method, in.arguments());
            var outgoing = new UpstreamCalls.Outgoing(
                    target, method, in.arguments(), Map.of(), true, "resources/list and prompts/list show what it has");
            return new ForeignTool.Result(calls.send(outgoing, call));
        });
    }

    private ForeignTool foreign() {
        var name = ForeignTool.request(target.name(), method);
        var definition = Json.object()
                .put("name", name)
                .put("description", "%s of the server '%s'".formatted(method, target.name()));
        var schema = definition.putObject("inputSchema").put("type", "object");
        parameters(schema.putObject("properties"));
        schema.putArray("required").add(required);
        definition.putObject("annotations").put("readOnlyHint", true);
        return new ForeignTool(target.name(), method, definition, HexFormat.of().formatHex(Sha256.of(name)));
    }

    private void parameters(ObjectNode properties) {
        switch (method) {
            case "resources/read" -> properties.putObject("uri").put("type", "string");
            case "prompts/get" -> {
                properties.putObject("name").put("type", "string");
                properties.putObject("arguments").put("type", "object");
            }
            default -> {
                for (var field : new String[] {"ref", "argument", "context"}) {
                    properties.putObject(field).put("type", "object");
                }
            }
        }
    }
}
