package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.wire.SendsAnything;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** A text that no database can store is refused anywhere in the params, before anything is looked up by it. */
class UnstorableTextsTest {
    private static final String DECLARED = "{'extensions': {'io.modelcontextprotocol/tasks': {}}}";
    private static final String NUL = "a\\u0000b";

    private final RawMcpClient peer = new RawMcpClient(
            TestServer.url() + "/mcp", new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*")));

    private static void assertRefused(HttpResponse<String> response, JsonNode id) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        var answer = RawMcpClient.json(response);
        assertThat(answer.get("id")).isEqualTo(id);
        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(answer.at("/error/message").asString())
                .contains("params.")
                .contains("must not contain NUL characters or unpaired surrogates")
                .hasSizeLessThan(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            tasks/get                | {'taskId': 'BAD'}
            tasks/update             | {'taskId': 'BAD', 'inputResponses': {}}
            tasks/update             | {'taskId': 'x', 'inputResponses': {'BAD': {}}}
            tasks/cancel             | {'taskId': 'BAD'}
            subscriptions/listen     | {'notifications': {'taskIds': ['x', 'BAD']}}
            subscriptions/listen     | {'notifications': {'resourceSubscriptions': ['engine://agents/BAD']}}
            resources/read           | {'uri': 'engine://agents/BAD'}
            resources/directory/read | {'uri': 'skill://BAD'}
            skills/get               | {'uri': 'skill://BAD/SKILL.md'}
            prompts/get              | {'name': 'first-steps', 'arguments': {'task': 'BAD'}}
            prompts/get              | {'name': 'first-steps', 'arguments': {'BAD': 'x'}}
            prompts/get              | {'name': 'BAD'}
            completion/complete      | {'ref': {'type': 'ref/resource', 'uri': 'engine://agents/{agent}'}, 'argument': {'name': 'agent', 'value': 'BAD'}}
            tools/call               | {'name': 'BAD'}""")
    void requestsThatStandAlone(String method, String params) {
        var request = peer.request(method, params.replace("BAD", NUL), DECLARED);
        var headers = RawMcpClient.mirrored(request);
        headers.replaceAll(UnstorableTextsTest::encoded);
        assertRefused(peer.send(request, headers), request.get("id"));
    }

    /** Encodes a value for a header, as required for values that are not visible ASCII. */
    private static String encoded(String value) {
        var bytes = value.getBytes(StandardCharsets.UTF_8);
        return value.contains("\0")
                ? "=?base64?%s?=".formatted(Base64.getEncoder().encodeToString(bytes))
                : value;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            resources/subscribe   | {'uri': 'engine://agents/BAD'}
            resources/unsubscribe | {'uri': 'BAD'}
            resources/read        | {'uri': 'BAD'}
            logging/setLevel      | {'level': 'BAD'}
            completion/complete   | {'ref': {'type': 'ref/prompt', 'name': 'BAD'}, 'argument': {'name': 'task', 'value': ''}}""")
    void requestsOfSessions(String method, String params) {
        var talk = peer.session("2025-11-25", "{}");
        for (var bad : List.of(NUL, "\\u0000", "\\ud800", "x\\udc00")) {
            var body = talk.body(method, params.replace("BAD", bad));
            assertRefused(talk.post(body), RawMcpClient.json(body).get("id"));
        }
    }

    @Test
    @SendsAnything
    void aToolsArgumentsAreRefusedByTheTool() {
        var call = "{'name': 'AP_Read', 'arguments': {'content': '%s'}}".formatted(NUL);
        var result = peer.modern("tools/call", call).get("result");
        assertThat(result.at("/structuredContent/status/internal_code").asInt()).isEqualTo(1004);
    }
}
