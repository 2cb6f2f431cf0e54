package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Tool;
import tools.jackson.databind.node.ObjectNode;

/** The names in the OpenAPI document from which client generators make methods and types. */
public final class SchemaNames {
    private SchemaNames() {}

    /** Returns a reference to a schema of the document. */
    public static ObjectNode schema(String name) {
        return Json.object().put("$ref", "#/components/schemas/" + name);
    }

    /**
     * Returns the operation's id, which becomes the method's name in most languages: {@code agentCreate}, in the
     * words of the tool's route.
     */
    public static String id(Tool<?, ?> tool) {
        return tool.family().word() + tool.name().substring(3);
    }

    /** Returns the beginning of the names of the tool's types: {@code AgentCreate}. */
    public static String typeName(Tool<?, ?> tool) {
        var id = id(tool);
        return Character.toUpperCase(id.charAt(0)) + id.substring(1);
    }
}
