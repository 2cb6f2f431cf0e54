package io.agentworkspace.engine.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The demo belongs to admins whose credential may do all that it does, so that it is never built or removed half-way. */
class DemoAccessTest {
    private final TestTenant tenant = new TestTenant();
    private final String owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));

    @AfterEach
    void remove() {
        ask("DELETE", owner, "");
    }

    @Test
    void itTakesNoQuery() {
        var response = send("GET", owner, "", "?x=1");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(new String(response.body(), StandardCharsets.UTF_8)).contains("'x' is not a query parameter");
    }

    private static JsonNode ask(String method, String key, String body) {
        return Json.read(send(method, key, body, "").body());
    }

    private static HttpResponse<byte[]> send(String method, String key, String body, String query) {
        return ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/demo" + query))
                .method(method, BodyPublishers.ofString(body))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .build());
    }

    private Reply call(String tool, String arguments) {
        var input = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(TestServer.url(), owner, tool, input);
    }

    private List<String> keys() {
        return call("AK_List", "{}").ok().texts("/keys", "name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'capabilities':['*'],'toolset':['readonly']",
                "'capabilities':['*'],'toolset':['agent','domain']",
                "'capabilities':['agent:write','bank:write']",
                "'capabilities':['*'],'agent':'Ada'"
            })
    void aNarrowKeyChangesNothing(String fields) {
        call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        var key = call("AK_Create", "{'name':'narrow'," + fields + "}").ok().text("/api_key");
        assertThat(ask("POST", key, "").path("error").asString()).isEqualTo("not_permitted");
        assertThat(keys()).noneMatch(name -> name.startsWith("demo "));

        ask("POST", owner, "{\"action\":\"start\",\"seconds\":600}");
        var before = keys();
        assertThat(before).filteredOn(name -> name.startsWith("demo ")).hasSize(3);
        for (var action : List.of("pause", "resume", "replay")) {
            assertThat(ask("POST", key, "{\"action\":\"%s\"}".formatted(action))
                            .path("error")
                            .asString())
                    .isEqualTo("not_permitted");
        }
        assertThat(ask("DELETE", key, "").path("error").asString()).isEqualTo("not_permitted");
        assertThat(keys()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void removingTheDemoRemovesItsKeys() {
        ask("POST", owner, "{\"action\":\"start\",\"seconds\":600}");
        ask("DELETE", owner, "");
        assertThat(keys()).noneMatch(name -> name.startsWith("demo "));
    }
}
