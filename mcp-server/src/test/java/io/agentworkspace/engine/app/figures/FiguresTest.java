package io.agentworkspace.engine.app.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.app.setup.FigureChecks;
import io.agentworkspace.engine.app.setup.Finding;
import io.agentworkspace.engine.app.setup.RunningEngine;
import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Programs;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The ten figures: what is made of them is current, and a real Prometheus finds each in a real engine. */
@Tag("slow")
class FiguresTest {
    private static final Path RULES = Repository.file("examples/prometheus/alerts.yaml");
    private static final Path DASHBOARD = Repository.file("examples/grafana/figures.json");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final String KEY = new TestTenant().key(ClientApi.REST, "watched", Role.OWNER, List.of("*"));

    private static App app;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        app = TestServer.start(Map.of("ENGINE_METRICS_LISTEN", "127.0.0.1:0"));
    }

    @AfterAll
    static void stop() {
        app.close();
        CLIENT.close();
    }

    private static String get(String url) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .body();
    }

    @Test
    void whatIsMadeOfThemIsCurrent() {
        assertThat(Figures.ALL).hasSize(10);
        Golden.check(DASHBOARD, FigureDocuments.dashboard());
        Golden.check(RULES, FigureDocuments.rules());
        Golden.checkPart(Repository.file("docs/alerts.md"), "figures", FigureDocuments.page());
    }

    @Test
    void eachIsInAScrape() throws Exception {
        called();
        var scrape = Scrape.of(get("http://127.0.0.1:" + app.metricsPort().orElseThrow() + "/metrics"));
        for (var figure : Figures.ALL) {
            assertThat(figure.now().applyAsDouble(scrape)).as(figure.name()).isNotNaN();
        }
        assertThat(Figures.ALL.getFirst().now().applyAsDouble(scrape)).isEqualTo(1);
    }

    @Test
    void theDoctorPrintsEachAndWhereToReadOn() throws Exception {
        called();
        var port = app.metricsPort().orElseThrow();
        assertThat(doctor(port))
                .hasSize(10)
                .allMatch(line -> line.startsWith("ok    figure"))
                .anyMatch(line -> line.endsWith("(Calls that fail, since the start)"));
        var broken = get("http://127.0.0.1:" + port + "/metrics")
                        .replaceAll("(?m)^(engine_db_state\\{state=\"reachable\"\\}) .*", "$1 0")
                        .replaceAll("(?m)^(engine_db_notifications) .*", "$1 0")
                        .replaceAll("(?m)^(engine_db_commit_seconds) .*", "$1 1.5")
                + "engine_http_requests_total{endpoint=\"mcp\",status=\"503\"} 1000\n";
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            var body = broken.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            assertThat(doctor(server.getAddress().getPort()))
                    .filteredOn(line -> !line.startsWith("ok"))
                    .hasSize(4)
                    .anyMatch(line -> line.startsWith("fail")
                            && line.contains("database: no")
                            && line.contains("docs/alerts.md#database"))
                    .anyMatch(line -> line.startsWith("fail") && line.contains("notifications: no"))
                    .anyMatch(line -> line.startsWith("warn")
                            && line.contains("commits: 1.5 s")
                            && line.contains("docs/alerts.md#commits"))
                    .anyMatch(line ->
                            line.startsWith("warn") && line.contains("errors: ") && !line.contains("errors: 0"));
        } finally {
            server.stop(0);
        }
        assertThat(doctor(1)).singleElement().asString().contains("no engine runs");
    }

    private static List<String> doctor(int port) throws InterruptedException {
        var settings = Settings.read(Map.of("ENGINE_METRICS_LISTEN", "127.0.0.1:" + port), List.of());
        return new FigureChecks(new RunningEngine(settings))
                .run().stream().map(Finding::line).map(String::strip).toList();
    }

    /** Each alert fires for a broken engine, and none for a sound one in which one call of few has failed. */
    @Test
    void eachRuleFiresForABrokenEngineAndNoneForASoundOne() throws Exception {
        var program = Programs.require("promtool");
        var alerts = Figures.ALL.stream()
                .map(figure -> "{labels: '{alertname=\"%s\"}', value: 1}".formatted(figure.alert()))
                .collect(Collectors.joining(", ", "{labels: '{alertname=\"EngineDown\"}', value: 1}, ", ""));
        var tests = Files.writeString(folder.resolve("tests.yaml"), """
                rule_files: ["%s"]
                evaluation_interval: 1m
                tests:
                  - interval: 1m
                    input_series:
                %s    promql_expr_test:
                      - expr: 'sum by (alertname) (ALERTS{alertstate="firing"})'
                        eval_time: 20m
                        exp_samples: [%s]
                  - interval: 1m
                    input_series:
                %s    promql_expr_test:
                      - expr: 'sum by (alertname) (ALERTS)'
                        eval_time: 20m
                        exp_samples: []
                """.formatted(
                RULES,
                series("0x30", "0x30", "1e9x30", "0.5x30", "0+10x30", "0+0x30", "40x30", "7x30", "100x30", "90x30"),
                alerts,
                series("1x30", "1x30", "9e9x30", "0.01x30", "0x18 1x12", "0+9x30", "9x30", "6x30", "50x30", "70x30")));
        var process = new ProcessBuilder(program.toString(), "test", "rules", tests.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("promtool.out").toFile())
                .start();
        assertThat(process.waitFor())
                .as(Files.readString(folder.resolve("promtool.out")))
                .isZero();
    }

    /** Returns series of an engine: up and reachable, notifications, free bytes, commits, failed and quick calls, and more. */
    private static String series(String... values) {
        return """
                      - {series: 'up{job="engine",instance="a"}', values: '%1$s'}
                      - {series: 'engine_info{instance="a"}', values: '1x30'}
                      - {series: 'engine_db_state{state="reachable",instance="a"}', values: '%1$s'}
                      - {series: 'engine_db_notifications{instance="a"}', values: '%2$s'}
                      - {series: 'engine_data_dir_free_bytes{instance="a"}', values: '%3$s'}
                      - {series: 'engine_db_commit_seconds{instance="a"}', values: '%4$s'}
                      - {series: 'engine_tool_calls_total{tool="AP_Read",outcome="internal",instance="a"}', values: '%5$s'}
                      - {series: 'engine_tool_calls_total{tool="AP_Read",outcome="ok",instance="a"}', values: '0+9x30'}
                      - {series: 'engine_tool_duration_seconds_bucket{tool="AP_Read",le="0.5",instance="a"}', values: '%6$s'}
                      - {series: 'engine_tool_duration_seconds_bucket{tool="AP_Read",le="5",instance="a"}', values: '0+9x30'}
                      - {series: 'engine_tool_duration_seconds_bucket{tool="AP_Read",le="+Inf",instance="a"}', values: '0+9x30'}
                      - {series: 'engine_http_calls_waiting{instance="a"}', values: '%7$s'}
                      - {series: 'engine_db_calls_waiting{instance="a"}', values: '%8$s'}
                      - {series: 'engine_db_connections_max{instance="a"}', values: '12x30'}
                      - {series: 'engine_outbox_oldest_due_seconds{instance="a"}', values: '%9$s'}
                      - {series: 'engine_http_connections{instance="a"}', values: '%10$s'}
                      - {series: 'engine_http_connections_max{instance="a"}', values: '100x30'}
                """.formatted((Object[]) values);
    }

    /** Prometheus itself reads the rules and the panels of the files, and evaluates them on what it scraped. */
    @Test
    void prometheusFindsEachPanelAndEvaluatesEachRule() throws Exception {
        var port = LoopbackPort.free();
        var program = Programs.require("prometheus");
        var configuration = Files.writeString(folder.resolve("prometheus.yml"), """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: engine
                    static_configs: [{targets: ["127.0.0.1:%d"]}]
                """.formatted(
                        RULES, app.metricsPort().orElseThrow()));
        var process = new ProcessBuilder(
                        program.toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        try {
            var url = "http://127.0.0.1:" + port;
            var panels = Json.read(Files.readAllBytes(DASHBOARD)).path("panels");
            assertThat(panels).hasSize(10);
            for (var panel : panels) {
                var query = panel.at("/targets/0/expr").asString();
                await(query).ignoreExceptions().until(() -> hasValue(url, query));
            }
            await().ignoreExceptions().untilAsserted(() -> assertRulesAreEvaluated(url));
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    /** Calls go on, so that there are rates. */
    private static boolean hasValue(String url, String query) throws Exception {
        called();
        var result = Json.read(get(url + "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8));
        var value = result.at("/data/result/0/value/1").asString("NaN");
        return !value.equals("NaN");
    }

    private static void assertRulesAreEvaluated(String url) throws Exception {
        var rules = Json.read(get(url + "/api/v1/rules").getBytes(StandardCharsets.UTF_8))
                .at("/data/groups/0/rules");
        assertThat(rules).hasSize(11);
        for (JsonNode rule : rules) {
            assertThat(rule.path("health").asString()).as(rule.toString()).isEqualTo("ok");
        }
    }

    private static void called() throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(app.baseUrl() + "/demo/v1/Engine/tps/user/read"))
                .header("X-Api-Key", KEY)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}"))
                .build();
        assertThat(CLIENT.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }
}
