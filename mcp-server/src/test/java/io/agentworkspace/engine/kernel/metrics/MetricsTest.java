package io.agentworkspace.engine.kernel.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a scraper gets, and who gets nothing. */
class MetricsTest {
    private static final String TOKEN = "a-token-of-a-scraper-1234";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final TestTenant TENANT = new TestTenant();
    private static final String KEY = TENANT.key(ClientApi.REST, "scraped", Role.OWNER, List.of("*"));
    private static App app;

    @BeforeAll
    static void start() {
        app = TestServer.start(Map.of("ENGINE_METRICS_TOKEN", TOKEN, "ENGINE_METRICS_LISTEN", "127.0.0.1:0"));
    }

    @AfterAll
    static void stop() {
        app.close();
        CLIENT.close();
    }

    private static HttpResponse<String> get(String url, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(url));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String alone() {
        return "http://127.0.0.1:" + app.metricsPort().orElseThrow() + "/metrics";
    }

    private static String scraped() {
        return get(alone()).body();
    }

    private static void command(String path, String body) {
        send(HttpRequest.newBuilder(URI.create(app.baseUrl() + "/demo/v1/Engine/tps" + path))
                .header("X-Api-Key", KEY)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    /** 0 if it is not there. */
    private static double value(String text, String series) {
        return text.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    @Test
    void callsAreCountedByToolAndOutcome() {
        var before = scraped();
        command("/user/read", "{}");
        command("/user/read", "{}");
        command("/agent/read", "{\"target\":{\"agent\":\"nobody\"}}");
        command("/agent/create", "{}");
        var after = scraped();
        var calls = "engine_tool_calls_total{outcome=\"%s\",tool=\"%s\"}";
        assertThat(value(after, calls.formatted("ok", "US_Read")) - value(before, calls.formatted("ok", "US_Read")))
                .isEqualTo(2);
        assertThat(value(after, calls.formatted("not_found", "AP_Read"))).isEqualTo(1);
        assertThat(value(after, calls.formatted("missing_field", "AP_Create"))).isEqualTo(1);
        assertThat(value(after, "engine_tool_duration_seconds_count{tool=\"AP_Read\"}"))
                .isEqualTo(1);
        assertThat(value(after, "engine_tool_duration_seconds_bucket{tool=\"AP_Read\",le=\"+Inf\"}"))
                .isEqualTo(1);
        assertThat(value(after, "engine_tool_duration_seconds_sum{tool=\"AP_Read\"}"))
                .isPositive();
    }

    @Test
    void requestsAreCountedByEndpointAndStatusRefusedOnesToo() {
        var series = "engine_http_requests_total{endpoint=\"rest\",status=\"401\"}";
        var before = value(scraped(), series);
        assertThat(get(app.baseUrl() + "/api/keys").statusCode()).isEqualTo(401);
        Awaitility.await() // Counted once the response is out.
                .until(() -> value(scraped(), series) == before + 1);
    }

    @Test
    void namesThatCallersChooseAreNoLabels() {
        command("/no/such_command_as_this", "{}");
        get(app.baseUrl() + "/api/keys/some-name-of-a-caller");
        assertThat(scraped()).doesNotContain("such_command", "some-name-of-a-caller", "scraped");
    }

    @Test
    void poolOutboxListenersCachesAndTheJvmAreThere() {
        var text = scraped();
        assertThat(value(text, "engine_db_connections_max")).isEqualTo(12);
        assertThat(value(text, "engine_info{version=\"0.1.0\"}")).isEqualTo(1);
        assertThat(text)
                .contains(
                        "engine_db_connections{state=\"active\"}",
                        "engine_db_calls_waiting ",
                        "engine_db_wait_seconds_count",
                        "engine_outbox_deliveries{state=\"due\"}",
                        "engine_outbox_oldest_due_seconds",
                        "engine_outbox_attempts_total{outcome=\"delivered\"}",
                        "engine_streams_open ",
                        "engine_cache_hits_total{cache=\"keys\"}",
                        "engine_search_indexes_open",
                        "engine_embedding_model_loaded 0",
                        "jvm_memory_used_bytes{area=\"heap\"}",
                        "jvm_gc_collection_seconds_count",
                        "process_cpu_seconds_total");
    }

    @Tag("slow")
    @Test
    void anOpenStreamIsAListener() throws Exception {
        var request = HttpRequest.newBuilder(URI.create(app.baseUrl() + "/api/stream"))
                .header("X-Api-Key", KEY);
        try (var open =
                CLIENT.send(request.build(), BodyHandlers.ofInputStream()).body()) {
            assertThat(open.read()).isPositive();
            assertThat(value(scraped(), "engine_streams_open")).isEqualTo(1);
        }
        Awaitility.await().until(() -> value(scraped(), "engine_streams_open") == 0);
    }

    @Test
    void theScraperChoosesTheFormat() {
        var plain = get(alone());
        assertThat(plain.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain; version=0.0.4");
        var open = get(alone(), "Accept", "application/openmetrics-text; version=1.0.0");
        assertThat(open.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/openmetrics-text");
        assertThat(open.body()).endsWith("# EOF\n");
    }

    @Test
    void theTokenOpensThemOnTheCommonPort() {
        var url = app.baseUrl() + "/metrics";
        assertThat(get(url, "Authorization", "Bearer " + TOKEN).body()).contains("engine_info");
        assertThat(get(url, "Authorization", "bearer  " + TOKEN).statusCode()).isEqualTo(200);
    }

    /** The figures are those of all tenants: not even the key of an owner opens them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Bearer a-token-of-a-scraper-1235",
                "Basic a-token-of-a-scraper-1234",
                "key"
            })
    void nothingElseDoes(String authorization) {
        var sent = authorization.equals("key") ? "Bearer " + KEY : authorization;
        var url = app.baseUrl() + "/metrics";
        var response = sent.isEmpty() ? get(url) : get(url, "Authorization", sent);
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.body()).doesNotContain("engine_").contains("unauthenticated");
        assertThat(get(url, "X-Api-Key", KEY).statusCode()).isEqualTo(401);
    }

    @Test
    void withoutASettingThereIsNothing() {
        var response = get(TestServer.url() + "/metrics", "X-Api-Key", KEY);
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).contains("ENGINE_METRICS_TOKEN");
    }

    @Test
    void theAddressOfItsOwnServesNothingElse() {
        assertThat(get(alone().replace("/metrics", "/api/health")).statusCode()).isEqualTo(404);
    }

    /** Every series that the dashboard asks for is one that the engine, its JVM or its process has. */
    @Test
    void theDashboardAsksForWhatThereIs() throws Exception {
        var dashboard = Files.readString(Repository.ROOT.resolve("examples/grafana/engine.json"));
        var text = scraped();
        var names = Pattern.compile("\\b(?:engine|jvm|process)_[a-z_]+")
                .matcher(dashboard)
                .results();
        var missing = names.map(found -> found.group())
                .distinct()
                .filter(name -> Stream.of("", "_total", "_count")
                        .noneMatch(suffix -> text.contains(name.replaceAll("_bucket$", "") + suffix)))
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void latenciesFallIntoTheirBuckets() {
        var latency = new Latency();
        latency.add(500_000);
        latency.add(500_001);
        latency.add(60_000_000_000L);
        var counts = latency.counts();
        assertThat(counts[0]).isEqualTo(1);
        assertThat(counts[1]).isEqualTo(1);
        assertThat(counts[counts.length - 1]).isEqualTo(1);
        assertThat(Latency.bounds()).hasSameSizeAs(counts).isSorted();
    }
}
