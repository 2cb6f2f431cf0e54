package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RequestLogTest {
    private static final String CALL = """
            {"jsonrpc": "2.0", "id": "1", "method": "tools/call", "params": {"name": "AP_Read"}}""";

    @Test
    void aRequestIsOneLineThatSaysWhoAskedForWhat() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            var response = server.mcp(CALL, "X-Request-Id", "r-7");
            var line = line(log);
            assertThat(line)
                    .containsEntry("request_id", "r-7")
                    .containsEntry("method", "POST")
                    .containsEntry("path", "/mcp")
                    .containsEntry("service", "AP_Read")
                    .containsEntry("status", 200)
                    .containsEntry("tenant", "default")
                    .containsEntry("remote", "127.0.0.1")
                    .containsEntry("bytes", (long) response.body().length())
                    .doesNotContainKey("error");
            assertThat((String) line.get("principal")).startsWith("key:").doesNotContain(server.key);
            assertThat((Double) line.get("duration_ms")).isBetween(0.0, 10_000.0);
        }
    }

    /** Over MCP the status is 200. */
    @Test
    void aRefusedCallIsOneWithItsError() {
        var tenant = new TestTenant();
        try (var log = new CapturedLog()) {
            for (var api : ClientApi.values()) {
                tenant.person(api, "cat", Role.MEMBER)
                        .call("AP_Read", "{'target':{'agent':'nobody'}}")
                        .refused(3001, "nobody");
            }
            await().untilAsserted(() -> assertThat(log.requests())
                    .filteredOn(line -> "AP_Read".equals(line.get("service")))
                    .hasSize(ClientApi.values().length)
                    .allSatisfy(line -> assertThat(line).containsEntry("error", "not_found")));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/health?api_key=%s",
                "/api/health?x=%s",
                "/api/health?%s",
                "/mcp?key=%s",
                "/api/keys/%s",
                "/api/health;key=%s",
                "/demo/v1/Engine/tps?access_token=%s",
                "/a%%2Fb?token=%s",
                "/api/%%zz?key=%s"
            })
    void aKeyInTheAddressIsNeverLogged(String target) {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            var answer = server.raw("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                    .formatted(target.formatted(server.key)));
            await().until(() -> !log.requests().isEmpty());
            assertThat(log.text()).doesNotContain(server.key).doesNotContain(server.key.substring(16));
            assertThat(answer).doesNotContain(server.key.substring(16));
        }
    }

    @Test
    void aKeyInTheQueryIsRefusedEvenBesideAGoodOne() {
        try (var server = new SampleServer()) {
            var query = "/api/me?api_key=" + server.key;
            assertThat(server.get(query, "X-Api-Key", server.key).statusCode()).isEqualTo(400);
            assertThat(server.get("/api/health?token=1").statusCode()).isEqualTo(400);
            assertThat(server.get("/demo/v1/Engine/tps?key=" + server.key).body())
                    .contains("\"http_code\":400");
        }
    }

    @Test
    void headersAndBodiesAreNeverLogged() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            server.mcp(CALL.replace("AP_Read", "NoSuchTool-4711"), "X-Mark", "header-4712", "Cookie", "c=cookie-4713");
            server.mcp("{\"jsonrpc\": broken-4714", "User-Agent", "agent-4715");
            server.get("/api/me", "Authorization", "Basic basic-4716");
            server.get("/api/me/again", "X-Api-Key", server.key.toLowerCase());
            await().until(() -> log.requests().size() == 4);
            assertThat(log.text()).doesNotContain("-471", server.key, server.key.toLowerCase());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: %s",
                "Host: a\r\nHost: %s",
                "Host: a b%s",
                "Host: a\r\nX %s: x",
                "Host: a\r\nContent-Length: %s"
            })
    void aKeyInAHeaderThatJettyRefusesIsNeverLogged(String headers) {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            server.raw("GET / HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n".formatted(headers.formatted(server.key)));
            await().until(() -> !log.requests().isEmpty());
            assertThat(log.text()).doesNotContain(server.key);
        }
    }

    @Test
    void aLineBreakInThePathForgesNoLine() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            server.raw("GET /api/x%0aforged HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat((String) line(log).get("path")).doesNotContain("\n");
        }
    }

    @Test
    void aDefectIsLoggedOnceWithTheRequestId() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            server.get("/api/throws", "X-Api-Key", server.key, "X-Request-Id", "r-8");
            server.get("/api/fails", "X-Api-Key", server.key, "X-Request-Id", "r-9");
            await().until(() -> log.requests().size() == 2);
            assertThat(log.requests()).extracting(line -> line.get("status")).containsOnly(500);
            assertThat(log.failures())
                    .extracting(event -> event.getKeyValuePairs().getFirst().value)
                    .isEqualTo(List.of("r-8", "r-9"));
        }
    }

    @Test
    void aDefectThatADoorHandsToJettyIsLoggedOnceWithTheRequestIdToo() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            var response = server.get("/api/writes-defect", "X-Api-Key", server.key, "X-Request-Id", "r-10");
            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(response.body()).doesNotContain("secret");
            assertThat(log.failures()).hasSize(1);
            assertThat(log.failures().getFirst().getFormattedMessage()).contains("r-10");
        }
    }

    @Test
    void refusedRequestsAreLoggedToo() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            server.get("/api/me");
            assertThat(line(log)).containsEntry("status", 401).doesNotContainKeys("tenant", "principal", "service");
        }
    }

    /** Whatever a stranger asks for: with a path of its own for each request, too. */
    @Test
    void aFloodOfDifferentRequestsIsFewLines() {
        try (var server = new SampleServer();
                var log = new CapturedLog()) {
            for (var i = 0; i < 300; i++) {
                server.get("/api/nothing/" + i);
            }
            server.mcp(CALL);
            await().until(() -> log.requests().stream().anyMatch(line -> line.containsKey("principal")));
            assertThat(log.requests()).hasSize(21);
        }
    }

    private static Map<String, Object> line(CapturedLog log) {
        await().until(() -> !log.requests().isEmpty());
        assertThat(log.requests()).hasSize(1);
        return log.requests().getFirst();
    }
}
