package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.refusal.ProblemDocument;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** JSON responses on the wire: compressed if the client accepts that, and without a body if the client has them cached. */
class CompressionTest {
    private static final String KEY = new TestTenant().key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));

    private static HttpResponse<byte[]> send(String path, String body, String... headers) {
        var request =
                HttpRequest.newBuilder(URI.create(TestServer.url() + path)).header("X-Api-Key", KEY);
        if (headers.length > 0) {
            request.headers(headers);
        }
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return ClientApi.send(request.build());
    }

    private static byte[] plain(HttpResponse<byte[]> answer) throws IOException {
        assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(answer.headers().firstValueAsLong("Content-Length")).hasValue(answer.body().length);
        assertThat(answer.headers().allValues("Vary").toString()).contains("Accept-Encoding");
        return new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/mcp/tools", "/api/openapi.json", "/api/webhooks/events"})
    void whatIsReadIsCompressed(String path) throws IOException {
        var whole = send(path, "");
        assertThat(whole.headers().firstValue("Content-Encoding")).isEmpty();
        var small = send(path, "", "Accept-Encoding", "gzip, br");
        assertThat(small.body().length).isLessThan(whole.body().length / 3);
        assertThat(document(plain(small)).propertyNames())
                .isEqualTo(document(whole.body()).propertyNames());
        assertThat(send(path, "", "Accept-Encoding", "gzip;q=0").headers().firstValue("Content-Encoding"))
                .isEmpty();
    }

    @Test
    void soAreTheAnswersOfMcpAndOfCommands() throws IOException {
        var list = "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tools/list\",\"params\":{}}";
        assertThat(new String(plain(send("/mcp", list, "Accept-Encoding", "gzip")), StandardCharsets.UTF_8))
                .contains("AP_Create");
        for (var i = 0; i < 5; i++) {
            send("/demo/v1/Engine/tps/agent/create", """
                    {"vx":{"name":"A%d","description":"%s"}}""".formatted(i, "d".repeat(400)));
        }
        var listed = send("/demo/v1/Engine/tps/agent/list", "{}", "Accept-Encoding", "gzip");
        assertThat(Json.readObject(plain(listed)).path("profile").size()).isPositive();
    }

    /** The OpenAPI document is larger than a request may be. */
    private static JsonNode document(byte[] body) {
        return Json.readValue(new String(body, StandardCharsets.UTF_8), JsonNode.class);
    }

    @Test
    void whatASessionHidesIsNotCompressed() {
        assertThat(send("/api/auth/session", "", "Accept-Encoding", "gzip")
                        .headers()
                        .firstValue("Content-Encoding"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip"})
    void documentsAreSentOnce(String encoding) {
        for (var path : List.of("/api/mcp/tools", "/api/mcp/tools/AP_Read", "/api/openapi.json", "/api/openapi.yaml")) {
            var first = send(path, "", "Accept-Encoding", encoding);
            assertThat(first.headers().firstValue("Content-Encoding").orElse("identity"))
                    .isEqualTo(encoding);
            var tag = first.headers().firstValue("ETag").orElseThrow();
            var again = send(path, "", "Accept-Encoding", encoding, "If-None-Match", tag);
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(again.body()).isEmpty();
            assertThat(send(path, "", "If-None-Match", "\"other\"").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void theTypeOfAProblemIsAnAddressThatResolves() {
        var problem = Json.readObject(send("/api/keys/000000000000/usage", "").body());
        assertThat(problem.path("type").asString()).isEqualTo("/docs/concepts#not_found");
        var page = new String(send("/docs/concepts", "").body(), StandardCharsets.UTF_8);
        for (var failure : Failure.values()) {
            assertThat(ProblemDocument.DOCUMENTATION).startsWith("/docs/concepts");
            assertThat(page).contains("id=\"%s\"".formatted(failure.error()));
        }
    }
}
