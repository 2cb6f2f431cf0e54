package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What servers send has limits in values, depth and steps, which end the work before it is large. */
class UpstreamLimitsTest {
    private static final String FILLED = "@";

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, key);

    private String called(String tool) {
        return new RawMcpClient(TestServer.url() + "/mcp", key)
                .modern("tools/call", "{'name':'%s','arguments':{}}".formatted(tool), "{}")
                .toString();
    }

    private static void write(ObjectNode answer, String filling, boolean streams, OutputStream out) throws IOException {
        var text = Json.text(answer).replace("\"" + FILLED + "\"", filling);
        if (streams) {
            RawUpstream.stream(out);
            RawUpstream.write(out, "id: 1\nretry: 1\ndata:\n\n");
            RawUpstream.write(out, "data: %s\n\n".formatted(text));
        } else {
            RawUpstream.head(out, "200 OK", "Content-Type: application/json");
            RawUpstream.write(out, text);
        }
    }

    /** Values that are small in bytes and large as a tree. */
    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "0", "{\"a\":{}}", "\"\"", "[[[]]]"})
    void anAnswerHasOnlySoManyValues(String value) throws Exception {
        var filling = (value + ",").repeat((8_000_000 - 1_000) / (value.length() + 1));
        var many = "[" + filling.substring(0, filling.length() - 1) + "]";
        for (var streams : List.of(true, false)) {
            try (var upstream = new RawUpstream((request, answer, out) -> {
                if (request.body().isEmpty()) {
                    RawUpstream.head(out, "405 Method Not Allowed", "Content-Length: 0");
                } else if (request.method().equals("tools/call")) {
                    answer.withObject("/result").putObject("structuredContent").put("x", FILLED);
                    write(answer, many, streams, out);
                } else {
                    RawUpstream.json(out, answer);
                }
            })) {
                var name = streams ? "streams" : "answers";
                root.call("UP_Install", "{'name':'%s','url':'%s','approve':'all'}".formatted(name, upstream.url()))
                        .ok();
                try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
                    var calls = IntStream.range(0, 4)
                            .mapToObj(_ -> pool.submit(() -> called(name + "_save")))
                            .toList();
                    assertThat(root.call("AP_List").ok().envelope()).isNotNull();
                    for (var call : calls) {
                        assertThat(call.get())
                                .containsAnyOf("has more than 200,000 values and names", "does not answer");
                    }
                }
            }
        }
    }

    /** Of a list, the tools are counted over all pages, and a tool whose references multiply is held, on each way. */
    @Test
    void referencesThatMultiplyHoldTheToolWhenItIsInstalledAndWhenItChanges() {
        var levels = IntStream.range(0, 9)
                .mapToObj(level -> "'L%d':{'properties':{%s}}"
                        .formatted(
                                level,
                                IntStream.range(0, 20)
                                        .mapToObj(i -> "'p%d':{'$ref':'#/$defs/L%d'}".formatted(i, level + 1))
                                        .collect(Collectors.joining(","))))
                .collect(Collectors.joining(","));
        var bomb =
                "{'name':'%s','inputSchema':{'type':'object','properties':{'a':{'$ref':'#/$defs/L0'}},'$defs':{%s,'L9':{'type':'string'}}}}";
        try (var upstream = new ScriptedUpstream(false, bomb.formatted("one", levels), ScriptedUpstream.ECHO)) {
            var made = root.call("UP_Install", "{'name':'bomb','url':'%s','approve':'all'}".formatted(upstream.url()))
                    .ok();
            assertThat(made.texts("/upstream/tools", "state")).containsExactlyInAnyOrder("held", "approved");
            assertThat(made.at("/upstream/tools").toString()).contains("64 KB");
            root.call("UP_Approve", "{'name':'bomb','tools':['one']}").refused(3003, "64 KB");
            upstream.has(bomb.formatted("echo", levels));
            assertThat(root.call("UP_Refresh", "{'name':'bomb'}")
                            .ok()
                            .at("/upstream/tools")
                            .toString())
                    .contains("64 KB");
        }
    }

    @Test
    void theListsOfAServerHaveOnlySoManyValuesTogether() {
        var values = "0,".repeat(90_000) + "0";
        try (var upstream = new RawUpstream((request, answer, out) -> {
            if (request.body().isEmpty()) {
                RawUpstream.head(out, "405 Method Not Allowed", "Content-Length: 0");
            } else if (request.method().equals("tools/list")) {
                answer.withObject("/result").put("nextCursor", "c" + answer.path("id"));
                answer.withObject("/result").put("x", FILLED);
                write(answer, "[" + values + "]", false, out);
            } else {
                RawUpstream.json(out, answer);
            }
        })) {
            var made = root.call("UP_Install", "{'name':'pages','url':'%s'}".formatted(upstream.url()))
                    .ok();
            assertThat(made.text("/upstream/last_error")).contains("400,000 values and names");
        }
    }

    /** A comparison of each value with each of an enumeration ends. */
    @Test
    void theComparisonWithAnOutputSchemaHasOnlySoManySteps() {
        var texts = IntStream.range(0, 20_000).mapToObj(i -> "'v" + i + "'").collect(Collectors.joining(","));
        var tool = Json.readObject("""
                {'name':'save','inputSchema':{'type':'object'},'outputSchema':
                 {'type':'object','properties':{'x':{'type':'array','items':{'enum':[%s]}}}}}""".formatted(texts).replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        try (var upstream = new RawUpstream((request, answer, out) -> {
            if (request.body().isEmpty()) {
                RawUpstream.head(out, "405 Method Not Allowed", "Content-Length: 0");
            } else if (request.method().equals("tools/list")) {
                answer.withObject("/result").putArray("tools").add(tool);
                RawUpstream.json(out, answer);
            } else if (request.method().equals("tools/call")) {
                answer.withObject("/result").putObject("structuredContent").put("x", FILLED);
                write(answer, "[" + "\"v19999\",".repeat(20_000) + "0]", false, out);
            } else {
                RawUpstream.json(out, answer);
            }
        })) {
            root.call("UP_Install", "{'name':'enum','url':'%s','approve':'all'}".formatted(upstream.url()))
                    .ok();
            assertThat(called("enum_save")).contains("too large to be compared");
        }
    }
}
