import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** Sessions of the MCP revisions before 2026-07-28. */
final class Sessions {
    private Sessions() {}

    /** Returns the id of a new session. */
    static String begin(String url, String key) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var start = http.send(
                    post(url, key, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}")
                            .build(),
                    BodyHandlers.ofString());
            var session = start.headers().firstValue("Mcp-Session-Id").orElseThrow();
            http.send(
                    post(url, key, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                            .header("Mcp-Session-Id", session)
                            .header("MCP-Protocol-Version", "2025-11-25")
                            .build(),
                    BodyHandlers.discarding());
            return session;
        }
    }

    private static HttpRequest.Builder post(String url, String key, String body) {
        return HttpRequest.newBuilder(URI.create(url + "/mcp"))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("X-API-Key", key)
                .POST(BodyPublishers.ofString(body));
    }
}
