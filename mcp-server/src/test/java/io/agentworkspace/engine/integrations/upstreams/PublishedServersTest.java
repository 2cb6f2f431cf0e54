package io.agentworkspace.engine.integrations.upstreams;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Servers as their packages are published. An official client compares what each gives it directly with what it gives it through the
 * engine, value by value; then the server restarts. {@link GatewayTable} has the
 * differences that are decided.
 */
@Tag("slow")
class PublishedServersTest {
    @TempDir
    private static Path folder;

    /** The servers, each with a call and a part of what it answers. */
    enum Server {
        EVERYTHING(
                List.of(module("@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp"),
                "echo",
                "{'message':'hi'}",
                "Echo: hi"),
        SDK_1(List.of(Node.script("frameworks.mjs")), "add", "{'a':2,'b':40}", "42"),
        SDK_2(List.of(Node.script("frameworks.mjs")), "add", "{'a':2,'b':40}", "42"),
        FASTMCP(List.of(Node.script("frameworks.mjs")), "add", "{'a':2,'b':40}", "42"),
        FRAMEWORK(List.of(Node.script("frameworks.mjs")), "add", "{'a':2,'b':40}", "42"),
        PLAYWRIGHT(
                List.of(
                        module("@playwright/mcp/cli.js"),
                        "--headless",
                        "--port",
                        "3000",
                        "--host",
                        "127.0.0.1",
                        "--allowed-hosts",
                        "*",
                        "--executable-path",
                        "/nonexistent/browser"),
                "browser_navigate",
                "{'url':'about:blank'}",
                "rror"), // There is no browser.
        CONTEXT7(
                List.of(module("@upstash/context7-mcp/dist/index.js"), "--transport", "http", "--port", "3000"),
                "resolve-library-id",
                "{'query':'a clock','libraryName':'react'}",
                "rror"), // It cannot reach its service.
        SUPERGATEWAY(
                List.of(
                        module("supergateway/dist/index.js"),
                        "--stdio",
                        "%s %s"
                                .formatted(
                                        module(".bin/node"),
                                        module("@modelcontextprotocol/server-memory/dist/index.js")),
                        "--port",
                        "3000",
                        "--outputTransport",
                        "streamableHttp",
                        "--stateful"),
                "read_graph",
                "{}",
                "entities"),
        SUPERGATEWAY_WITHOUT_SESSIONS(
                List.of(
                        module("supergateway/dist/index.js"),
                        "--stdio",
                        "%s %s"
                                .formatted(
                                        module(".bin/node"),
                                        module("@modelcontextprotocol/server-sequential-thinking/dist/index.js")),
                        "--port",
                        "3000",
                        "--outputTransport",
                        "streamableHttp"),
                "sequentialthinking",
                "{'thought':'x','nextThoughtNeeded':false,'thoughtNumber':1,'totalThoughts':1}",
                "thoughtNumber"),
        MCP_PROXY(
                List.of(
                        module("mcp-proxy/dist/bin/mcp-proxy.mjs"),
                        "--port",
                        "3000",
                        "--host",
                        "127.0.0.1",
                        "--",
                        module(".bin/node"),
                        module("@modelcontextprotocol/server-filesystem/dist/index.js"),
                        "."),
                "list_allowed_directories",
                "{}",
                "Allowed directories"),
        MCP_PROXY_WITHOUT_SESSIONS(
                List.of(
                        module("mcp-proxy/dist/bin/mcp-proxy.mjs"),
                        "--port",
                        "3000",
                        "--host",
                        "127.0.0.1",
                        "--stateless",
                        "--no-modern",
                        "--",
                        module(".bin/node"),
                        module("@modelcontextprotocol/server-memory/dist/index.js")),
                "read_graph",
                "{}",
                "entities");

        final List<String> command;
        final String tool;
        final String arguments;
        final String answer;

        Server(List<String> command, String tool, String arguments, String answer) {
            this.command = command;
            this.tool = tool;
            this.arguments = arguments;
            this.answer = answer;
        }

        /** Its name in the engine, which is short so that no name of a tool is cut. */
        String id() {
            return "s" + ordinal();
        }

        /** What it is, for readers. */
        String words() {
            return switch (this) {
                case EVERYTHING -> named("@modelcontextprotocol/server-everything");
                case SDK_1 -> "a server of ours with everything, made with " + named("@modelcontextprotocol/sdk");
                case SDK_2 -> "the same, made with " + named("@modelcontextprotocol/server");
                case FASTMCP -> "a server of ours, made with " + named("fastmcp");
                case FRAMEWORK -> "a server of ours, made with " + named("mcp-framework");
                case PLAYWRIGHT -> named("@playwright/mcp") + ", without a browser";
                case CONTEXT7 -> named("@upstash/context7-mcp") + ", without a way to its service";
                case SUPERGATEWAY -> behind("server-memory", "supergateway");
                case SUPERGATEWAY_WITHOUT_SESSIONS ->
                    behind("server-sequential-thinking", "supergateway") + ", without sessions";
                case MCP_PROXY -> behind("server-filesystem", "mcp-proxy");
                case MCP_PROXY_WITHOUT_SESSIONS -> behind("server-memory", "mcp-proxy") + ", without sessions";
            };
        }

        private static String behind(String program, String bridge) {
            return "%s behind %s".formatted(named("@modelcontextprotocol/" + program), named(bridge));
        }

        private static String named(String name) {
            return "`%s` %s".formatted(name, Node.version(name));
        }

        /** Calls that answer the same each time. */
        String calls() {
            return switch (this) {
                case EVERYTHING -> """
                    {'echo':{'message':'hi'},'get-sum':{'a':2,'b':40},'get-resource-links':{'count':3},'get-tiny-image':{},
                     'get-annotated-message':{'messageType':'error','includeImage':true},'get-resource-reference':{},
                     'get-structured-content':{'location':'Chicago'},
                     'gzip-file-as-resource':{'name':'a.gz','data':'data:text/plain,hello'}}\
                    """;
                case SDK_1, SDK_2 -> "{'add':{'a':2,'b':40},'show':{},'titled':{}}";
                case SUPERGATEWAY, MCP_PROXY_WITHOUT_SESSIONS -> "{'read_graph':{},'search_nodes':{'query':'x'}}";
                case MCP_PROXY -> """
                    {'list_allowed_directories':{},'read_media_file':{'path':'a.png'},'read_text_file':{'path':'a.txt'},
                     'read_text_file ':{'path':'none'},'get_file_info':{'path':'a.txt'}}\
                    """;
                default -> "{'%s':%s}".formatted(tool, arguments);
            };
        }

        PublishedServer start() {
            try {
                var home = Files.createDirectory(folder.resolve(id()));
                Files.writeString(home.resolve("a.txt"), "text");
                Files.write(home.resolve("a.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G'});
                return new PublishedServer(home, "/mcp", Map.of("KIND", name(), "PORT", "3000"), command);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Map<Server, PublishedServer> servers = Map.of();
    private static final TestTenant TENANT = new TestTenant();
    private static final String KEY = TENANT.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private static final Map<Server, Map<String, String>> CELLS = new EnumMap<>(Server.class);
    private static Process comparison;
    private static BufferedReader answers;
    private final TestCaller root = TestCaller.of(ClientApi.MCP, KEY);

    private static String module(String name) {
        return Node.module(name).toString();
    }

    @BeforeAll
    static void start() throws IOException {
        Node.require();
        var builder = new ProcessBuilder(Node.module(".bin/node").toString(), Node.script("gateway.mjs"))
                .redirectError(folder.resolve("errors").toFile());
        builder.environment().putAll(Node.COMPILED);
        builder.environment().put("ENGINE_KEY", KEY);
        comparison = builder.start();
        answers = comparison.inputReader();
        servers = new EnumMap<>(Server.class);
        Stream.of(Server.values()).forEach(each -> servers.put(each, each.start()));
        servers.values().forEach(PublishedServer::awaitStart);
    }

    @AfterAll
    static void end() {
        servers.values().forEach(PublishedServer::close);
        comparison.destroy();
        if (CELLS.size() == Server.values().length) {
            var servers = new LinkedHashMap<String, Map<String, String>>();
            CELLS.forEach((server, cells) -> servers.put(server.words(), cells));
            Golden.checkPart(Repository.file("docs/dev/conformance.md"), "gateway", GatewayTable.page(servers));
        }
    }

    private static JsonNode ordered(ObjectNode order) throws IOException {
        comparison.outputWriter().append(Json.text(order)).append('\n').flush();
        var answer = answers.readLine();
        assertThat(answer).as(Files.readString(folder.resolve("errors"))).isNotNull();
        var json = Json.read(answer.getBytes(UTF_8));
        assertThat(json.path("failed").asString("")).isEmpty();
        return json;
    }

    /** Returns what the clients get that have been connected to the engine all the time. */
    private static List<JsonNode> again(Server server) throws IOException {
        var order = Json.object().put("again", server.id()).put("tool", server.id() + "_" + server.tool);
        order.set("arguments", RawMcpClient.json(server.arguments));
        var answers = ordered(order).path("answers").valueStream().toList();
        assertThat(answers).hasSize(2);
        return answers;
    }

    /** Lets a server end its sessions: it answers with 404 from then on. */
    private static void forget(PublishedServer server) throws IOException {
        URI.create(server.url()).resolve("/forget").toURL().openStream().close();
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    void whatGoesThroughIsWholeAlsoAfterARestart(Server server) throws IOException {
        var published = servers.get(server);
        var made = root.call(
                        "UP_Install",
                        "{'name':'%s','url':'%s','approve':'all'}".formatted(server.id(), published.url()))
                .ok();
        assertThat(made.text("/upstream/last_error")).isEmpty();
        assertThat(made.texts("/upstream/tools", "state")).isNotEmpty().containsOnly("approved");
        var order = Json.object()
                .put("server", server.id())
                .put("direct", published.url())
                .put("through", TestServer.url() + "/mcp/x/all");
        order.set("calls", RawMcpClient.json(server.calls()));
        var compared = ordered(order);
        var rows = GatewayTable.cells(compared.path("rows"));
        assertThat(made.text("/upstream/era"))
                .isEqualTo(compared.path("version").asString());
        rows.put("newest protocol of the server", compared.path("version").asString());
        if (server == Server.SDK_1) {
            forget(published);
            assertThat(again(server))
                    .allSatisfy(answer -> assertThat(answer.toString()).contains(server.answer));
        }
        published.restart();
        assertThat(again(server))
                .allSatisfy(answer -> assertThat(answer.toString()).contains(server.answer));
        rows.put("a server that restarts", "whole");
        rows.put("sessions that end", compared.path("hasSessions").asBoolean() ? "whole" : "–");
        var refreshed =
                root.call("UP_Refresh", "{'name':'%s'}".formatted(server.id())).ok();
        assertThat(refreshed.text("/upstream/last_error")).isEmpty();
        CELLS.put(server, rows);
    }
}
