package io.agentworkspace.engine.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where clients of MCP find the door, and what they limit themselves to.
 *
 * @param host the public address of the tool protocol's host, without a slash at its end
 * @param toolsets the only ones that the client is to see; empty for all
 * @param readOnly whether it is to see only tools that change nothing
 */
public record McpAddress(String host, List<String> toolsets, boolean readOnly) {
    private static final String DOOR = "/mcp";
    private static final String TOOLSETS = "X-MCP-Toolsets";

    public McpAddress {
        toolsets = List.copyOf(toolsets);
    }

    /** Of all tools. */
    public static McpAddress of(String host) {
        return new McpAddress(host, List.of(), false);
    }

    /** A path has room for one toolset; several stand in a header. */
    public String url() {
        var toolset = toolsets.size() == 1 ? "/x/" + toolsets.getFirst() : "";
        return host + DOOR + toolset + (readOnly ? "/readonly" : "");
    }

    /** What has to be sent along, the key first. */
    Map<String, String> headers(String keyHeader, String key) {
        var headers = new LinkedHashMap<String, String>();
        headers.put(keyHeader, key);
        if (toolsets.size() > 1) {
            headers.put(TOOLSETS, String.join(",", toolsets));
        }
        return headers;
    }

    /** Whether what is sent there can be read on its way, and not only on this machine. */
    boolean isPlain() {
        return host.startsWith("http://") && !host.matches("http://(localhost|127\\.0\\.0\\.1)(:\\d+)?");
    }
}
