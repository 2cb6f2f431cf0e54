package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.http.SampleServer;
import io.agentworkspace.engine.mcp.source.ServerFeatures;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.scheduling.StepAllowance;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
        server = new SampleServer(new ServerFeatures(
                fixtures.identity(),
                fixtures.instructions(),
                List.of(tools),
                List.of(),
                List.of(),
                fixtures.extensions()));
        peer = new RawMcpClient(server.url("/mcp").toString(), server.key);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static MethodResult compute() {
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
            write(socket, request, headers(lane, request), accept);
            await().until(() -> STARTED.get() > started);
            socket.getOutputStream().write(rest.getBytes(StandardCharsets.US_ASCII));
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
            write(socket, old(), headers, "application/json, text/event-stream");
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

    private static void write(Socket socket, ObjectNode request, List<String> headers, String accept)
            throws IOException {
        var body = request.toString().getBytes(StandardCharsets.UTF_8);
        var lines = new ArrayList<String>();
        lines.add("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json");
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
