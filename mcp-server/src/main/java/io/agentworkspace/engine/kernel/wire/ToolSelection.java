package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;

/**
 * The tools that a request selects, by headers ({@code X-MCP-Toolsets}, {@code X-MCP-Tools}, {@code
 * X-MCP-Exclude-Tools}, {@code X-MCP-Readonly}), by its path, or by its key. Read-only overrides everything, exclusion
 * overrides inclusion. Without toolsets and tools, the default tools are listed and all others can be called too.
 *
 * @param open whether all tools can be called, listed or not, because the request selected none
 * @param toolsets families of tools, by name ({@code agent}, {@code bank}, …), and the general ones of {@link Toolset}
 */
public record ToolSelection(
        Set<String> toolsets, Set<String> tools, Set<String> excluded, boolean readOnly, boolean open) {
    /** The toolset of the tools that find, describe and run all others. */
    public static final String DISCOVERY = Toolset.DISCOVERY;

    public static final String PATH = McpAddress.ENDPOINT;
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

    /** @param ofKey the toolset of the caller's key; the request's own replaces it within the key's limits */
    public static ToolSelection of(String requestPath, HttpFields headers, Toolset ofKey) {
        var readOnly = isReadOnly(requestPath);
        var toolsets = toolset(requestPath).map(Set::of).orElseGet(() -> Set.copyOf(words(TOOLSETS, headers)));
        var tools = Set.copyOf(words(TOOLS, headers));
        var isChosen = !toolsets.isEmpty() || !tools.isEmpty();
        return new ToolSelection(
                isChosen ? toolsets : ofKey.listed(),
                tools,
                Set.copyOf(words(EXCLUDED, headers)),
                readOnly
                        || toolsets.contains(Toolset.READ_ONLY)
                        || words(READ_ONLY, headers).stream().anyMatch(word -> !word.equalsIgnoreCase("false")),
                !isChosen && !ofKey.discovery());
    }

    private static boolean isReadOnly(String requestPath) {
        if (requestPath.equals(PATH)) {
            return false;
        }
        var path = PATHS.matcher(requestPath);
        return path.matches() && path.group("readonly") != null;
    }

    /** Returns the toolset that the path names. */
    public static Optional<String> toolset(String requestPath) {
        if (requestPath.equals(PATH)) {
            return Optional.empty();
        }
        var path = PATHS.matcher(requestPath);
        return path.matches()
                ? Optional.ofNullable(path.group("toolset")).map(word -> word.toLowerCase(Locale.ROOT))
                : Optional.empty();
    }

    /** Returns the comma-separated values of a header without duplicates. A repeated header continues the list. */
    public static List<String> words(String header, HttpFields headers) {
        if (!headers.contains(header)) {
            return List.of();
        }
        return headers.getValuesList(header).stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .map(word -> header.equals(TOOLSETS) ? word.toLowerCase(Locale.ROOT) : word)
                .distinct()
                .toList();
    }

    /** Returns whether this path of the endpoint selects a toolset. */
    public static boolean isPath(String path) {
        return path.equals(PATH) || PATHS.matcher(path).matches();
    }

    /** Returns whether one of the discovery tools is listed. Only the toolset of discovery pays for that of plans. */
    public boolean discovers(String tool) {
        return runsDiscovery(tool)
                && (!tool.equals(Discovery.PLAN) || toolsets.contains(DISCOVERY) || tools.contains(tool));
    }

    /** Returns whether one of them can be called. Read-only keeps all of them, and limits what they run. */
    public boolean runsDiscovery(String tool) {
        return !excluded.contains(tool)
                && (listsDefault()
                        || toolsets.contains(DISCOVERY)
                        || toolsets.contains(Toolset.WORK)
                        || tools.contains(tool));
    }

    /** Returns whether {@code tools/list} shows the tool. */
    public boolean lists(Tool<?, ?> tool) {
        return permits(tool)
                && ((listsDefault() && tool.isDefault())
                        || (toolsets.contains(Toolset.WORK) && tool.guide().isForWork())
                        || tools.contains(tool.name())
                        || toolsets.contains(Toolset.ALL)
                        || toolsets.equals(Set.of(Toolset.READ_ONLY))
                        || toolsets.contains(tool.toolset()));
    }

    /** Returns whether the tool can be called by name. The key's own limits are checked at the call. */
    public boolean includes(Tool<?, ?> tool) {
        return permits(tool) && (open || lists(tool));
    }

    private boolean listsDefault() {
        return (toolsets.isEmpty() && tools.isEmpty()) || toolsets.contains(Toolset.DEFAULT);
    }

    /** Returns whether the tool is not excluded, whether included or not. */
    public boolean permits(Tool<?, ?> tool) {
        return !excluded.contains(tool.name()) && (!readOnly || tool.effect().reads());
    }

    /** Returns the selection as a text, in which equal selections are equal on every replica. */
    public String words() {
        return "%s\n%s\n%s\n%s %s"
                .formatted(
                        String.join(",", new TreeSet<>(toolsets)),
                        String.join(",", new TreeSet<>(tools)),
                        String.join(",", new TreeSet<>(excluded)),
                        readOnly,
                        open);
    }
}
