package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.mcp.wire.Params;
import io.agentworkspace.engine.mcp.wire.ToolSelection;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.LenientInput;
import io.agentworkspace.engine.model.search.ToolSearch;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.NearestTool;
import io.agentworkspace.engine.model.tool.Tool;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * The toolset {@code discovery}: three tools that find, describe and run all tools of the caller. It is for clients
 * that do not want every description in their context.
 */
public final class DiscoveryTools implements ToolSource {
    /** What models call the arguments of the three tools. */
    private static final Map<String, String> ALSO_CALLED = Map.of(
            "tool", "name",
            "tool_name", "name",
            "args", "arguments",
            "input", "arguments",
            "parameters", "arguments",
            "params", "arguments",
            "q", "query",
            "text", "query");

    private static final int FOUND = 10;
    private static final String RUN = "run_tool";
    private static final List<ObjectNode> SHOWN = Stream.of(
                    tool("find_tools", "Find tools", true, """
                            Finds tools by what they do, best first. An empty query lists all. \
                            Next: describe_tool, run_tool.""", """
                            {"query": {"type": "string", "maxLength": 1000, "description": "What you want to do, in a few words."}}""", "query"),
                    tool("describe_tool", "Describe a tool", true, """
                            Describes a tool: what it does, what it requires, and the full JSON Schemas of its arguments and answer.""", """
                            {"name": {"type": "string", "maxLength": 64, "description": "The tool's name."}}""", "name"),
                    tool(RUN, "Run a tool", false, """
                            Runs any tool that you may use and returns its answer.""", """
                            {"name": {"type": "string", "maxLength": 64, "description": "The tool's name."},
                             "arguments": {"type": "object", "description": "Its arguments, as describe_tool shows them."}}""", "name"))
            .toList();

    private final Catalogue catalogue;
    private final CatalogueTools tools;
    private final ToolSearch search;

    public DiscoveryTools(Catalogue catalogue, CatalogueTools tools) {
        this.catalogue = catalogue;
        this.tools = tools;
        search = new ToolSearch(catalogue.tools());
    }

    private static ObjectNode tool(
            String name, String title, boolean readOnly, String description, String properties, String required) {
        var tool = Json.object().put("name", name).put("title", title).put("description", description);
        var schema = tool.putObject("inputSchema").put("type", "object");
        schema.set("properties", Json.read(properties.getBytes(StandardCharsets.UTF_8)));
        schema.putArray("required").add(required);
        schema.put("additionalProperties", false);
        tool.putObject("annotations")
                .put("title", title)
                .put("readOnlyHint", readOnly)
                .put("destructiveHint", !readOnly)
                .put("idempotentHint", readOnly)
                .put("openWorldHint", false);
        return tool;
    }

    /** Returns the three tools as {@code tools/list} shows them. */
    public static List<ObjectNode> shown() {
        return SHOWN.stream().map(ObjectNode::deepCopy).toList();
    }

    @Override
    public Names names(Caller caller) {
        return new Names(
                List.of(ToolSelection.DISCOVERY),
                SHOWN.stream().map(tool -> tool.get("name").asString()).toList());
    }

    @Override
    public List<ObjectNode> list(McpRequest request) {
        return SHOWN.stream()
                .filter(tool -> request.selection().discovers(tool.get("name").asString()))
                .toList();
    }

    @Override
    public Optional<ObjectNode> find(String name, McpRequest request) {
        return list(request).stream()
                .filter(tool -> tool.get("name").asString().equals(name))
                .findFirst();
    }

    @Override
    public Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest request) {
        return find(name, request).map(tool -> {
            checkKnown(tool, arguments);
            return switch (name) {
                case "find_tools" -> () -> found(text(tool, arguments, "query"), request);
                case "describe_tool" -> () -> described(read(text(tool, arguments, "name"), request), request);
                default -> tools.call(toRun(tool, arguments, request), given(arguments), request);
            };
        });
    }

    /** Returns the arguments of the tool to run. Some models send them as JSON text. */
    private static ObjectNode given(ObjectNode arguments) {
        return LenientInput.parsed(arguments.path("arguments")) instanceof ObjectNode object
                ? object
                : Params.object(arguments, "arguments");
    }

    /**
     * @throws Problem {@code invalid_field} for an unknown argument: models often put the tool's arguments beside its name
     */
    private static void checkKnown(ObjectNode tool, ObjectNode arguments) {
        var known = List.copyOf(tool.at("/inputSchema/properties").propertyNames());
        arguments.propertyNames().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    var meant = ALSO_CALLED.getOrDefault(name, "");
                    var place = known.contains(meant)
                            ? "; did you mean %s?".formatted(meant)
                            : known.contains("arguments")
                                    ? "; put the arguments of the tool into 'arguments'"
                                    : "; it takes " + String.join(", ", known);
                    throw Problem.invalid(
                            Name.shortened(name),
                            "is not a field of %s%s".formatted(tool.get("name").asString(), place));
                });
    }

    /** Returns a text argument; refuses one longer than the tool's schema allows. */
    private static String text(ObjectNode tool, ObjectNode arguments, String field) {
        var text = Params.text(arguments, field);
        var most = tool.path("inputSchema")
                .path("properties")
                .path(field)
                .path("maxLength")
                .asInt();
        var length = text.codePointCount(0, text.length());
        if (length > most) {
            throw Problem.tooLarge(field, length, most, "characters");
        }
        return text;
    }

    private Stream<Tool<?, ?>> usable(McpRequest request) {
        return catalogue.tools(request.caller()).stream().filter(request.selection()::permits);
    }

    /**
     * Returns the tool to run. A tool for which the caller lacks only a scope is included, since the client can get the scope.
     */
    private Tool<?, ?> toRun(ObjectNode shown, ObjectNode arguments, McpRequest request) {
        var name = text(shown, arguments, "name");
        var given = given(arguments);
        return catalogue
                .find(name)
                .filter(tool -> request.selection().permits(tool)
                        && request.caller().missingScope(tool, given).isPresent())
                .orElseGet(() -> read(name, request));
    }

    private Tool<?, ?> read(String name, McpRequest request) {
        var known = usable(request).toList();
        return known.stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .orElseThrow(() -> {
                    var titled = known.stream().map(NearestTool.Titled::of).toList();
                    return Problem.unknownService(
                            "tool", name, NearestTool.hint(name, titled, "find_tools with an empty query"));
                });
    }

    private MethodResult found(String query, McpRequest request) {
        var found = query.isBlank()
                ? usable(request)
                : search.find(query, usable(request).collect(Collectors.toSet())::contains).stream()
                        .limit(FOUND);
        var text = found.map(
                        tool -> "%s (%s): %s\n".formatted(tool.name(), tool.title(), firstSentence(tool.description())))
                .collect(Collectors.joining());
        return MethodResult.text(text.isEmpty() ? "No tool fits these words; an empty query lists all of them." : text);
    }

    private static String firstSentence(String description) {
        var end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }

    private MethodResult described(Tool<?, ?> tool, McpRequest request) {
        var result = Json.object();
        var description = tools.description(tool, request);
        result.putArray("content").addObject().put("type", "text").put("text", Json.text(description));
        result.set("structuredContent", description.deepCopy());
        return MethodResult.done(result);
    }
}
