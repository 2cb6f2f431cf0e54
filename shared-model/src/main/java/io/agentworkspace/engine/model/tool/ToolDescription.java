package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Schema;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A tool as MCP shows it; the keys are spelled as MCP spells them. */
public final class ToolDescription {
    /** Keywords that the list leaves out of a value's schema: the server checks them, and its note states the rule. */
    private static final List<String> UNLISTED = List.of("maxLength", "minimum", "maximum");

    /** A description that only repeats the name of the field, or its bounds. */
    private static final Pattern OBVIOUS = Pattern.compile("The ((new )?\\w+|[\\w ]+'s (name|id))\\."
            + "|What (it|the \\w+) is for\\.|Who may see it\\.|Why it supersedes the other\\."
            + "|(create|insert): the text\\.|rename: (from|to)\\."
            + "|Only at this revision\\.|(Sent|Changed) then or (later|earlier)\\."
            + "|Default: the entered one\\.|The recipient of a direct message\\.|Only what this agent wrote\\."
            + "|The member, or your own agent\\.|Only the memory of this name\\.|What is to be done\\.|More about it\\."
            + "|Context name\\.|A next_cursor\\.|Makes a retry safe\\.|[0-9]+–[0-9]+, default [0-9]+\\.");

    /** What Anthropic's clients read about a tool; see their documentation of {@code _meta}. */
    private static final String ALWAYS_LOAD = "anthropic/alwaysLoad";

    private static final String SEARCH_HINT = "anthropic/searchHint";
    private static final String LONGEST_RESULT = "anthropic/maxResultSizeChars";
    private static final int LARGE = 300_000;
    private static final List<String> PAYLOAD = List.of("object", "array");

    private static final String TARGET = "/properties/target/properties";
    private static final String GUARD = "/properties/guard";

    private ToolDescription() {}

    /**
     * Returns the tool as {@code tools/list} shows it, short enough for a model to read all tools. The output schema
     * has only the payload's fields at the top; the input schema has no bounds. What clients need and models do not
     * read is in {@code _meta}. Each call returns a new object.
     */
    public static ObjectNode listed(Tool<?, ?> tool) {
        if (tool.foreign() != null) {
            return tool.foreign().definition().deepCopy();
        }
        var described = described(tool, tool.description());
        described.set("inputSchema", shortened(tool));
        described.set("outputSchema", shallow(tool));
        described.set("annotations", annotations(tool));
        described.set("_meta", forClients(tool));
        return described;
    }

    private static ObjectNode forClients(Tool<?, ?> tool) {
        var guide = tool.guide();
        var meta = guide.hints().contains(Guide.Hint.ALWAYS_LOAD)
                ? Json.object().put(ALWAYS_LOAD, true)
                : found(guide.searchHint(tool.name(), tool.title(), tool.description()));
        return guide.hints().contains(Guide.Hint.LARGE_RESULT) ? meta.put(LONGEST_RESULT, LARGE) : meta;
    }

    /** Returns the {@code _meta} of a tool that clients find by these words. */
    public static ObjectNode found(String words) {
        return Json.object().put(SEARCH_HINT, words);
    }

    /**
     * Returns the whole description: with the details, the bounds of the arguments, and all fields of the response.
     * Each call returns a new object.
     */
    public static ObjectNode full(Tool<?, ?> tool) {
        if (tool.foreign() != null) {
            return tool.foreign().definition().deepCopy();
        }
        var described = described(tool, tool.fullDescription());
        described.set("inputSchema", tool.inputSchema().json());
        described.set("outputSchema", tool.outputSchema().deepCopy());
        described.set("annotations", annotations(tool));
        return described;
    }

    private static ObjectNode described(Tool<?, ?> tool, String description) {
        return Json.object().put("name", tool.name()).put("title", tool.title()).put("description", description);
    }

    /**
     * Returns the shortened input schema. Only the object at the top is marked as closed. Objects have no
     * description, since their fields have one. It leaves out the target's user, which concerns only admins, the
     * target's context, which the instructions explain once for all tools, the fields of the loop guard, what is rarely
     * sent, and the idempotency key of a tool that can be repeated without one.
     */
    private static ObjectNode shortened(Tool<?, ?> tool) {
        var schema = tool.inputSchema().json();
        if (tool.isCommand() && schema.at(TARGET) instanceof ObjectNode target) {
            target.remove(tool.family() == Family.USER ? List.of("context") : List.of("context", "user"));
        }
        if (tool.idempotent()) {
            ((ObjectNode) schema.path("properties")).remove("idempotency_key");
        }
        ((ObjectNode) schema.path("properties")).remove(Schema.rare(tool.input()));
        if (schema.at(GUARD) instanceof ObjectNode guard) {
            guard.remove("properties");
        }
        schema.path("properties").forEach(ToolDescription::shorten);
        return schema;
    }

    private static void shorten(JsonNode value) {
        if (value instanceof ObjectNode schema) {
            schema.remove(UNLISTED);
            if (OBVIOUS.matcher(schema.path("description").asString("")).matches()) {
                schema.remove("description");
            }
            if (schema.path("format").asString("").equals("uuid")) {
                schema.remove("format");
            }
            if (schema.has("properties")) {
                schema.remove(List.of("description", "additionalProperties"));
                schema.get("properties").forEach(ToolDescription::shorten);
                if (schema.get("properties").isEmpty()) {
                    schema.remove("properties");
                }
            }
            if (schema.at("/anyOf/1/items").isObject()) { // One of them alone is accepted, too.
                var list = (ObjectNode) schema.remove("anyOf").get(1);
                schema.setAll(list);
            }
            schema.path("anyOf").forEach(ToolDescription::shorten);
            if (schema.path("items").has("properties")) {
                schema.putObject("items").put("type", "object");
            }
            shorten(schema.path("items"));
        }
    }

    /** Returns the types of the records and lists that every successful response has; if it has none, of its other fields. */
    private static ObjectNode shallow(Tool<?, ?> tool) {
        var always = Json.object();
        for (var name : Schema.of(tool.output()).json().path("required")) {
            always.set(name.asString(), bareType(tool.outputSchema().at("/properties/" + name.asString())));
        }
        var payload = Json.object();
        always.properties().stream()
                .filter(field -> PAYLOAD.contains(field.getValue().path("type").asString("")))
                .forEach(field -> payload.set(field.getKey(), field.getValue()));
        var shallow = Json.object().put("type", "object");
        shallow.set("properties", payload.isEmpty() ? always : payload);
        return shallow;
    }

    /** Returns the type alone; of a list with the type of its items, since some clients refuse a list without one. */
    private static ObjectNode bareType(JsonNode schema) {
        var bare = Json.object();
        bare.set("type", schema.get("type"));
        if (schema.has("items")) {
            bare.set("items", bareType(schema.get("items")));
        }
        return bare;
    }

    /**
     * Returns the hints that differ from the protocol's defaults. A tool that changes the caller's own context is not
     * a read, since later calls depend on it.
     */
    private static ObjectNode annotations(Tool<?, ?> tool) {
        var hints = Json.object();
        if (tool.effect() == Effect.READS) {
            hints.put("readOnlyHint", true);
        } else {
            hints.put(
                    "destructiveHint",
                    tool.effect() == Effect.DESTROYS || tool.guide().hints().contains(Guide.Hint.MAY_REMOVE));
            if (tool.idempotent()) {
                hints.put("idempotentHint", true);
            }
        }
        return hints.put("openWorldHint", false);
    }
}
