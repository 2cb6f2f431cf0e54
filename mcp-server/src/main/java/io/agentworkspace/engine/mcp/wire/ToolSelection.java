package io.agentworkspace.engine.mcp.wire;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;

/**
 * The tools that a request selects, by headers ({@code X-MCP-Toolsets}, {@code X-MCP-Tools},
 * {@code X-MCP-Exclude-Tools}, {@code X-MCP-Readonly}) or by its path. Read-only overrides everything, exclusion
 * overrides inclusion; without toolsets and tools everything is included.
 *
 * @param toolsets families of tools, by name: {@code agent}, {@code bank}, …
 */
public record ToolSelection(Set<String> toolsets, Set<String> tools, Set<String> excluded, boolean readOnly) {
    /** The toolset of three tools that find, describe and run all others. */
    public static final String DISCOVERY = "discovery";

    /** The toolset of all families. */
    public static final String ALL = "all";

    public static final String PATH = "/mcp";
    public static final String TOOLSETS = "X-MCP-Toolsets";
    public static final String TOOLS = "X-MCP-Tools";
    public static final String EXCLUDED = "X-MCP-Exclude-Tools";

    private static final String READ_ONLY = "X-MCP-Readonly";
    private static final Pattern PATHS = Pattern.compile(PATH + "(/x/(?<toolset>[^/]+))?(?<readonly>/readonly)?/?");

    public ToolSelection {
        toolsets = Set.copyOf(toolsets);
        tools = Set.copyOf(tools);
        excluded = Set.copyOf(excluded);
    }

    /** @param discovers whether the caller's key has the toolset {@link #DISCOVERY} by itself */
    public static ToolSelection of(String requestPath, HttpFields headers, boolean discovers) {
        var path = PATHS.matcher(requestPath);
        var readOnly = path.matches() && path.group("readonly") != null;
        var toolsets = toolset(requestPath).map(Set::of).orElseGet(() -> Set.copyOf(words(TOOLSETS, headers)));
        var tools = Set.copyOf(words(TOOLS, headers));
        return new ToolSelection(
                toolsets.isEmpty() && tools.isEmpty() && discovers ? Set.of(DISCOVERY) : toolsets,
                tools,
                Set.copyOf(words(EXCLUDED, headers)),
                readOnly || words(READ_ONLY, headers).stream().anyMatch(word -> !word.equalsIgnoreCase("false")));
    }

    /** The toolset that the path names. */
    public static Optional<String> toolset(String requestPath) {
        var path = PATHS.matcher(requestPath);
        return path.matches()
                ? Optional.ofNullable(path.group("toolset")).map(word -> word.toLowerCase(Locale.ROOT))
                : Optional.empty();
    }

    /** The comma-separated values of a header, each once; a repeated header continues the list. */
    public static List<String> words(String header, HttpFields headers) {
        return headers.getValuesList(header).stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .map(word -> header.equals(TOOLSETS) ? word.toLowerCase(Locale.ROOT) : word)
                .distinct()
                .toList();
    }

    /** Whether this path of the endpoint is one of a selection. */
    public static boolean isPath(String path) {
        return PATHS.matcher(path).matches();
    }

    /** Whether one of the discovery tools is selected. Read-only keeps all three, and limits what they run. */
    public boolean discovers(String tool) {
        return !excluded.contains(tool) && (toolsets.contains(DISCOVERY) || tools.contains(tool));
    }

    public boolean includes(Tool<?, ?> tool) {
        return permits(tool)
                && ((toolsets.isEmpty() && tools.isEmpty())
                        || tools.contains(tool.name())
                        || toolsets.contains(ALL)
                        || toolsets.contains(tool.family().word()));
    }

    /** Whether it is not excluded, whether included or not. */
    public boolean permits(Tool<?, ?> tool) {
        return !excluded.contains(tool.name()) && (!readOnly || tool.effect().reads());
    }
}
