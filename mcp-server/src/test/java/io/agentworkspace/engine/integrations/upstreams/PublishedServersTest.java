package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers as their packages are published, each installed, listed, called, changed and restarted. */
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

        String id() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-').replaceAll("^(.{1,20}).*", "$1");
        }

        boolean grows() {
            return this == SDK_1 || this == SDK_2 || this == FASTMCP;
        }

        PublishedServer start() {
            try {
                var home = Files.createDirectory(folder.resolve(id()));
                return new PublishedServer(home, "/mcp", Map.of("KIND", id(), "PORT", "3000"), command);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Map<Server, PublishedServer> servers = Map.of();
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, key);
    private final RawMcpClient client = new RawMcpClient(TestServer.url() + "/mcp", key);

    private static String module(String name) {
        return Node.module(name).toString();
    }

    @BeforeAll
    static void start() {
        Node.require();
        servers = new java.util.EnumMap<>(Server.class);
        Stream.of(Server.values()).forEach(each -> servers.put(each, each.start()));
        servers.values().forEach(PublishedServer::awaitStart);
    }

    @AfterAll
    static void end() {
        servers.values().forEach(PublishedServer::close);
    }

    private String called(Server server, String tool, String arguments) {
        var name = root.call("UP_Read", "{'name':'%s'}".formatted(server.id()))
                .ok()
                .at("/upstream/tools")
                .valueStream()
                .filter(each -> each.path("tool").asString("").equals(tool))
                .findFirst()
                .orElseThrow()
                .path("name")
                .asString();
        return client.modern("tools/call", "{'name':'%s','arguments':%s}".formatted(name, arguments), "{}")
                .path("result")
                .toString();
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    void isInstalledListedCalledChangedAndRestarted(Server server) {
        var published = servers.get(server);
        var made = root.call(
                        "UP_Install",
                        "{'name':'%s','url':'%s','approve':'all'}".formatted(server.id(), published.url()))
                .ok();
        assertThat(made.text("/upstream/last_error")).isEmpty();
        assertThat(made.texts("/upstream/tools", "state")).isNotEmpty().containsOnly("approved");
        var listed = new RawMcpClient(TestServer.url() + "/mcp/x/" + server.id(), key).modern("tools/list", "{}");
        assertThat(listed.at("/result/tools")).hasSameSizeAs(made.texts("/upstream/tools", "state"));
        assertThat(called(server, server.tool, server.arguments)).contains(server.answer);
        if (server.grows()) {
            try (var _ = client.session("2025-11-25", "{}").listen()) {
                await().until(
                                () -> { // It is announced to those who listen by then.
                                    called(server, "grow", "{}");
                                    return root.call("UP_Read", "{'name':'%s'}".formatted(server.id()))
                                            .ok()
                                            .texts("/upstream/tools", "reason")
                                            .contains("it is new");
                                });
            }
        }
        published.restart();
        assertThat(called(server, server.tool, server.arguments)).contains(server.answer);
        var again =
                root.call("UP_Refresh", "{'name':'%s'}".formatted(server.id())).ok();
        assertThat(again.text("/upstream/last_error")).isEmpty();
    }
}
