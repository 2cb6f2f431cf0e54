package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Arrays;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** The names in the OpenAPI document from which client generators make methods and types. */
public final class SchemaNames {
    /** The address of all schemas while the document is built; {@link InlineSchemas} then replaces it. */
    static final String PLACE = "#/components/schemas/";

    private SchemaNames() {}

    /** Returns a reference to a schema, for {@link InlineSchemas} to replace. */
    public static ObjectNode schema(String name) {
        return Json.object().put("$ref", PLACE + name);
    }

    /**
     * Returns the operation's id, which becomes the method's name in most languages: {@code agentCreate}, in the
     * words of the tool's route.
     */
    public static String id(Tool<?, ?> tool) {
        return tool.family().word() + tool.name().substring(3);
    }

    /** Returns the id of the operation on one of the tool's routes: that of a further route has Api and its parameters, too. */
    public static String id(Tool<?, ?> tool, Route route) {
        return id(tool) + further(tool, route);
    }

    static String further(Tool<?, ?> tool, Route route) {
        if (!tool.route().further().contains(route)) {
            return "";
        }
        return "Api"
                + Arrays.stream(route.path().split("/"))
                        .filter(part -> part.startsWith("{"))
                        .map(part -> Character.toUpperCase(part.charAt(1)) + part.substring(2, part.length() - 1))
                        .collect(Collectors.joining());
    }

    /** Returns the beginning of the names of the tool's types: {@code AgentCreate}. */
    public static String typeName(Tool<?, ?> tool) {
        var id = id(tool);
        return Character.toUpperCase(id.charAt(0)) + id.substring(1);
    }
}
