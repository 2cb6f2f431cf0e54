package io.agentworkspace.engine.a2a.endpoint;

import static io.agentworkspace.engine.testing.DomainSetup.agent;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Who sees which card, and that what may not be seen is not there: the responses are the same, byte for byte. */
class AgentCardsTest {
    private static final String CARD = "/.well-known/agent-card.json";

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
    private final String other = new TestTenant().key(ClientApi.REST, "mia", Role.OWNER, List.of("*"));

    AgentCardsTest() {
        var bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);
        agent(bob, "Ben", "public");
        agent(bob, "Bea", "private");
    }

    private String tenantName() {
        return tenant.name(ClientApi.REST);
    }

    private static HttpResponse<byte[]> card(String url, String key, String agent) {
        return new A2aClient(url, key, agent).send("GET", CARD, "", "", "");
    }

    /** Returns all of a response but the request's id, the address that was asked for, and the time. */
    private static String shape(HttpResponse<byte[]> response) {
        var headers = response.headers().map().keySet().stream().sorted().toList();
        var body = new String(response.body(), StandardCharsets.UTF_8)
                .replaceAll("\"(request_id|instance)\":\"[^\"]*\"", "\"$1\"");
        return response.statusCode() + " " + headers + " " + body;
    }

    @Test
    void whatACallerMayNotSeeIsNotThere() {
        var url = TestServer.url();
        var seen = Json.readObject(card(url, key, "Ben").body());
        assertThat(seen.path("name").asString()).isEqualTo("Ben");
        assertThat(seen.at("/supportedInterfaces/0/url").asString()).isEqualTo(url + "/a2a/Ben");
        assertThat(seen.at("/signatures/0/protected").isString()).isTrue();
        var missing = shape(card(url, key, "Nobody"));
        assertThat(missing).startsWith("404");
        assertThat(shape(card(url, key, "Bea"))).isEqualTo(missing);
        assertThat(shape(card(url, other, "Ben"))).isEqualTo(missing);
        assertThat(shape(card(url, other, "Ben@" + tenantName()))).isEqualTo(missing);
        var noAddress = shape(post(url, key, "Nobody"));
        assertThat(noAddress).startsWith("200").contains("\"error\"", "NOT_FOUND");
        var overHttp = new A2aClient(url, key, "Nobody").http("GET", "/tasks", "");
        assertThat(overHttp.statusCode()).isEqualTo(404);
        assertThat(Json.readObject(overHttp.body()).at("/error/status").asString())
                .isEqualTo("NOT_FOUND");
        assertThat(shape(post(url, key, "Bea"))).isEqualTo(noAddress);
        assertThat(shape(post(url, other, "Ben"))).isEqualTo(noAddress);
        assertThat(shape(post(url, other, "Ben@" + tenantName()))).isEqualTo(noAddress);
        assertThat(post(url, key, "Ben@" + tenantName()).statusCode()).isEqualTo(200);
    }

    private static HttpResponse<byte[]> post(String url, String key, String agent) {
        return new A2aClient(url, key, agent)
                .send("POST", "", "{'jsonrpc':'2.0','id':1,'method':'ListTasks'}", "application/json", "1.0");
    }

    @Test
    void strangersSeeNothingUnlessItIsPublic() {
        var url = TestServer.url();
        var missing = shape(card(url, "", "Nobody@" + tenantName()));
        assertThat(missing).startsWith("404");
        for (var agent : List.of("Ben", "Ben@" + tenantName(), "Bea@" + tenantName(), "Ben@none")) {
            assertThat(shape(card(url, "", agent))).isEqualTo(missing);
        }
        assertThat(shape(post(url, "", "Ben"))).startsWith("401").isEqualTo(shape(post(url, "", "Nobody")));
        assertThat(card(url, "ek_wrong", "Ben").statusCode()).isEqualTo(401);
        try (var open = TestServer.start(Map.of("ENGINE_A2A_PUBLIC", "true"))) {
            var shown = Json.readObject(
                    card(open.baseUrl(), "", "ben@" + tenantName()).body());
            assertThat(shown.path("name").asString()).isEqualTo("Ben");
            assertThat(shown.at("/supportedInterfaces/1/url").asString())
                    .isEqualTo(open.baseUrl() + "/a2a/ben@" + tenantName());
            assertThat(card(open.baseUrl(), other, "ben@" + tenantName()).statusCode())
                    .as("who is of another tenant sees what a stranger sees")
                    .isEqualTo(200);
            for (var agent : List.of("Ben", "Bea@" + tenantName(), "Ben@none")) {
                assertThat(shape(card(open.baseUrl(), "", agent))).isEqualTo(missing);
            }
        }
    }

    @Test
    void theEngineHasACardAndAnswersWithTheAgentsOfTheCaller() {
        var engine = Json.readObject(new A2aClient(TestServer.url(), "", "")
                .send("GET", CARD, "", "", "")
                .body());
        assertThat(engine.path("skills")
                        .valueStream()
                        .map(skill -> skill.path("id").asString()))
                .containsExactly("find-agents");
        var root = new A2aClient(TestServer.url(), key, "");
        var found = ask(root, "Be");
        assertThat(found.at("/message/role").asString()).isEqualTo("ROLE_AGENT");
        assertThat(found.at("/message/parts/1/data/agents")
                        .valueStream()
                        .map(each -> each.path("name").asString()))
                .containsExactly("Ben");
        assertThat(found.at("/message/parts/1/data/agents/0/card").asString())
                .isEqualTo(TestServer.url() + "/a2a/Ben" + CARD);
        assertThat(ask(new A2aClient(TestServer.url(), other, ""), "Be")
                        .at("/message/parts/1/data/agents")
                        .isEmpty())
                .isTrue();
        assertThat(root.code("GetTask", "{'id':'x'}")).isEqualTo(-32001);
        assertThat(root.code("Nothing", "{}")).isEqualTo(-32601);
        assertThat(root.result("ListTasks", "{}").path("tasks").isEmpty()).isTrue();
        var stream = new String(root.http("POST", "/message:stream", A2aClient.message("Be", ""))
                .body());
        assertThat(stream).contains("data: {\"message\"", "Ben");
        assertThat(root.result("GetExtendedAgentCard", "{}").path("name").asString())
                .isEqualTo("Agent Workspace Engine");
    }

    private static ObjectNode ask(A2aClient root, String text) {
        return root.result("SendMessage", A2aClient.message(text, ""));
    }

    @Test
    void oneSettingSwitchesItOff() {
        try (var off = TestServer.start(Map.of("ENGINE_A2A", "off"))) {
            assertThat(card(off.baseUrl(), key, "Ben").statusCode()).isEqualTo(404);
            assertThat(post(off.baseUrl(), key, "Ben").statusCode()).isEqualTo(404);
            assertThat(new A2aClient(off.baseUrl(), "", "")
                            .send("GET", CARD, "", "", "")
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    /** The tag of a card changes with the card, not with each signature. */
    @Test
    void aCardIsReadAgainOnlyIfItHasChanged() {
        var first = card(TestServer.url(), key, "Ben");
        var again = card(TestServer.url(), key, "Ben");
        assertThat(first.headers().firstValue("ETag"))
                .isPresent()
                .isEqualTo(again.headers().firstValue("ETag"));
        assertThat(first.headers().firstValue("Cache-Control")).hasValue("private, max-age=300");
    }
}
