package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Servers whose streams are all that the standard of server-sent events and the protocol allow. */
class UpstreamStreamsTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, key);

    /** How a server writes the answer to each request. {@code %s} is the answer; each part is a chunk. */
    enum Manner {
        PLAIN("event: message\ndata: %s\n\n"),
        PRIMED("id: 1\ndata:\n\n", "event: message\nid: 2\ndata: %s\n\n"),
        PRIMED_WITH_A_BLANK("id: 1\ndata: \n\n", "id: 2\ndata: %s\n\n"),
        FIELD_WITHOUT_COLON("id: 1\ndata\n\n", "data: %s\n\n"),
        TWO_EMPTY_LINES_OF_DATA("data\ndata\n\n", "data: %s\n\n"),
        ID_ALONE("id: 1\n\n", "data: %s\n\n"),
        WITHOUT_DATA("event: message\n\n", "data: %s\n\n"),
        COMMENTS(": ping\n\n:\n\n:data: {}\n", "data: %s\n:end\n\n"),
        RETRY("retry: 50\n\n", "retry: soon\n\nretry:\n\n", "data: %s\n\n"),
        UNKNOWN_FIELDS("time: 1\nData: {}\n dataa: {}\ndatabase: {}\n\n", "data: %s\n\n"),
        OTHER_EVENTS("event: ping\ndata: 2026\n\n", "event: heartbeat\ndata: {}\n\n", "data: %s\n\n"),
        NO_SPACE("data:%s\n\n"),
        RETURNS("id: 1\rdata:\r\r", "data: %s\r\r"),
        RETURNS_AND_LINE_FEEDS("id: 1\r\ndata:\r\n\r\n", "data: %s\r\n\r\n"),
        CUT_LINE_ENDS("id: 1\r", "\ndata: %s\r", "\n\r", "\n"),
        BYTE_ORDER_MARK("\uFEFFdata: %s\n\n"),
        BYTE_ORDER_MARK_BEFORE_A_COMMENT("\uFEFF: hello\n\n", "data: %s\n\n"),
        NOTIFICATIONS(
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"other\",\"progress\":1}}\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n\n",
                "data: %s\n\n"),
        REQUESTS(
                "data: {\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"method\":\"ping\"}\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[],\"maxTokens\":1}}\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks/list\"}\n\n",
                "data: %s\n\n"),
        ANSWER_TO_ANOTHER(
                "data: {\"jsonrpc\":\"2.0\",\"id\":\"another\",\"result\":{\"content\":[]}}\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"id\":\"another\",\"error\":{\"code\":-32000,\"message\":\"no\"}}\n\n",
                "data: %s\n\n"),
        NO_JSON("data: [DONE]\n\n", "data: hello\n\n", "data: 7\n\n", "data: null\n\n", "data: %s\n\n"),
        ARRAY("data: [{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"},%s]\n\n"),
        SEVERAL_LINES("data: [\ndata: %s\ndata: ]\n\n"),
        NOT_THE_END("data: %s\n\n", "data: {\"jsonrpc\":\"2.0\",\"method\":\"late\"}\n\n", "data: cut");

        final List<String> parts;

        Manner(String... parts) {
            this.parts = List.of(parts);
        }

        void write(OutputStream out, String answer, int chunk) throws IOException {
            RawUpstream.head(out, "200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked");
            for (var part : parts) {
                var bytes = part.replace("%s", answer).getBytes(StandardCharsets.UTF_8);
                for (var at = 0; at < bytes.length; at += chunk) {
                    var length = Math.min(chunk, bytes.length - at);
                    out.write("%x\r\n".formatted(length).getBytes(StandardCharsets.US_ASCII));
                    out.write(bytes, at, length);
                    out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
                }
                out.flush();
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static void unlessPosted(RawUpstream.Received request, OutputStream out) throws IOException {
        if (request.body().isEmpty()) {
            RawUpstream.head(out, "405 Method Not Allowed", "Content-Length: 0");
        }
    }

    private JsonNode install(RawUpstream upstream) {
        return root.call("UP_Install", "{'name':'raw','url':'%s','approve':'all'}".formatted(upstream.url()))
                .ok()
                .at("/upstream");
    }

    private JsonNode called() {
        return new RawMcpClient(TestServer.url() + "/mcp", key)
                .modern("tools/call", "{'name':'raw_save','arguments':{}}", "{}")
                .path("result");
    }

    private void isUsable(RawUpstream upstream) {
        assertThat(install(upstream).path("last_error").asString("")).isEmpty();
        assertThat(called().at("/content/0/text").asString()).isEqualTo("Grüße, 世界");
    }

    @ParameterizedTest
    @EnumSource(Manner.class)
    void eachStreamIsReadAsTheStandardSays(Manner manner) {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            unlessPosted(request, out);
            manner.write(out, Json.text(answer), Integer.MAX_VALUE);
        })) {
            isUsable(upstream);
            if (manner == Manner.REQUESTS) {
                await().until(() -> upstream.received.stream()
                        .anyMatch(each -> each.body().path("id").asString("").equals("p-1")
                                && each.body().path("result").isObject()));
                await().until(() -> upstream.received.stream()
                        .anyMatch(each -> each.body().path("id").asInt(-1) == 2
                                && each.body().path("error").isObject()));
            }
        }
    }

    /** Some servers always write both members of an answer. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEmptyErrorBesideTheResultIsNone(boolean stream) {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            unlessPosted(request, out);
            if (answer.has("result")) {
                answer.putNull("error");
            }
            if (stream) {
                Manner.PLAIN.write(out, Json.text(answer), Integer.MAX_VALUE);
            } else {
                RawUpstream.json(out, answer);
            }
        })) {
            isUsable(upstream);
        }
    }

    /** Some servers write a byte order mark before JSON. */
    @Test
    void aByteOrderMarkBeforeTheAnswerIsNoPartOfIt() {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            unlessPosted(request, out);
            RawUpstream.head(out, "200 OK", "Content-Type: application/json; charset=UTF-8");
            RawUpstream.write(out, "\uFEFF" + Json.text(answer));
        })) {
            isUsable(upstream);
        }
    }

    /** A character, a line end and the byte order mark may be cut. */
    @ParameterizedTest
    @EnumSource(
            value = Manner.class,
            names = {"PRIMED", "CUT_LINE_ENDS", "BYTE_ORDER_MARK", "SEVERAL_LINES", "RETURNS_AND_LINE_FEEDS"})
    void eachByteMayComeAlone(Manner manner) {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            unlessPosted(request, out);
            manner.write(out, Json.text(answer), 1);
        })) {
            isUsable(upstream);
        }
    }

    /** Servers may end a stream at any time, so that no connection stays open while they work. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStreamThatEndsBeforeTheAnswerGoesOnWhereTheServerCan(boolean primesOnly) {
        var kept = new AtomicInteger();
        var last = new ObjectNode[1];
        try (var upstream = new RawUpstream((request, answer, out) -> {
            if (request.method().equals("server/discover")) {
                RawUpstream.json(out, answer);
            } else if (!request.method().isEmpty()) {
                last[0] = answer;
                RawUpstream.stream(out);
                RawUpstream.write(out, "id: %s/0\nretry: 1\ndata:\n\n".formatted(request.method()));
                if (!primesOnly) {
                    RawUpstream.write(out, "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n\ndata: {\"cut");
                }
            } else if (!request.headers().containsKey("last-event-id")) {
                RawUpstream.head(out, "405 Method Not Allowed", "Content-Length: 0");
            } else if (kept.incrementAndGet() % 2 == 1) { // It is not finished yet.
                RawUpstream.stream(out);
                RawUpstream.write(
                        out, "id: %s+1\ndata:\n\n".formatted(request.headers().get("last-event-id")));
            } else {
                RawUpstream.stream(out);
                RawUpstream.write(out, "data: %s\n\n".formatted(Json.text(last[0])));
            }
        })) {
            isUsable(upstream);
            var resumed = upstream.of("").stream()
                    .map(each -> each.headers().get("last-event-id"))
                    .filter(id -> id != null && id.startsWith("tools/call"))
                    .toList();
            assertThat(resumed).containsExactly("tools/call/0", "tools/call/0+1");
            assertThat(upstream.of("").getLast().headers()).containsEntry("mcp-session-id", "raw-1");
            assertThat(upstream.of("tools/call")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "id: 7\nretry: 1\ndata:\n\n"})
    void aStreamThatCannotGoOnIsAFailureAtOnce(String before) {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            unlessPosted(request, out);
            if (request.method().equals("tools/call")) {
                RawUpstream.stream(out);
                RawUpstream.write(out, before + "data: " + Json.text(answer) + "\n"); // Not the end of the event.
            } else {
                RawUpstream.json(out, answer);
            }
        })) {
            install(upstream);
            assertThat(called().toString()).contains("its stream ended before the answer");
        }
    }

    @Test
    void anAnswerToAnotherRequestIsNoneAndAnErrorWithoutIdIs() {
        var body = new String[1];
        try (var upstream = new RawUpstream((request, answer, out) -> {
            unlessPosted(request, out);
            RawUpstream.json(
                    out,
                    request.method().equals("tools/call")
                            ? Json.readObject(body[0].getBytes(StandardCharsets.UTF_8))
                            : answer);
        })) {
            install(upstream);
            body[0] = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"content\":[]}}";
            assertThat(called().toString()).contains("it answered 200 without a result");
            body[0] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"unreadable\"}}";
            assertThat(called().toString()).contains("error -32700: unreadable");
        }
    }

    /** The stream that a session has besides its calls goes on where it ended, too. */
    @Test
    void theStreamOfASessionGoesOn() {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            if (request.body().isEmpty()) {
                RawUpstream.stream(out);
                RawUpstream.write(out, "id: s/1\ndata:\n\n");
            } else {
                RawUpstream.json(out, answer);
            }
        })) {
            install(upstream);
            called();
            await().until(() -> upstream.of("").stream()
                    .anyMatch(each -> "s/1".equals(each.headers().get("last-event-id"))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"405 Method Not Allowed", "404 Not Found", "400 Bad Request", "200 OK"})
    void anAddressOfTheOlderTransportIsNamed(String posted) {
        try (var upstream = new RawUpstream((request, answer, out) -> {
            if (request.body().isEmpty() || posted.startsWith("200")) {
                RawUpstream.stream(out);
                RawUpstream.write(out, "event: endpoint\ndata: /messages?sessionId=1\n\n");
            } else {
                RawUpstream.head(out, posted, "Content-Type: text/plain", "Content-Length: 0");
            }
        })) {
            assertThat(install(upstream).path("last_error").asString())
                    .contains("HTTP+SSE", "2024-11-05", "Streamable HTTP", "bridge", "supergateway");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "401 Unauthorized|WWW-Authenticate: Bearer resource_metadata=\"https://x.example/m\"|requires OAuth (401)",
                "401 Unauthorized|WWW-Authenticate: bearer|requires OAuth (401)",
                "403 Forbidden|WWW-Authenticate: Bearer error=\"insufficient_scope\"|requires OAuth (403)",
                "401 Unauthorized|X-No: 1|requires a credential (401), such as a token of OAuth",
                "401 Unauthorized|WWW-Authenticate: Basic realm=\"x\"|requires a credential (401)",
                "403 Forbidden|X-No: 1|it answered 403"
            })
    void aServerThatRequiresACredentialIsNotSaidToRefuseOne(String manner) {
        var parts = manner.split("\\|");
        try (var upstream =
                new RawUpstream((_, _, out) -> RawUpstream.head(out, parts[0], parts[1], "Content-Length: 0"))) {
            assertThat(install(upstream).path("last_error").asString())
                    .contains(parts[2])
                    .doesNotContain("refused the credential");
            var header = root.call(
                            "UP_Install",
                            "{'name':'other','url':'%s','credential':{'kind':'header','value':'x'}}"
                                    .formatted(upstream.url()))
                    .ok();
            assertThat(header.text("/upstream/last_error")).contains("it refused the credential");
        }
    }
}
