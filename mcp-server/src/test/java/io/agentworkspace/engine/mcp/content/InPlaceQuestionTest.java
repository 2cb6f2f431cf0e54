package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Ann's agent Ada asks Ann, whose MCP client shows her a form. */
class InPlaceQuestionTest {
    private static final String CALL =
            "{'name':'AP_Ask','arguments':{'content':'Deploy?','choices':['yes','no'],'target':{'context':'Ada'}%s}%s}";
    private static final String ANSWER = ",'requestState':'%s','inputResponses':{'answer':%s}";
    private static final String ACCEPT = "{'action':'accept','content':{'answer':'%s'}}";
    private static final String QUESTION = "/result/structuredContent/question";

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));
    private final RawMcpClient client = new RawMcpClient(TestServer.url() + "/mcp", key);

    InPlaceQuestionTest() {
        call("AP_Create", "{'vx':{'name':'Ada','description':'An agent.'}}");
        call("AP_LogOn", "{'target':{'agent':'Ada','context':'Ada'}}");
    }

    /** Calls without the ability to be asked, as the console does. */
    private JsonNode call(String tool, String arguments) {
        var result = client.modern("tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments), "{}");
        assertThat(result.at("/result/isError").asBoolean()).as("%s", result).isFalse();
        return result.at("/result/structuredContent");
    }

    private JsonNode modern(String more, String outside) {
        return client.modern("tools/call", CALL.formatted(more, outside));
    }

    private JsonNode answered(JsonNode question, String answer) {
        return modern("", ANSWER.formatted(question.at("/result/requestState").asString(), answer));
    }

    private JsonNode inbox() {
        return call("US_Inbox", "{}");
    }

    private String openQuestion() {
        return call("AP_Read", "{'target':{'agent':'Ada'}}")
                .findValue("question")
                .path("id")
                .asString();
    }

    @Test
    void aStatelessClientAsksItsPerson() {
        var question = modern("", "");
        assertThat(question.at("/result/resultType").asString()).isEqualTo("input_required");
        var form = question.at("/result/inputRequests/answer/params");
        assertThat(form.path("message").asString()).isEqualTo("Ada asks:\n\nDeploy?");
        assertThat(form.at("/requestedSchema/properties/answer/enum/1").asString())
                .isEqualTo("no");
        var done = answered(question, ACCEPT.formatted("no"));
        assertThat(done.at(QUESTION + "/state").asString()).isEqualTo("answered");
        assertThat(done.at(QUESTION + "/answer").asString()).isEqualTo("no");
        assertThat(done.at(QUESTION + "/answered_by").asString()).isEqualTo("ann");
        var answer = done.at("/result/structuredContent/content/1");
        assertThat(answer.path("content").asString()).isEqualTo("no");
        assertThat(answer.path("from").asString()).isEqualTo("ann");
        assertThat(answer.has("person")).isFalse();
        var repeated = answered(question, ACCEPT.formatted("yes"));
        assertThat(repeated.at(QUESTION + "/answer").asString()).isEqualTo("no");
        var heard = call("AP_Wait", "{'wait_seconds':0,'target':{'context':'Ada'}}");
        assertThat(heard.path("content")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'action':'decline'}",
                "{'action':'cancel'}",
                "{'action':'accept','content':{'answer':'maybe'}}",
                "{'action':'accept'}"
            })
    void withoutAnAnswerTheQuestionStaysOpen(String answer) {
        var done = answered(modern("", ""), answer);
        assertThat(done.at("/result/isError").asBoolean()).isFalse();
        assertThat(done.at(QUESTION + "/state").asString()).isEqualTo("open");
        if (answer.contains("maybe")) {
            assertThat(done.at("/result/structuredContent/next").asString()).contains("must be one of: yes, no");
        }
        assertThat(inbox().toString()).contains("Deploy?");
    }

    @Test
    void theFirstAnswerWins() {
        var question = modern("", "");
        var id = openQuestion();
        call("AP_Answer", "{'question':'%s','choice':'yes'}".formatted(id));
        var done = answered(question, ACCEPT.formatted("no"));
        assertThat(done.at(QUESTION + "/answer").asString()).isEqualTo("yes");
        assertThat(done.at("/result/structuredContent/content/1/content").asString())
                .isEqualTo("yes");
    }

    /** The connection of the first call broke; meanwhile Ann wrote something else, and then answered in the console. */
    @Test
    void aRepeatedCallLeavesUnreadWhatItDoesNotReturn() {
        var again = ",'wait_seconds':5,'idempotency_key':'deploy'";
        modern(again, "");
        call("AP_Chat", "{'target':{'agent':'Ada','context':'console'},'content':'Let me think.'}");
        var question = modern(again, "");
        assertThat(question.at("/result/resultType").asString()).isEqualTo("input_required");
        var wait = "{'wait_seconds':0,'target':{'context':'Ada'}}";
        assertThat(call("AP_Wait", wait).at("/content/0/content").asString()).isEqualTo("Let me think.");
        call("AP_Answer", "{'question':'%s','choice':'yes'}".formatted(openQuestion()));
        var done = modern(again, "");
        assertThat(done.at(QUESTION + "/answer").asString()).isEqualTo("yes");
        assertThat(done.at("/result/structuredContent/content")
                        .valueStream()
                        .map(message -> message.path("content").asString()))
                .contains("yes");
        assertThat(call("AP_Wait", wait).path("content")).isEmpty();
    }

    @Test
    void aSessionAsksOnTheStreamOfTheCall() {
        var session = client.session("2025-11-25", RawMcpClient.ALL);
        try (var events = session.events("tools/call", CALL.formatted("", ""))) {
            var question = events.next();
            assertThat(question.path("method").asString()).isEqualTo("elicitation/create");
            session.post(
                    "{'jsonrpc':'2.0','id':%s,'result':%s}".formatted(question.get("id"), ACCEPT.formatted("yes")));
            assertThat(events.next().at(QUESTION + "/answer").asString()).isEqualTo("yes");
        }
    }

    @Test
    void anAnswerElsewhereEndsTheWaitOfASession() {
        var session = client.session("2025-11-25", RawMcpClient.ALL);
        try (var events = session.events("tools/call", CALL.formatted(",'wait_seconds':200", ""))) {
            var question = events.next();
            var id = openQuestion();
            call("AP_Answer", "{'question':'%s','choice':'no'}".formatted(id));
            var withdrawn = events.next();
            assertThat(withdrawn.path("method").asString()).isEqualTo("notifications/cancelled");
            assertThat(withdrawn.at("/params/requestId")).isEqualTo(question.get("id"));
            assertThat(events.next().at(QUESTION + "/answer").asString()).isEqualTo("no");
        }
    }

    @Test
    void aSessionsClientThatCannotAnswerIsNoError() {
        var session = client.session("2025-11-25", RawMcpClient.ALL);
        try (var events = session.events("tools/call", CALL.formatted("", ""))) {
            var id = events.next().get("id");
            session.post("{'jsonrpc':'2.0','id':%s,'error':{'code':-1,'message':'no'}}".formatted(id));
            assertThat(events.next().at(QUESTION + "/state").asString()).isEqualTo("open");
        }
    }

    @Test
    void othersAreNotAskedInPlace() {
        call("AP_Create", "{'vx':{'name':'Ala','description':'An agent.'}}");
        var other = client.modern(
                "tools/call",
                "{'name':'AP_Ask','arguments':{'content':'Well?','target':{'agent':'Ala','context':'Ada'}}}");
        assertThat(other.at(QUESTION + "/state").asString()).isEqualTo("open");
        assertThat(modern(",'wait_seconds':0", "").at(QUESTION + "/state").asString())
                .isEqualTo("open");
        var question = call("AP_Ask", "{'content':'Well?','target':{'context':'Ada'}}");
        assertThat(question.at("/question/state").asString()).isEqualTo("open");
    }

    @Test
    void aForgedStateAnswersNothing() {
        var question = modern("", "");
        var forged = modern(
                "", ANSWER.formatted("x" + question.at("/result/requestState").asString(), ACCEPT.formatted("yes")));
        assertThat(forged.at("/error/code").asInt()).isEqualTo(-32602);
        var without = modern("", ",'inputResponses':{'answer':%s}".formatted(ACCEPT.formatted("yes")));
        assertThat(without.at("/result/resultType").asString()).isEqualTo("input_required");
    }

    @ParameterizedTest
    @CsvSource({"legacy,2025-11-25", "2026-07-28,2026-07-28"})
    @Tag("slow")
    void theOfficialClientIsAsked(String mode, String revision) {
        Node.require();
        var ended =
                Node.run(Map.of("ENGINE_KEY", key), List.of(Node.script("ask.mjs"), mode, TestServer.url() + "/mcp"));
        assertThat(ended.code()).as(ended.errors()).isZero();
        var got = Json.read(ended.output().getBytes(StandardCharsets.UTF_8));
        assertThat(got.path("version").asString()).isEqualTo(revision);
        assertThat(got.at("/forms/0/message").asString()).isEqualTo("Ada asks:\n\nDeploy?");
        assertThat(got.at(QUESTION + "/answer").asString()).isEqualTo("no");
    }
}
