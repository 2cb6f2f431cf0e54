package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDraft;
import io.agentworkspace.engine.rest.RestFacade;
import io.agentworkspace.engine.testing.IdleTool.Nothing;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.web.server.TestKeys;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/** A call that only computes ends when its client has gone, however the client was to get the response. */
class AbandonedComputationTest {
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final AtomicInteger ENDED = new AtomicInteger();
    private static SampleServer server;
    private static RawMcpClient peer;

    @BeforeAll
    static void start() {
        var fixtures = Fixtures.offer();
        var tools = new FixtureTools();
        tools.add("computes", "Computes for ever.", _ -> compute());
        var features = new ServedContent(
                fixtures.identity(),
                fixtures.instructions(),
                List.of(tools),
                List.of(),
                List.of(),
                fixtures.extensions());
        var tenants = new TenantStore(TestDatabase.db());
        var now = Instant.now();
        var tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", now);
        var user = tenants.createUser(tenant, Name.of("owner"), Role.OWNER, now);
        server = new SampleServer(features, new TestKeys(tenant, user), rest());
        peer = new RawMcpClient(server.url("/mcp").toString(), server.key);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Returns the REST facade with commands that compute, one that reads and one that writes. */
    private static Handler rest() {
        var commands = List.<Tool<?, ?>>of(
                command("AP_Read", "agent/read").handledBy(Nothing.class, Nothing.class, (_, _) -> compute()),
                command("AP_Modify", "agent/modify")
                        .effect(Effect.CHANGES)
                        .handledBy(Nothing.class, Nothing.class, (_, _) -> compute()));
        var runner = TestDatabase.runner(new Catalogue(commands), TestDatabase.db(), new EventLog());
        var addresses = new PublicAddresses("http://127.0.0.1", "http://127.0.0.1", "0");
        return RestFacade.handler(
                runner,
                (_, _) -> List.of(),
                addresses,
                TestDatabase.db()::state,
                null,
                null,
                null,
                null,
                null,
                Clock.systemUTC());
    }

    private static ToolDraft command(String name, String path) {
        return Tool.named(name)
                .title(name)
                .description("Computes for ever.")
                .needs(Capability.AGENT_READ)
                .route("POST", "/demo/v1/Engine/tps/" + path)
                .alsoAt("POST", "/api/agents/" + name);
    }

    private static <T> T compute() {
        STARTED.incrementAndGet();
        try {
            var allowance = new StepAllowance(Long.MAX_VALUE, () -> Problem.unavailable());
            while (true) {
                allowance.take(10);
            }
        } finally {
            ENDED.incrementAndGet();
        }
    }

    /** @param rest what the client sends of its next request before it goes */
    @ParameterizedTest
    @CsvSource(textBlock = """
            bare,    application/json,                    ''
            bare,    'application/json, text/event-stream', ''
            modern,  application/json,                    ''
            modern,  'application/json, text/event-stream', ''
            session, application/json,                    ''
            session, 'application/json, text/event-stream', ''
            bare,    application/json,                    '\n'
            modern,  'application/json, text/event-stream', 'POST /mcp HTTP/1.1'
            """)
    void itEndsWhenTheClientCloses(String lane, String accept, String rest) throws IOException {
        var started = STARTED.get();
        var ended = ENDED.get();
        try (var socket = new Socket("127.0.0.1", server.url("/").getPort())) {
            var request = lane.equals("modern") ? peer.request("tools/call", "{'name': 'computes'}", "{}") : old();
            write(socket, "/mcp", request.toString(), headers(lane, request), accept);
            await().until(() -> STARTED.get() > started);
            socket.getOutputStream().write(rest.getBytes(StandardCharsets.US_ASCII));
        }
        await().until(() -> ENDED.get() > ended);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            /demo/v1/Engine/tps,              '{"service":"AP_Read"}'
            /demo/v1/Engine/tps/agent/read,   {}
            /demo/v1/Engine/tps/agent/modify, {}
            /api/agents/AP_Read,              {}
            /api/agents/AP_Modify,            {}
            /api/mcp/tools/AP_Read/invoke,    {}
            /api/mcp/tools/AP_Modify/invoke,  {}
            /api/mcp/tools/run_tool/invoke,   '{"name":"AP_Read","arguments":{}}'
            """)
    void itEndsWhenTheClientOfARouteCloses(String path, String body) throws IOException {
        var started = STARTED.get();
        var ended = ENDED.get();
        try (var socket = new Socket("127.0.0.1", server.url("/").getPort())) {
            write(socket, path, body, List.of(), "application/json");
            await().until(() -> STARTED.get() > started);
        }
        await().until(() -> ENDED.get() > ended);
    }

    /** The connection stays open, since the client uses it for other requests. */
    @Test
    void itEndsWhenTheClientWithdrawsTheRequest() throws IOException {
        var session = peer.session("2025-11-25", "{}");
        var started = STARTED.get();
        var ended = ENDED.get();
        try (var socket = new Socket("127.0.0.1", server.url("/").getPort())) {
            var headers = List.of("Mcp-Session-Id", session.id(), "MCP-Protocol-Version", session.version());
            write(socket, "/mcp", old().toString(), headers, "application/json, text/event-stream");
            await().until(() -> STARTED.get() > started);
            session.post("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':7}}");
            await().until(() -> ENDED.get() > ended);
        }
        assertThat(ENDED.get()).isEqualTo(STARTED.get());
    }

    private static ObjectNode old() {
        return RawMcpClient.json(
                "{'jsonrpc':'2.0','id':7,'method':'tools/call','params':{'name':'computes','arguments':{}}}");
    }

    private static List<String> headers(String lane, ObjectNode request) {
        return switch (lane) {
            case "modern" -> RawMcpClient.mirrored(request);
            case "session" -> {
                var session = peer.session("2025-11-25", "{}");
                yield List.of("Mcp-Session-Id", session.id(), "MCP-Protocol-Version", session.version());
            }
            default -> List.of();
        };
    }

    private static void write(Socket socket, String path, String request, List<String> headers, String accept)
            throws IOException {
        var body = request.getBytes(StandardCharsets.UTF_8);
        var lines = new ArrayList<String>();
        lines.add("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json".formatted(path));
        lines.add("Accept: " + accept);
        lines.add("X-Api-Key: " + server.key);
        lines.add("Content-Length: " + body.length);
        for (var i = 0; i < headers.size(); i += 2) {
            lines.add(headers.get(i) + ": " + headers.get(i + 1));
        }
        var out = socket.getOutputStream();
        out.write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(body);
    }
}
