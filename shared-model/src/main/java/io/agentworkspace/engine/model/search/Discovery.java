package io.agentworkspace.engine.model.search;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.LenientInput;
import io.agentworkspace.engine.model.schema.StorableInput;
import io.agentworkspace.engine.model.tool.NearestTool;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDescription;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tools that find, describe and run all tools of the caller: their descriptions, and the checks of their
 * arguments. They are for clients that do not want every description in their context.
 */
public final class Discovery {
    public static final String FIND = "find_tools";
    public static final String DESCRIBE = "describe_tool";
    public static final String RUN = "run_tool";
    public static final String PLAN = "run_plan";

    /** What models call the arguments of these tools. */
    private static final Map<String, String> ALSO_CALLED = Map.of(
            "tool", "name",
            "tool_name", "name",
            "args", "arguments",
            "input", "arguments",
            "parameters", "arguments",
            "params", "arguments",
            "q", "query",
            "text", "query");

    private static final String ARGUMENTS = "arguments";
    private static final int FOUND = 10;
    private static final Map<String, ObjectNode> TOOLS = new LinkedHashMap<>();

    static {
        add(FIND, "Find tools", true, "search more hidden commands", """
                Finds tools by what you want to do; an empty query lists all. Next: describe_tool, run_tool.""", """
                {"query": {"type": "string", "maxLength": 1000}}""", "query");
        add(DESCRIBE, "Describe a tool", true, "help schema parameters", """
                Returns the full description of a tool, with the JSON Schemas.""", """
                {"name": {"type": "string", "maxLength": 64}}""", "name");
        add(RUN, "Run a tool", false, "call execute invoke", """
                Runs any tool that you may use, listed or not.""", """
                {"name": {"type": "string", "maxLength": 64},
                 "arguments": {"type": "object", "description": "As describe_tool shows them."}}""", "name");
        add(PLAN, "Run a plan", false, "batch chain script", """
                Runs up to 20 tools in order, until one fails. An argument may be {$from: earlier id, path: JSON pointer}. \
                each (an array or $from) repeats a step for each item, {$from: each}.""", """
                {"steps": {"type": "array", "items": {"type": "object"}, "description": "{id, tool, arguments, each}"},
                 "return": {"type": "array", "items": {"type": "string"}, "description": "Ids, or id/pointer."}}""", "steps");
    }

    private Discovery() {}

    private static void add(
            String name,
            String title,
            boolean readOnly,
            String hint,
            String description,
            String properties,
            String required) {
        var tool = Json.object().put("name", name).put("title", title).put("description", description);
        var schema = tool.putObject("inputSchema").put("type", "object");
        schema.set("properties", Json.read(properties.getBytes(StandardCharsets.UTF_8)));
        schema.putArray("required").add(required);
        schema.put("additionalProperties", false);
        annotate(tool, readOnly);
        tool.set("_meta", ToolDescription.found(hint));
        TOOLS.put(name, tool);
    }

    private static void annotate(ObjectNode tool, boolean readOnly) {
        tool.putObject("annotations")
                .put(readOnly ? "readOnlyHint" : "destructiveHint", true)
                .put("openWorldHint", false);
    }

    public static boolean has(String name) {
        return TOOLS.containsKey(name);
    }

    /** Returns the tools as {@code tools/list} shows them: without the limits of texts, which a note names. */
    public static List<ObjectNode> definitions() {
        var tools = TOOLS.values().stream().map(ObjectNode::deepCopy).toList();
        tools.forEach(tool -> tool.findParents("maxLength").forEach(field -> ((ObjectNode) field).remove("maxLength")));
        return tools;
    }

    /** Returns them for a client that may only read: then {@code run_tool} runs only tools that read. */
    public static List<ObjectNode> readOnlyDefinitions() {
        var tools = definitions();
        tools.forEach(tool -> annotate(tool, true));
        return tools;
    }

    private static ObjectNode properties(String name) {
        return (ObjectNode) TOOLS.getOrDefault(name, Json.object()).at("/inputSchema/properties");
    }

    /**
     * Checks the names of the arguments. Models often put the arguments of the tool to run beside its name.
     *
     * @throws Problem {@code invalid_field}
     */
    public static void checkNames(String tool, ObjectNode arguments) {
        var names = List.copyOf(properties(tool).propertyNames());
        arguments.propertyNames().stream()
                .filter(name -> !names.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    var meant = ALSO_CALLED.getOrDefault(name, "");
                    var place = names.contains(meant)
                            ? "; did you mean %s?".formatted(meant)
                            : names.contains(ARGUMENTS)
                                    ? "; put the arguments of the tool into 'arguments'"
                                    : "; it takes " + String.join(", ", names);
                    throw Problem.invalid(Name.shortened(name), "is not a field of %s%s".formatted(tool, place));
                });
    }

    /** @throws Problem if it is missing, no text, or too long */
    public static String query(ObjectNode arguments) {
        return text(FIND, arguments, "query");
    }

    /** @throws Problem if it is missing, no text, or too long */
    public static String name(String tool, ObjectNode arguments) {
        return text(tool, arguments, "name");
    }

    private static String text(String tool, ObjectNode arguments, String field) {
        var value = arguments.path(field);
        if (value.isMissingNode() || value.isNull()) {
            throw Problem.missing(field);
        }
        if (!value.isString()) {
            throw Problem.wrongType(field, "a string");
        }
        var text = value.asString();
        var most = properties(tool).path(field).path("maxLength").asInt();
        var length = text.codePointCount(0, text.length());
        if (length > most) {
            throw Problem.tooLarge(field, length, most, "characters");
        }
        StorableInput.check(field, text);
        return text;
    }

    /** Returns the arguments of the tool to run; empty if missing. Some models send them as JSON text. */
    public static ObjectNode arguments(ObjectNode arguments) {
        var value = arguments.path(ARGUMENTS);
        if (value.isMissingNode() || value.isNull()) {
            return Json.object();
        }
        if (LenientInput.parsed(value) instanceof ObjectNode object) {
            return object;
        }
        throw Problem.wrongType(ARGUMENTS, "an object");
    }

    /** @throws Problem if a step of a plan names one of these tools */
    public static void checkStep(String tool) {
        if (has(tool)) {
            throw Problem.invalid(
                    "tool",
                    switch (tool) {
                        case PLAN -> "is run_plan, and a plan runs no plan: put those steps into this one";
                        case RUN -> "is run_tool: name the tool that it runs, with that tool's arguments";
                        default -> "is %s, which helps you to write a plan: call it on its own".formatted(tool);
                    });
        }
    }

    /**
     * Returns the tools that fit a query, best first; all for an empty one. If none fits, these are the default tools
     * that read, with which a caller can look around.
     */
    public static List<Tool<?, ?>> found(String query, List<Tool<?, ?>> usable, ToolFinder finder) {
        if (query.isBlank()) {
            return usable;
        }
        var found = finder.find(query, usable);
        Predicate<Tool<?, ?>> harmless =
                tool -> tool.isDefault() && tool.effect().reads();
        return (found.isEmpty() ? usable.stream().filter(harmless) : found.stream())
                .limit(FOUND)
                .toList();
    }

    /** @throws Problem {@code unknown_service}, with the tool that is probably meant */
    public static Tool<?, ?> read(String name, List<Tool<?, ?>> usable) {
        Optional<Tool<?, ?>> tool =
                usable.stream().filter(each -> each.name().equals(name)).findFirst();
        return tool.orElseThrow(() -> {
            Stream<NearestTool.Titled> titled = usable.stream().map(NearestTool.Titled::of);
            return Problem.unknownService(
                    "tool", name, NearestTool.hint(name, titled.toList(), "find_tools with an empty query"));
        });
    }

    /** Returns the first sentence of a tool's description. */
    public static String summary(Tool<?, ?> tool) {
        var description = tool.description();
        var end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }
}
