package io.agentworkspace.engine.model.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The address of the MCP endpoint for clients, and the tools that it selects.
 *
 * @param host the public address of the tool protocol's host, without a trailing slash
 * @param toolsets the toolsets that the client sees; empty for all
 * @param readOnly whether the client sees only tools that change nothing
 */
public record McpAddress(String host, List<String> toolsets, boolean readOnly) {
    /** The path of the endpoint. */
    public static final String ENDPOINT = "/mcp";

    /** The path of the endpoint's description of itself. */
    public static final String CARD = ENDPOINT + "/server-card";

    /** The path where clients that know only the host look for servers. */
    public static final String CATALOG = "/.well-known/ai-catalog.json";

    private static final String TOOLSETS = "X-MCP-Toolsets";

    public McpAddress {
        toolsets = List.copyOf(toolsets);
    }

    /** Returns the address with all tools. */
    static McpAddress of(String host) {
        return new McpAddress(host, List.of(), false);
    }

    /** Returns the URL. A path can name one toolset; several are sent in a header. */
    public String url() {
        var toolset = toolsets.size() == 1 ? "/x/" + toolsets.getFirst() : "";
        return host + ENDPOINT + toolset + (readOnly ? "/readonly" : "");
    }

    /** Returns the headers to send, the key first. */
    Map<String, String> headers(String keyHeader, String key) {
        var headers = new LinkedHashMap<String, String>();
        headers.put(keyHeader, key);
        if (toolsets.size() > 1) {
            headers.put(TOOLSETS, String.join(",", toolsets));
        }
        return headers;
    }

    /** Returns whether others can read the requests in transit: plain HTTP to another machine. */
    boolean isPlain() {
        return host.startsWith("http://") && !host.matches("http://(localhost|127\\.0\\.0\\.1)(:\\d+)?");
    }
}
