package io.agentworkspace.engine.kernel.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.tracing.SpanReceiver.Received;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Spans as a receiver gets them, in the traces that clients are in. */
class TracingTest {
    private static final TestTenant TENANT = new TestTenant();
    private static final String KEY = TENANT.key(ClientApi.REST, "traced", Role.OWNER, List.of("*"));
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final long INTERNAL = 1;
    private static final long SERVER = 2;
    private static final long CLIENT_KIND = 3;

    private static SpanReceiver receiver;
    private static App app;

    @BeforeAll
    static void start() throws Exception {
        receiver = new SpanReceiver();
        app = TestServer.start(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                receiver.url(),
                "OTEL_RESOURCE_ATTRIBUTES",
                "deployment.environment.name=tests",
                "OTEL_BSP_SCHEDULE_DELAY",
                "100"));
    }

    @AfterAll
    static void stop() {
        app.close();
        receiver.close();
        CLIENT.close();
    }

    private static String id(int bytes) {
        var id = new byte[bytes];
        ThreadLocalRandom.current().nextBytes(id);
        id[0] |= 1;
        return HexFormat.of().formatHex(id);
    }

    private static int send(String path, String body, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(app.baseUrl() + path))
                .header("X-Api-Key", KEY)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString()).statusCode();
    }

    /** The span of this name in a trace, once it has come. */
    private static Received span(String trace, String name) {
        return Awaitility.await().until(() -> find(trace, name), found -> found != null);
    }

    private static Received find(String trace, String name) {
        return receiver.spans().stream()
                .filter(span -> span.trace().equals(trace) && span.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    @Test
    void aRequestJoinsTheTraceOfItsHeader() throws Exception {
        var trace = id(16);
        var parent = id(8);
        send("/demo/v1/Engine/tps/user/read", "{}", "traceparent", "00-%s-%s-01".formatted(trace, parent));
        var request = span(trace, "POST");
        assertThat(request.parent()).isEqualTo(parent);
        assertThat(request.kind()).isEqualTo(SERVER);
        assertThat(request.attributes())
                .containsEntry("http.response.status_code", "200")
                .containsEntry("url.path", "/demo/v1/Engine/tps/user/read");
        var tool = span(trace, "execute_tool US_Read");
        assertThat(tool.parent()).isEqualTo(request.id());
        assertThat(tool.kind()).isEqualTo(INTERNAL);
        var database = Awaitility.await()
                .until(
                        () -> receiver.spans().stream()
                                .filter(span -> span.parent().equals(tool.id()))
                                .findFirst()
                                .orElse(null),
                        found -> found != null);
        assertThat(database.name()).isEqualTo("postgresql");
        assertThat(database.kind()).isEqualTo(CLIENT_KIND);
        assertThat(request.resource())
                .containsEntry("service.name", "agent-workspace-engine")
                .containsEntry("deployment.environment.name", "tests");
    }

    /** An agent's trace goes through clients that make HTTP requests of their own: that of the message is the one. */
    @Test
    void anMcpCallJoinsTheTraceOfItsMeta() throws Exception {
        var trace = id(16);
        var parent = id(8);
        var outer = id(16);
        var message = """
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "AP_List", "arguments": {},
                 "_meta": {"traceparent": "00-%s-%s-01", "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                           "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                           "io.modelcontextprotocol/clientCapabilities": {}}}}
                """.formatted(trace, parent);
        var status = send(
                "/mcp",
                message,
                "traceparent",
                "00-%s-%s-01".formatted(outer, id(8)),
                "MCP-Protocol-Version",
                "2026-07-28",
                "Mcp-Method",
                "tools/call",
                "Mcp-Name",
                "AP_List");
        assertThat(status).isEqualTo(200);
        var call = span(trace, "tools/call AP_List");
        assertThat(call.parent()).isEqualTo(parent);
        assertThat(call.attributes())
                .containsEntry("mcp.method.name", "tools/call")
                .containsEntry("gen_ai.tool.name", "AP_List");
        assertThat(span(trace, "execute_tool AP_List").parent()).isEqualTo(call.id());
        var request = span(outer, "POST /mcp");
        assertThat(call.links()).as("the request that carried it").containsExactly(request.id());
    }

    @Test
    void anMcpCallWithoutMetaBelongsToItsRequest() throws Exception {
        var trace = id(16);
        var status = send(
                "/mcp",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}",
                "traceparent",
                "00-%s-%s-01".formatted(trace, id(8)));
        assertThat(status).isEqualTo(200);
        assertThat(span(trace, "tools/list").parent())
                .isEqualTo(span(trace, "POST /mcp").id());
    }

    @Test
    void whatIsNoTraceBeginsOne() throws Exception {
        var count = receiver.spans().size();
        send("/demo/v1/Engine/tps/agent/read", "{\"target\":{\"agent\":\"nobody\"}}", "traceparent", "00-nonsense-x-1");
        var tool = Awaitility.await()
                .until(
                        () -> receiver.spans().stream()
                                .skip(count)
                                .filter(span -> span.name().equals("execute_tool AP_Read"))
                                .findFirst()
                                .orElse(null),
                        found -> found != null);
        assertThat(tool.attributes()).containsEntry("engine.error", "not_found").doesNotContainKey("error.type");
        assertThat(span(tool.trace(), "POST").parent()).isEmpty();
    }

    /** A trace that its client does not sample is not recorded here either. */
    @Test
    void whatIsNotSampledIsNotSent() throws Exception {
        var unsampled = id(16);
        var sampled = id(16);
        send("/demo/v1/Engine/tps/user/read", "{}", "traceparent", "00-%s-%s-00".formatted(unsampled, id(8)));
        send("/demo/v1/Engine/tps/user/read", "{}", "traceparent", "00-%s-%s-01".formatted(sampled, id(8)));
        span(sampled, "POST");
        assertThat(find(unsampled, "POST")).isNull();
    }

    @Test
    void withoutAnEndpointNothingIsTraced() {
        assertThat(read(Map.of())).isEmpty();
        assertThat(read(Map.of("OTEL_SERVICE_NAME", "x"))).isEmpty();
        assertThat(read(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url(), "OTEL_SDK_DISABLED", "true")))
                .isEmpty();
        assertThat(read(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url()))).isNotEmpty();
    }

    private static Map<String, String> read(Map<String, String> environment) {
        return Settings.read(environment, List.of()).observability().tracing();
    }

    @Test
    void whatCannotBeUnderstoodStopsTheStart() {
        assertThatThrownBy(() -> read(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("OTEL_EXPORTER_OTLP_ENDPOINT");
        assertThatThrownBy(() -> TestServer.start(
                        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url(), "OTEL_TRACES_SAMPLER", "sometimes")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("sometimes");
    }
}
