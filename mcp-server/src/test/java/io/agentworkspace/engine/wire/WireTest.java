package io.agentworkspace.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.RefusalWriter;
import io.agentworkspace.engine.web.server.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The validation of all messages can fail: shown with a server that responds as it is told. */
@Tag("slow")
class WireTest {
    private static final String EVENTS = "text/event-stream";
    private static final String MODERN = """
            '_meta': {'io.modelcontextprotocol/protocolVersion': '2026-07-28', \
            'io.modelcontextprotocol/clientCapabilities': {}}""";

    private static WebServer server;
    private static volatile String type = "";
    private static volatile String answer = "";
    private static volatile Throwable broken;

    @BeforeAll
    static void start() throws Exception {
        server = WebServer.bind("127.0.0.1", 0);
        server.serve(new Wire(new Parrot()), new RefusalWriter(Clock.systemUTC()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static final class Parrot extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Content.Source.asString(request);
            if (broken != null) {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, EVENTS);
                var why = broken;
                response.write(
                        false,
                        ByteBuffer.wrap(new byte[] {':', '\n', '\n'}),
                        Callback.from(() -> callback.failed(why)));
                return true;
            }
            if (answer.isEmpty()) {
                response.setStatus(202);
                callback.succeeded();
                return true;
            }
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, type).put("Mcp-Session-Id", "a-session");
            response.write(true, ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)), callback);
            return true;
        }
    }

    /** Returns what the validation reports about a body and the response to it. */
    private static String said(String body, String response, String contentType, String... headers) {
        type = contentType;
        answer = response.replace('\'', '"');
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/mcp".formatted(server.port())))
                .POST(BodyPublishers.ofString(body.replace('\'', '"').replace("MODERN", MODERN.replace('\'', '"'))));
        ClientApi.send((headers.length == 0 ? request : request.headers(headers)).build());
        return String.join("\n", Faults.take());
    }

    private static String request(String method, String params) {
        return "{'jsonrpc': '2.0', 'id': 1, 'method': '%s', 'params': {%s}}".formatted(method, params);
    }

    private static String result(String result) {
        return "{'jsonrpc': '2.0', 'id': 1, 'result': %s}".formatted(result);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tools/list | {'jsonrpc': '2.0', 'id': 1, 'result': {'tools': []}}",
                "tools/list | {'jsonrpc': '2.0', 'id': 1, 'error': {'code': -32603, 'message': 'no'}}",
                "ping | {'jsonrpc': '2.0', 'id': 1, 'result': {}}",
                "skills/list | {'jsonrpc': '2.0', 'id': 1, 'result': {'skills': []}}"
            })
    void nothingIsSaidOfWhatIsValid(String method, String response) {
        assertThat(said(request(method, ""), response, "application/json")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tools/list | {'jsonrpc': '2.0', 'id': 1, 'result': {}} | 'tools' not found",
                "tools/list | {'jsonrpc': '2.0', 'id': 1, 'result': {'tools': [{'name': 'a'}]}} | 'inputSchema' not found",
                "tools/list | {'jsonrpc': '2.0', 'id': 2, 'result': {'tools': []}} | nothing that was asked",
                "tools/list | {'jsonrpc': '2.0', 'id': 1, 'result': {'resultType': 'input_required'}} | no InputRequiredResult",
                "tools/list | {'jsonrpc': '2.0', 'error': {'code': -32603, 'message': 'no'}} | without the id",
                "tools/list | `` | 0 responses to 1 requests",
                "tools/list | {'jsonrpc': '2.0', 'id': null, 'error': {'code': 1, 'message': 'no'}} | nothing that was asked",
                "tools/list | {'jsonrpc': '2.0', 'id': 1, 'error': {'code': '1', 'message': 'no'}} | integer expected",
                "tools/list | {'id': 1, 'result': {'tools': []}} | 'jsonrpc' not found",
                "tools/list | {'jsonrpc': '2.0', 'id': 1} | either a result or an error",
                "tools/list | [{'jsonrpc': '2.0', 'id': 1, 'result': {'tools': []}}] | an array",
                "tools/make | {'jsonrpc': '2.0', 'id': 1, 'result': {}} | a method that the revision has not",
                "tools/list | hello | no message"
            })
    void anAnswerThatIsNotValidIsFound(String method, String response, String words) {
        assertThat(said(request(method, ""), response, "application/json")).contains(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'resultType': 'complete', 'ttlMs': 1, 'cacheScope': 'private', 'tools': []} | ``",
                "{'resultType': 'complete', 'ttlMs': 1, 'tools': []} | 'cacheScope' not found",
                "{'ttlMs': 1, 'cacheScope': 'private', 'tools': []} | 'resultType' not found",
                "{'resultType': 'task'} | task for tools/list",
                "{'resultType': 'maybe'} | result of type maybe"
            })
    void aRequestThatSaysItsRevisionIsHeldToIt(String params, String words) {
        var found = said(request("tools/list", "MODERN"), result(params), "application/json");
        assertThat(found).contains(words);
        assertThat(found.isEmpty()).isEqualTo(words.isEmpty());
    }

    @Test
    void anErrorWithACodeOfItsOwnHasWhatBelongsToIt() {
        var error = "{'jsonrpc': '2.0', 'id': 1, 'error': {'code': -32022, 'message': 'no', 'data': {}}}";
        assertThat(said(request("tools/list", "MODERN"), error, "application/json"))
                .contains("'supported' not found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'jsonrpc': '2.0', 'method': 'notifications/resources/updated', 'params': {}} | 'uri' not found",
                "{'jsonrpc': '2.0', 'method': 'notifications/whatever'} | a message that the revision has not",
                "{'jsonrpc': '2.0', 'id': 2, 'method': 'roots/list'} | a request on a stream"
            })
    void aMessageOfAStreamThatIsNotValidIsFound(String message, String words) {
        var last = result("{'resultType': 'complete', 'content': []}");
        var stream = ":\n\nevent: message\ndata: %s\n\nevent: message\ndata: %s\n\n";
        assertThat(said(request("tools/call", "'name': 'a', MODERN"), stream.formatted(message, last), EVENTS))
                .contains(words)
                .doesNotContain("responses to");
    }

    @Test
    void aRequestHasOneResponseAndNoMore() {
        var call = request("tools/call", "'name': 'a', MODERN");
        var event = "event: message\ndata: %s\n\n";
        var progress = event.formatted(
                "{'jsonrpc': '2.0', 'method': 'notifications/progress', 'params': {'progressToken': 1, 'progress': 1}}");
        var last = event.formatted(result("{'resultType': 'complete', 'content': []}"));
        assertThat(said(call, progress + last, EVENTS)).isEmpty();
        assertThat(said(call, progress, EVENTS)).contains("0 responses to 1 requests");
        assertThat(said(call, last + progress + last, EVENTS)).contains("2 responses to 1 requests");
        assertThat(said("{'jsonrpc': '2.0', 'method': 'notifications/initialized'}", "", ""))
                .isEmpty();
        var error = "{'jsonrpc': '2.0', 'error': {'code': -32600, 'message': 'no'}}";
        assertThat(said("{'jsonrpc': '2.0', 'id': 1, 'method': 7}", error, "application/json"))
                .isEmpty();
    }

    @Test
    void whoeverHasCancelledARequestWaitsForNoResponse() {
        var cancel = "{'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': 1}}";
        said(cancel, "", "", "Mcp-Session-Id", "one-that-cancels");
        assertThat(said(request("tools/list", ""), "", "", "Mcp-Session-Id", "one-that-cancels"))
                .isEmpty();
        assertThat(said(request("tools/list", ""), "", "", "Mcp-Session-Id", "another"))
                .contains("0 responses");
    }

    @Test
    void anAnswerThatTheServerBreaksOffIsFoundAndAClientThatHungUpIsExcused() {
        for (var why :
                List.of(new EofException(), new IOException("broken pipe"), new IllegalStateException("a defect"))) {
            broken = why;
            try {
                assertThatThrownBy(() -> said(request("tools/list", ""), "", ""))
                        .isInstanceOf(UncheckedIOException.class);
            } finally {
                broken = null;
            }
            var found = String.join("\n", Faults.take());
            assertThat(found).contains(why instanceof IOException ? "" : "0 responses to 1 requests");
            assertThat(found.isEmpty()).isEqualTo(why instanceof IOException);
        }
    }

    @Test
    void aSessionIsHeldToTheRevisionThatItBeganWith() {
        var hello = "'protocolVersion': '2025-03-26', 'capabilities': {}, 'clientInfo': {'name': 'a', 'version': '1'}";
        var welcome = result(
                "{'protocolVersion': '2025-03-26', 'capabilities': {}, 'serverInfo': {'name': 'a', 'version': '1'}}");
        assertThat(said(request("initialize", hello), welcome, "application/json"))
                .isEmpty();
        var batch = "[%s]".formatted(request("tools/list", ""));
        assertThat(said(
                        batch,
                        "[%s]".formatted(result("{'tools': []}")),
                        "application/json",
                        "Mcp-Session-Id",
                        "a-session"))
                .isEmpty();
        assertThat(said(batch, "[%s]".formatted(result("{}")), "application/json", "Mcp-Session-Id", "a-session"))
                .contains("'tools' not found");
    }

    @Test
    void whatATestSendsAndHasAcceptedHasToBeValidToo() {
        assertThat(said(request("tools/call", ""), result("{'content': []}"), "application/json"))
                .contains("'name' not found");
        assertThat(said("{'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': {}}}", "", ""))
                .contains("requestId");
    }

    @Test
    void aTestWithAFaultFails() {
        Faults.report(Wire.noMessage("hello"));
        assertThatThrownBy(() -> new EveryMessageIsValid().afterEach(null))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no message");
    }

    @Test
    void whatAProcessOfItsOwnFindsIsHeardOfHere(@TempDir Path dataDir) {
        var key = new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));
        try (var engine = EngineProcess.replica(dataDir)) {
            var notification = "{'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': {}}}";
            var request = HttpRequest.newBuilder(URI.create(engine.url() + "/mcp"))
                    .headers("X-API-Key", key, "Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(notification.replace('\'', '"')));
            assertThat(ClientApi.send(request.build()).statusCode()).isEqualTo(202);
            assertThat(Faults.take()).singleElement().asString().contains("requestId");
            assertThat(Faults.take()).isEmpty();
        }
    }

    @Test
    void anAnswerOfAnotherProcessIsLookedAtWhereATestGetsIt() {
        var body = request("tools/list", "").replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        Wire.look("http://localhost:1/mcp", java.util.Map.of(), body, "{}".getBytes(StandardCharsets.UTF_8));
        assertThat(Faults.take()).singleElement().asString().contains("either a result or an error");
    }
}
