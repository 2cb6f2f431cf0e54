package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CatalogueRouteTest {
    private static final String TOOLS = "/api/mcp/tools";
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void anyoneSeesTheWholeCatalogue() throws Exception {
        var got = server.send(server.anonymously(TOOLS));

        assertThat(got.status()).isEqualTo(200);
        assertThat(got.json()
                        .get("tools")
                        .valueStream()
                        .map(tool -> tool.get("name").asString()))
                .containsExactly(
                        "AP_Create",
                        "AP_Read",
                        "AP_Destroy",
                        "AP_Chat",
                        "AK_List",
                        "AK_Create",
                        "AK_Update",
                        "AK_Delete",
                        "find_tools",
                        "describe_tool",
                        "run_tool",
                        "run_plan");
        assertThat(got.json().at("/tools/0").propertyNames())
                .containsExactly(
                        "name",
                        "title",
                        "description",
                        "family",
                        "capability",
                        "effect",
                        "route",
                        "inputSchema",
                        "outputSchema",
                        "annotations");
        assertThat(got.at("/tools/0/route/path")).isEqualTo("/demo/v1/Engine/tps/agent/create");
        assertThat(got.at("/tools/2/annotations/destructiveHint")).isEqualTo("true");
    }

    @Test
    void aViewerSeesWhatItMayUse() throws Exception {
        var got = server.send(server.anonymously(TOOLS).header("X-Api-Key", "viewer"));

        assertThat(got.json()
                        .get("tools")
                        .valueStream()
                        .map(tool -> tool.get("name").asString()))
                .containsExactly("AP_Read", "AK_List", "find_tools", "describe_tool", "run_tool", "run_plan");
        assertThat(server.send(server.anonymously(TOOLS + "/AP_Create").header("X-Api-Key", "viewer"))
                        .problem())
                .isEqualTo("403 not_permitted");
    }

    @Test
    void oneToolIsReadByItsName() throws Exception {
        assertThat(server.get(TOOLS + "/AP_Read").at("/inputSchema/properties/target/required/0"))
                .isEqualTo("agent");

        var unknown = server.get(TOOLS + "/AP_Rea");
        assertThat(unknown.problem()).isEqualTo("404 unknown_service");
        assertThat(unknown.at("/detail")).contains("did you mean AP_Read?");
    }

    @Test
    void anyToolCanBeInvoked() throws Exception {
        assertThat(server.post(TOOLS + "/AP_Chat/invoke", "{\"content\":\"hello\"}")
                        .at("/heard"))
                .isEqualTo("hello");
        assertThat(server.post(TOOLS + "/AK_Create/invoke", "{\"name\":\"n\"}").status())
                .isEqualTo(200);
        assertThat(server.runner.requests.getLast().strict()).isTrue();
    }

    @Test
    void aRefusalOfTheToolIsItsEnvelope() throws Exception {
        var unknown = server.post(TOOLS + "/AP_Chat/invoke", "{\"content\":\"x\",\"contents\":1}");

        assertThat(unknown.refusal()).isEqualTo("400 1004 invalid_field");
        assertThat(unknown.note()).contains("did you mean content?");
        assertThat(server.post(TOOLS + "/AP_Chat/invoke", "{\"content\":\"too often\"}")
                        .refusal())
                .isEqualTo("429 4001 rate_limited");
    }

    @Test
    void whatDoesNotReachAToolIsAProblem() throws Exception {
        assertThat(server.post(TOOLS + "/AP_Chatt/invoke", "{}").problem()).isEqualTo("404 unknown_service");
        assertThat(server.get(TOOLS + "/AP_Chat/invoke").problem()).isEqualTo("405 method_not_allowed");
        assertThat(server.post(TOOLS + "/AP_Chat/invoke", "{\"content\":\"crash\"}")
                        .problem())
                .isEqualTo("500 internal");
        assertThat(server.send(server.anonymously(TOOLS + "/AP_Chat/invoke")
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{}")))
                        .problem())
                .isEqualTo("401 unauthenticated");
    }
}
