package io.agentworkspace.engine.model.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The MCP endpoint's address for clients, and the limits that they set.
 *
 * @param host the public address of the tool protocol's host, without a trailing slash
 * @param toolsets the toolsets that the client should see; empty for all
 * @param readOnly whether it should see only tools that change nothing
 */
public record McpAddress(String host, List<String> toolsets, boolean readOnly) {
    private static final String ENDPOINT = "/mcp";
    private static final String TOOLSETS = "X-MCP-Toolsets";

    public McpAddress {
        toolsets = List.copyOf(toolsets);
    }

    /** Of all tools. */
    static McpAddress of(String host) {
        return new McpAddress(host, List.of(), false);
    }

    /** A path can name one toolset; several go into a header. */
    public String url() {
        var toolset = toolsets.size() == 1 ? "/x/" + toolsets.getFirst() : "";
        return host + ENDPOINT + toolset + (readOnly ? "/readonly" : "");
    }

    /** The headers to send, the key first. */
    Map<String, String> headers(String keyHeader, String key) {
        var headers = new LinkedHashMap<String, String>();
        headers.put(keyHeader, key);
        if (toolsets.size() > 1) {
            headers.put(TOOLSETS, String.join(",", toolsets));
        }
        return headers;
    }

    /** Whether others can read requests in transit, beyond this machine. */
    boolean isPlain() {
        return host.startsWith("http://") && !host.matches("http://(localhost|127\\.0\\.0\\.1)(:\\d+)?");
    }
}
