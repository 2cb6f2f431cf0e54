package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Tool;
import tools.jackson.databind.node.ObjectNode;

/** The names in the OpenAPI document that generators of clients make methods and types from. */
public final class SchemaNames {
    private SchemaNames() {}

    /** A reference to a schema of the document. */
    public static ObjectNode schema(String name) {
        return Json.object().put("$ref", "#/components/schemas/" + name);
    }

    /** {@code agentCreate}: a method's name in most languages, in the words of the tool's route. */
    public static String id(Tool<?, ?> tool) {
        return tool.family().word() + tool.name().substring(3);
    }

    /** {@code AgentCreate}: what the names of the tool's types begin with. */
    public static String typeName(Tool<?, ?> tool) {
        var id = id(tool);
        return Character.toUpperCase(id.charAt(0)) + id.substring(1);
    }
}
