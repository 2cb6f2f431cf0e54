package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Tool;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Examples of one call of a tool, for several kinds of clients. Each can be pasted and run, with the key in
 * {@code ENGINE_KEY}.
 */
final class Snippets {
    /**
     * @param id short and unique on a page
     * @param needs what must be installed to run it; empty if a shell is enough
     */
    record Snippet(String id, String title, String needs, String code) {}

    private static final int LINE = 40;

    private final PublicAddresses published;
    private final Tool<?, ?> tool;
    private final ObjectNode arguments;

    private Snippets(PublicAddresses published, Tool<?, ?> tool, ObjectNode arguments) {
        this.published = published;
        this.tool = tool;
        this.arguments = arguments;
    }

    static List<Snippet> of(PublicAddresses published, Tool<?, ?> tool, ObjectNode arguments) {
        var snippets = new Snippets(published, tool, arguments);
        return List.of(
                new Snippet("curl", "curl", "", snippets.curl()),
                new Snippet("mcp", "MCP", "JSON-RPC 2.0, without a handshake", snippets.mcp()),
                new Snippet(
                        "typescript",
                        "TypeScript",
                        "npm install @modelcontextprotocol/client; save as call.mjs, node call.mjs",
                        snippets.typescript()),
                new Snippet("python", "Python", "no package; save as call.py, python3 call.py", snippets.python()),
                new Snippet("java", "Java", "no library; save as Call.java, java Call.java", snippets.java()));
    }

    private String curl() {
        var method = tool.route().method();
        var head = "curl -s %s'%s' \\\n  -H \"X-Api-Key: $ENGINE_KEY\""
                .formatted(method.equals("POST") || method.equals("GET") ? "" : "-X " + method + " ", address());
        if (tool.hasLines()) { // Without it, the answer is the whole file.
            return head + " \\\n  -H 'Accept: application/json'";
        }
        return tool.route().hasBody()
                ? head + " \\\n  -H 'Content-Type: application/json' \\\n  -d " + shell(json(body()))
                : head;
    }

    /** Returns the tool's own route. Arguments that cannot be in a body are in the query. */
    private String address() {
        var path = tool.route().path();
        for (var field : fields()) {
            if (tool.route().hasParameter(field.path())) {
                path = path.replace("{" + tool.route().parameter(field.path()) + "}", encoded(value(field)));
            }
        }
        var query = tool.route().hasBody()
                ? ""
                : fields().stream()
                        .filter(field -> !tool.route().hasParameter(field.path())
                                && !value(field).isMissingNode())
                        .map(field -> field.path() + "=" + encoded(value(field)))
                        .collect(Collectors.joining("&"));
        return published.baseUrl() + path + (query.isEmpty() ? "" : "?" + query);
    }

    private List<Field> fields() {
        return Field.of(tool.inputSchema().json());
    }

    private JsonNode value(Field field) {
        return arguments.at("/" + field.path().replace('.', '/'));
    }

    private static String encoded(JsonNode value) {
        return URLEncoder.encode(value.isArray() ? value.path(0).asString() : value.asString(), StandardCharsets.UTF_8);
    }

    private ObjectNode body() {
        var body = arguments.deepCopy();
        fields().stream()
                .filter(field -> tool.route().hasParameter(field.path()))
                .forEach(field -> Example.remove(body, field));
        return body;
    }

    private String mcp() {
        return """
                curl -s '%s/mcp' \\
                  -H "X-API-Key: $ENGINE_KEY" \\
                  -H 'Content-Type: application/json' \\
                  -d %s""".formatted(published.mcpUrl(), shell(json(rpc())));
    }

    private ObjectNode rpc() {
        var call = Json.object().put("jsonrpc", "2.0").put("id", "1").put("method", "tools/call");
        call.putObject("params").put("name", tool.name()).set("arguments", arguments);
        return call;
    }

    private String typescript() {
        return """
                import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

                const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
                await client.connect(new StreamableHTTPClientTransport(new URL('%s/mcp'), {
                  requestInit: { headers: { 'X-API-Key': process.env.ENGINE_KEY } },
                }));
                const answer = await client.callTool({
                  name: '%s',
                  arguments: %s,
                });
                console.log(JSON.stringify(answer.structuredContent, null, 2));
                await client.close();""".formatted(published.mcpUrl(), tool.name(), indented(Json.pretty(arguments), "  "));
    }

    private String python() {
        return """
                import json, os, urllib.request

                call = json.loads(r'''%s''')
                request = urllib.request.Request('%s/mcp', json.dumps(call).encode(), {
                    'Content-Type': 'application/json',
                    'X-API-Key': os.environ['ENGINE_KEY'],
                })
                with urllib.request.urlopen(request) as response:
                    answer = json.load(response)
                print(json.dumps(answer, indent=2))""".formatted(Json.pretty(rpc()), published.mcpUrl());
    }

    private String java() {
        return """
                import java.net.URI;
                import java.net.http.*;

                class Call {
                    public static void main(String[] arguments) throws Exception {
                        var call = \"""
                                %s
                                \""";
                        var request = HttpRequest.newBuilder(URI.create("%s/mcp"))
                                .header("Content-Type", "application/json")
                                .header("X-API-Key", System.getenv("ENGINE_KEY"))
                                .POST(HttpRequest.BodyPublishers.ofString(call))
                                .build();
                        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
                        System.out.println(answer.body());
                    }
                }""".formatted(
                        indented(Json.pretty(rpc()).replace("\\", "\\\\"), "                "), published.mcpUrl());
    }

    /** Returns the JSON on one line if it is short. */
    private static String json(ObjectNode value) {
        var line = Json.text(value);
        return line.length() > LINE ? indented(Json.pretty(value), "  ") : line;
    }

    private static String shell(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String indented(String text, String by) {
        return text.replace("\n", "\n" + by);
    }
}
