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
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A call that waits for an answer on one replica goes on when another one receives it. */
@Tag("slow")
class UpstreamReplicasTest {
    private static final String FORM = """
            {'message':'Who is it?','requestedSchema':{'type':'object','properties':{'name':{'type':'string'}}}}""";
    private static final String CALL = "{'name':'demo_ask','arguments':{}}";

    private final String key = new TestTenant().key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));

    private void install(AskingUpstream upstream, int timeout) {
        TestCaller.of(ClientApi.MCP, key)
                .call(
                        "UP_Install",
                        "{'name':'demo','url':'%s','approve':'all','timeout_ms':%d}".formatted(upstream.url(), timeout))
                .ok();
    }

    private static JsonNode answered(RawMcpClient client, JsonNode response, String name) {
        var params = RawMcpClient.json(CALL);
        params.set("requestState", response.at("/result/requestState"));
        var responses = params.putObject("inputResponses");
        response.at("/result/inputRequests")
                .propertyNames()
                .forEach(question -> responses
                        .putObject(question)
                        .put("action", "accept")
                        .putObject("content")
                        .put("name", name));
        return client.modern("tools/call", Json.text(params));
    }

    @Test
    void anotherReplicaGoesOnWithTheCall() {
        try (var upstream = new AskingUpstream();
                var other = TestServer.replica()) {
            upstream.conduct = talk -> {
                var names = new StringBuilder();
                for (var i = 0; i < 3; i++) {
                    names.append(talk.ask("elicitation/create", FORM)
                            .at("/result/content/name")
                            .asString());
                }
                return names.toString();
            };
            install(upstream, 60_000);
            var here = new RawMcpClient(TestServer.url() + "/mcp", key);
            var there = new RawMcpClient(other.url() + "/mcp", key);
            var large = "x".repeat(100_000);
            var second = answered(there, here.modern("tools/call", CALL), large);
            var third = answered(here, second, "Ada");
            assertThat(answered(there, third, "Bob")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo(large + "AdaBob");
            assertThat(upstream.calls("tools/call")).isEqualTo(1);
            // What has failed there is told here, and what nobody has is no secret.
            upstream.conduct = talk -> {
                talk.ask("elicitation/create", FORM);
                throw new IllegalStateException("it broke");
            };
            assertThat(note(answered(there, here.modern("tools/call", CALL), "Ada")))
                    .contains("'demo'", "it broke");
        }
    }

    private static String note(JsonNode answer) {
        return answer.at("/result/structuredContent/status/note").asString("");
    }

    @Test
    void aCallWhoseReplicaIsGoneIsOver() {
        try (var upstream = new AskingUpstream()) {
            upstream.conduct = talk -> Json.text(talk.ask("elicitation/create", FORM));
            install(upstream, 1_000);
            JsonNode response;
            try (var other = TestServer.replica()) {
                response = new RawMcpClient(other.url() + "/mcp", key).modern("tools/call", CALL);
            }
            await().until(() -> upstream.calls("tools/call") == 1);
            var here = new RawMcpClient(TestServer.url() + "/mcp", key);
            assertThat(note(answered(here, response, "Ada")))
                    .contains("waits on no replica any more", "whether the call was carried out is unknown");
        }
    }
}
