package io.agentworkspace.engine.mcp.endpoint;

import static io.agentworkspace.engine.web.server.SampleServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.wire.SendsAnything;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class McpEndpointTest {
    private static SampleServer server;

    @BeforeAll
    static void start() {
        server = new SampleServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void theContractsOwnRequestListsTheToolsInCatalogueOrder() {
        var response = server.mcp("""
                {"jsonrpc": "2.0", "id": "1", "method": "tools/list", "params": {}}""");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
        var message = json(response);
        assertThat(message.propertyNames()).containsExactly("jsonrpc", "id", "result");
        assertThat(message.get("id").asString()).isEqualTo("1");
        assertThat(names(message))
                .containsExactly(
                        "AP_Read", "AP_Create", "DM_Destroy", "MB_Censor", "find_tools", "describe_tool", "run_tool");
        assertThat(message.at("/result/tools/0").propertyNames())
                .containsExactly("name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta");
    }

    @Test
    void aKeyIsShownOnlyTheToolsThatItMayUse() {
        assertThat(names(json(as(server.keys.add(Role.OWNER, "agent:read"), "tools/list", "{}"))))
                .containsExactly("AP_Read", "find_tools", "describe_tool", "run_tool");
        assertThat(names(json(as(server.keys.add(Role.VIEWER, "*"), "tools/list", "{}"))))
                .containsExactly("AP_Read", "find_tools", "describe_tool", "run_tool");
    }

    @Test
    void aToolAnswersOnceAsStructureAndOnceAsTextWithTheHeaderInMeta() {
        var result = call("AP_Read", """
                {"target": {"agent": "Ada"}}""").get("result");
        assertThat(result.at("/structuredContent/greeting").asString()).isEqualTo("hello Ada");
        assertThat(result.at("/structuredContent/status/success").asBoolean()).isTrue();
        assertThat(result.at("/content/0/type").asString()).isEqualTo("text");
        assertThat(Json.text(result.get("structuredContent")))
                .isEqualTo(result.at("/content/0/text").asString());
        assertThat(Json.text(result.at("/structuredContent/status"))).isEqualTo("{\"success\":true}");
        assertThat(result.get("structuredContent").has("header")).isFalse();
        assertThat(result.at(McpResult.HEADER + "/service").asString()).isEqualTo("AP_Read");
        assertThat(result.has("isError")).isFalse();
    }

    @Test
    @SendsAnything
    void argumentsMayBeLeftOut() {
        for (var params : List.of("{\"name\": \"AP_Read\"}", "{\"name\": \"AP_Read\", \"arguments\": null}")) {
            assertThat(json(as(server.key, "tools/call", params))
                            .at("/result/structuredContent/greeting")
                            .asString())
                    .isEqualTo("hello world");
        }
    }

    @Test
    void aToolsFailureIsAResultWithItsNote() {
        var result = call("AP_Create", "{}").get("result");
        assertThat(result.get("isError").asBoolean()).isTrue();
        assertThat(result.at("/content/0/text").asString())
                .isEqualTo(Json.text(result.get("structuredContent")))
                .contains("vx.name is required");
        assertThat(result.at("/structuredContent/status/internal_code").asInt()).isEqualTo(1003);
        assertThat(result.at("/structuredContent/status/note").asString()).isEqualTo("vx.name is required");
    }

    @Test
    void anUnknownArgumentIsRefused() {
        var result = call("AP_Read", "{\"targe\": {}}").get("result");
        assertThat(result.at("/structuredContent/status/internal_code").asInt()).isEqualTo(1004);
        assertThat(result.at("/content/0/text").asString()).contains("did you mean target?");
    }

    /** The most frequent mistake of models. */
    @Test
    void anArgumentOutsideItsObjectIsAcceptedOrShownItsPlace() {
        var result = call("AP_Read", "{\"agent\": \"scout\"}").get("result");
        assertThat(result.at("/structuredContent/greeting").asString()).isEqualTo("hello scout");
        var inner = call("AP_Read", "{\"target\": {\"agnet\": \"scout\"}}").get("result");
        assertThat(inner.at("/structuredContent/status/note").asString()).endsWith("did you mean target.agent?");
    }

    @Test
    void aToolThatTheKeyDoesNotAllowAnswersAsTheRunnerDoes() {
        var reader = server.keys.add(Role.OWNER, "agent:read");
        var result =
                json(as(reader, "tools/call", "{\"name\": \"DM_Destroy\"}")).get("result");
        assertThat(result.get("isError").asBoolean()).isTrue();
        assertThat(result.at("/structuredContent/status/internal_code").asInt()).isEqualTo(2003);
    }

    @Test
    void aToolIsFoundByTheWordsOfItsTitle() {
        var error =
                call("create_agent", "{\"target\": {\"context\": \"mine\"}}").get("error");
        assertThat(error.get("message").asString())
                .contains("there is no tool 'create_agent'; did you mean AP_Create?");
        assertThat(error.at("/data/header").has("context")).isFalse();
        assertThat(call("xyzzy", "{}").at("/error/message").asString()).contains("tools/list shows all");
    }

    @Test
    void anUnknownToolIsAProtocolErrorThatNamesTheNearest() {
        var error = call("AP_Reed", "{}").get("error");
        assertThat(error.get("code").asInt()).isEqualTo(-32602);
        assertThat(error.get("message").asString()).contains("AP_Read");
        assertThat(error.at("/data/status/internal_code").asInt()).isEqualTo(1002);
        assertThat(error.at("/data/header/service").asString()).isEqualTo("AP_Reed");
        assertThat(call("x".repeat(100_000), "{}").toString().length()).isLessThan(2_000);
        assertThat(call("", "{}").at("/error/code").asInt()).isEqualTo(-32602);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"name\": null}",
                "{\"name\": 7}",
                "{\"name\": {}}",
                "{\"name\": \"AP_Read\", \"arguments\": []}",
                "{\"name\": \"AP_Read\", \"arguments\": \"x\"}"
            })
    void brokenParamsAreInvalidParams(String params) {
        var response = as(server.key, "tools/call", params);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(json(response).at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(json(response).at("/error/data/note").asString()).contains("params.");
    }

    @Test
    void pingAnswersWithNothing() {
        assertThat(json(as(server.key, "ping", "{}")).get("result").isEmpty()).isTrue();
    }

    @Test
    void anUnknownMethodNamesTheNearest() {
        var response = as(server.key, "tool/list", "{}");
        assertThat(response.statusCode()).isEqualTo(200);
        var error = json(response).get("error");
        assertThat(error.get("code").asInt()).isEqualTo(-32601);
        assertThat(error.get("message").asString()).contains("did you mean tools/list");
        assertThat(error.at("/data/request_id").asString()).isNotEmpty();
        assertThat(json(as(server.key, "no/such/method", "{}"))
                        .at("/error/message")
                        .asString())
                .contains("tools/call");
        assertThat(as(server.key, "m".repeat(50_000), "{}").body().length()).isLessThan(1_000);
    }

    @Test
    @SendsAnything
    void aNotificationIsTakenAndNeverAnswered() {
        for (var method : List.of("notifications/initialized", "tools/call", "no/such/method")) {
            var response = server.mcp("{\"jsonrpc\": \"2.0\", \"method\": \"%s\"}".formatted(method));
            assertThat(response.statusCode()).isEqualTo(202);
            assertThat(response.body()).isEmpty();
        }
    }

    @Test
    void aRepeatedIdempotencyKeyReplaysAndSaysSo() {
        var call = """
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                 "params": {"name": "AP_Create", "arguments": {"vx": {"name": "Ada"}}}}""";
        var first = server.mcp(call, "Idempotency-Key", "k-1");
        var second = server.mcp(call, "Idempotency-Key", "k-1");
        assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
        assertThat(second.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void onlyPostIsTaken() {
        for (var method : List.of("GET", "DELETE", "PUT", "PATCH", "HEAD")) {
            var response = server.send(
                    "/mcp",
                    request -> request.method(method, BodyPublishers.noBody()).header("X-Api-Key", server.key));
            assertThat(response.statusCode()).as(method).isEqualTo(405);
            assertThat(response.headers().firstValue("Allow")).hasValue("POST");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/jsonx", "application/json; charset=latin1", "text/json", ";"})
    void anyOtherContentTypeIsRefused(String type) {
        assertThat(typed(type)).isEqualTo(415);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"application/json", "Application/JSON", "application/json;charset=UTF-8", "application/json; v=1"
            })
    void jsonIsTakenHoweverItIsWritten(String type) {
        assertThat(typed(type)).isEqualTo(200);
    }

    @Test
    void aMissingContentTypeOrACompressedBodyIsRefused() {
        var ping = BodyPublishers.ofString("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}");
        assertThat(server.send("/mcp", request -> request.POST(ping).header("X-Api-Key", server.key))
                        .statusCode())
                .isEqualTo(415);
        assertThat(server.mcp("{}", "Content-Encoding", "gzip").statusCode()).isEqualTo(415);
    }

    @Test
    void aRefusedRequestIsAnsweredWithItsId() {
        for (var body : List.of(
                "{'id':'seven','method':'ping'}",
                "{'jsonrpc':'1.0','id':'seven','method':'ping'}",
                "{'jsonrpc':'2.0','id':'seven','method':7}",
                "{'jsonrpc':'2.0','id':'seven'}",
                "{'jsonrpc':'2.0','id':'seven','method':'ping','params':[]}")) {
            var answer = json(server.mcp(body.replace('\'', '"')));
            assertThat(answer.has("error")).as(body).isTrue();
            assertThat(answer.path("id").asString("")).as(body).isEqualTo("seven");
        }
        var response = "{\"id\":\"seven\",\"result\":{}}";
        assertThat(json(server.mcp(response)).path("id").asString("")).isEmpty();
    }

    @Test
    void neitherAcceptNorAProtocolVersionIsAskedFor() {
        var ping = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}";
        assertThat(server.mcp(ping, "Accept", "text/html", "MCP-Protocol-Version", "2025-06-18")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aDefectInAToolIsA500WithoutItsDetails() {
        var response = as(server.key, "tools/call", "{\"name\": \"MB_Censor\"}");
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(json(response).at("/error/code").asInt()).isEqualTo(-32603);
        assertThat(response.body()).doesNotContain("secret");
    }

    private static int typed(String type) {
        var ping = BodyPublishers.ofString("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}");
        return server.send(
                        "/mcp",
                        request -> request.POST(ping)
                                .header("X-Api-Key", server.key)
                                .header("Content-Type", type))
                .statusCode();
    }

    private static JsonNode call(String tool, String arguments) {
        return json(as(server.key, "tools/call", "{\"name\": \"%s\", \"arguments\": %s}".formatted(tool, arguments)));
    }

    private static HttpResponse<String> as(String key, String method, String params) {
        var body = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"%s\", \"params\": %s}".formatted(method, params);
        return server.send(
                "/mcp",
                request -> request.POST(BodyPublishers.ofString(body))
                        .header("Content-Type", "application/json")
                        .header("X-Api-Key", key));
    }

    private static List<String> names(JsonNode message) {
        return message.at("/result/tools")
                .valueStream()
                .map(tool -> tool.get("name").asString())
                .toList();
    }
}
