package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Effect;
import io.agentworkspace.engine.model.Tool;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * The tools that a request limits itself to, by headers ({@code X-MCP-Toolsets}, {@code X-MCP-Tools},
 * {@code X-MCP-Exclude-Tools}, {@code X-MCP-Readonly}) or by its path. Read-only beats all, exclusion beats inclusion;
 * without toolsets and tools everything is included.
 *
 * @param toolsets families of tools, by their words: {@code agent}, {@code bank}, …
 */
public record Selection(Set<String> toolsets, Set<String> tools, Set<String> excluded, boolean readOnly) {
    /** The toolset of three tools that find, describe and run all others. */
    public static final String DISCOVERY = "discovery";

    static final String PATH = "/mcp";

    private static final String TOOLSET = "/x/";
    private static final String READ_ONLY = "/readonly";

    public Selection {
        toolsets = Set.copyOf(toolsets);
        tools = Set.copyOf(tools);
        excluded = Set.copyOf(excluded);
    }

    static Selection of(Exchange exchange) {
        var path = Request.getPathInContext(exchange.request()).substring(PATH.length());
        var readOnly = path.endsWith(READ_ONLY);
        var rest = readOnly ? path.substring(0, path.length() - READ_ONLY.length()) : path;
        var toolsets = rest.startsWith(TOOLSET)
                ? Set.of(rest.substring(TOOLSET.length()).toLowerCase(Locale.ROOT))
                : words(exchange.header("X-MCP-Toolsets"), true);
        var tools = words(exchange.header("X-MCP-Tools"), false);
        var own = exchange.caller().credential().toolset();
        return new Selection(
                toolsets.isEmpty() && tools.isEmpty() && own.discovery() ? Set.of(DISCOVERY) : toolsets,
                tools,
                words(exchange.header("X-MCP-Exclude-Tools"), false),
                readOnly || isTrue(exchange.header("X-MCP-Readonly")));
    }

    private static Set<String> words(@Nullable String list, boolean lowerCase) {
        if (list == null || list.isBlank()) {
            return Set.of();
        }
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .map(word -> lowerCase ? word.toLowerCase(Locale.ROOT) : word)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static boolean isTrue(@Nullable String value) {
        return value != null && !value.isBlank() && !value.strip().equalsIgnoreCase("false");
    }

    /** Whether this path of the door is one that selections have. */
    static boolean isPath(String path) {
        if (!path.startsWith(PATH)) {
            return false;
        }
        var rest = path.substring(PATH.length());
        return rest.isEmpty() || rest.equals("/") || rest.equals(READ_ONLY) || rest.matches("/x/[A-Za-z]+(/readonly)?");
    }

    /** Whether the three tools of discovery stand for all others. */
    public boolean isDiscovery() {
        return toolsets.contains(DISCOVERY);
    }

    public boolean includes(Tool<?, ?> tool) {
        return permits(tool)
                && ((toolsets.isEmpty() && tools.isEmpty())
                        || tools.contains(tool.name())
                        || toolsets.contains("all")
                        || toolsets.contains(tool.family()));
    }

    /** Whether it is not ruled out, be it included or not. */
    public boolean permits(Tool<?, ?> tool) {
        return !excluded.contains(tool.name()) && (!readOnly || tool.effect() == Effect.READS);
    }
}
