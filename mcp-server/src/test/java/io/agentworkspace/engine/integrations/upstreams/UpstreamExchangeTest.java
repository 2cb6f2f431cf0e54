package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.upstreams.ScriptedUpstream.Manner;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What passes between the clients of calls and upstream servers besides arguments and results. */
class UpstreamExchangeTest {
    private static final String WRITES = """
            {'name':'save','description':'Saves.','inputSchema':{'type':'object','properties':{'message':{'type':'string'}}},
             'annotations':{'destructiveHint':false}}""";

    private final TestTenant tenant = new TestTenant();
    private final String rootKey = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, rootKey);

    private void install(String name, ScriptedUpstream upstream) {
        root.call("UP_Install", "{'name':'%s','url':'%s','approve':'all'}".formatted(name, upstream.url()))
                .ok();
    }

    private static RawMcpClient client(String key) {
        return new RawMcpClient(TestServer.url() + "/mcp", key);
    }

    private static JsonNode call(String key, String tool, String arguments) {
        return client(key).modern("tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments));
    }

    /** What a server asks goes to the client's person, with its origin, and the answers go back; in both lanes. */
    @Test
    void questionsAndAnswersPass() {
        try (var upstream = new ScriptedUpstream(true, WRITES)) {
            install("demo", upstream);
            var ask = "{'name':'demo_save','arguments':{'message':'ask'}}";
            var first = client(rootKey).modern("tools/call", ask).path("result");
            assertThat(first.path("resultType").asString()).isEqualTo("input_required");
            assertThat(first.at("/inputRequests/upstream.who/params/message").asString())
                    .isEqualTo("The server 'demo' asks: Who is it?");
            assertThat(first.path("requestState").asString()).doesNotContain("kept");
            var answers =
                    "'inputResponses':{'upstream.who':{'action':'accept','content':{'name':'Ada'}},'other':{'action':'cancel'}}";
            var second = client(rootKey)
                    .modern(
                            "tools/call",
                            ask.replace(
                                    "}}",
                                    "},%s,'requestState':'%s'}"
                                            .formatted(
                                                    answers,
                                                    first.path("requestState").asString())));
            assertThat(second.at("/result/structuredContent").toString())
                    .isEqualTo(
                            "{\"said\":\"ask\",\"answers\":{\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}},"
                                    + "\"state\":\"kept\"}");
            var plain = client(rootKey).modern("tools/call", ask, "{}").path("result");
            assertThat(plain.at("/structuredContent/status/note").asString()).contains("your client cannot answer");

            var session = client(rootKey).session("2025-11-25", "{'elicitation':{}}");
            try (var events = session.events("tools/call", ask)) {
                var question = events.next();
                assertThat(question.at("/params/message").asString()).contains("'demo' asks");
                session.post("{'jsonrpc':'2.0','id':'%s','result':{'action':'decline'}}"
                        .formatted(question.path("id").asString()));
                assertThat(events.next().at("/result/structuredContent/answers").toString())
                        .isEqualTo("{\"who\":{\"action\":\"decline\"}}");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void metadataPassesBothWays(boolean modern) {
        try (var upstream = new ScriptedUpstream(modern, ScriptedUpstream.ECHO)) {
            install("demo", upstream);
            var call = "{'name':'demo_echo','arguments':{'message':'hi'},'_meta':{'example.com/a':7}}";
            for (var answer : List.of(
                    client(rootKey).modern("tools/call", call),
                    client(rootKey).session("2025-11-25", "{}").call("tools/call", call))) {
                assertThat(answer.at("/result/_meta/example.com~1a").asInt()).isEqualTo(7);
            }
        }
    }

    /** A call whose client leaves is cancelled at its server. */
    @Test
    void cancellationPasses() {
        try (var upstream = new ScriptedUpstream(false, WRITES)) {
            root.call("UP_Install", "{'name':'demo','url':'%s','approve':'all'}".formatted(upstream.url()))
                    .ok();
            call(rootKey, "demo_save", "{'message':'x'}");
            var session = client(rootKey).session("2025-11-25", "{}");
            upstream.manner = Manner.HANGS;
            var body = session.body("tools/call", "{'name':'demo_save','arguments':{'message':'y'}}");
            try (var _ = session.start(body)) {
                await().until(() -> upstream.calls("tools/call") == 2);
                upstream.manner = Manner.ANSWERS;
                session.post("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':%s}}"
                        .formatted(body.replaceAll(".*'id': (\\d+).*", "$1")));
                await().until(() -> upstream.calls("notifications/cancelled") == 1);
            }
        }
    }

    /** Each user has a token of their own, in exchange for an assertion of who they are. */
    @ParameterizedTest
    @CsvSource({"true, token_exchange", "false, token_exchange", "true, id_jag", "false, id_jag"})
    void noServerGetsTheSessionOfOneUserWithTheCredentialOfAnother(boolean modern, String kind) throws Exception {
        try (var upstream = new ScriptedUpstream(modern, ScriptedUpstream.ECHO)) {
            root.call("UP_Install", """
                    {'name':'demo','url':'%s','approve':'all','credential':
                     {'kind':'%s','token_url':'%s','client_id':'me','client_secret':'hush','scope':'read'}}""".formatted(upstream.url(), kind, upstream.tokenUrl()))
                    .ok();
            var mia = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("*"));
            var sessions = new ConcurrentHashMap<String, Set<String>>();
            try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
                var calls = IntStream.range(0, 20)
                        .mapToObj(i -> pool.submit(() -> call(
                                i % 2 == 0 ? rootKey : mia,
                                "demo_echo",
                                "{'message':'by-%s'}".formatted(i % 2 == 0 ? "root" : "mia"))))
                        .toList();
                for (var each : calls) {
                    assertThat(each.get().at("/result/content/0/text").asString())
                            .startsWith("Echo: by-");
                }
            }
            for (var i = 0; i < upstream.requests.size(); i++) {
                var by =
                        upstream.requests.get(i).at("/params/arguments/message").asString("");
                var sent = upstream.headersOf(upstream.requests.get(i));
                if (by.isEmpty()) {
                    continue;
                }
                assertThat(sent.get("Authorization")).containsExactly("Bearer for-" + by.substring(3));
                if (!modern) {
                    sessions.computeIfAbsent(by, _ -> ConcurrentHashMap.newKeySet())
                            .addAll(sent.get("Mcp-session-id"));
                }
            }
            if (!modern) {
                assertThat(sessions.get("by-root")).hasSize(1).doesNotContainAnyElementsOf(sessions.get("by-mia"));
            }
            assertThat(upstream.subjects.stream().map(each -> ScriptedUpstream.claim(each, "name")))
                    .contains("root", "mia");
            var subject = upstream.subjects.getFirst();
            if (kind.equals("id_jag")) {
                assertThat(upstream.forms).allMatch(form -> form.contains("grant-type%3Ajwt-bearer&assertion="));
                assertThat(ScriptedUpstream.part(subject, 0, "typ")).isEqualTo("oauth-id-jag+jwt");
                assertThat(ScriptedUpstream.claim(subject, "aud"))
                        .isEqualTo(upstream.tokenUrl().replace("/token", ""));
                assertThat(ScriptedUpstream.claim(subject, "client_id")).isEqualTo("me");
                assertThat(ScriptedUpstream.claim(subject, "resource")).isEqualTo(upstream.url());
                assertThat(ScriptedUpstream.claim(subject, "scope")).isEqualTo("read");
                assertThat(upstream.subjects.stream().map(each -> ScriptedUpstream.claim(each, "jti")))
                        .doesNotHaveDuplicates();
            } else {
                assertThat(upstream.forms).allMatch(form -> form.contains("grant-type%3Atoken-exchange"));
                assertThat(ScriptedUpstream.claim(subject, "aud")).isEqualTo(upstream.tokenUrl());
            }
            assertThat(ScriptedUpstream.claim(subject, "iss")).isEqualTo(TestServer.url());
            // The engine itself accepts no such assertion.
            var request = HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/mcp/tools"))
                    .header("Authorization", "Bearer " + subject)
                    .build();
            try (var http = HttpClient.newHttpClient()) {
                assertThat(http.send(request, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(401);
            }
            // One user whose token is refused is no outage for others.
            upstream.refusesTokens = true;
            var zoe = tenant.key(ClientApi.MCP, "zoe", Role.MEMBER, List.of("*"));
            for (var i = 0; i < UpstreamHealth.PATIENCE + 1; i++) {
                assertThat(call(zoe, "demo_echo", "{'message':'by-zoe'}").toString())
                        .contains("no token");
            }
            assertThat(call(mia, "demo_echo", "{'message':'by-mia'}")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("Echo: by-mia");
        }
    }
}
