package io.agentworkspace.engine.app.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.testing.Programs;
import io.agentworkspace.engine.testing.Repository;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Helm's chart, which Helm checks and renders: {@code .ci/run} installs it. */
class ChartTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String RELEASE = "team";

    /** The modules of Kubernetes' types, by the kind of what the chart renders. */
    private static final Map<String, String> MODULES =
            Map.of("Deployment", "apps/v1", "Service", "v1", "PodDisruptionBudget", "policy/v1", "ConfigMap", "v1");

    @TempDir
    private Path folder;

    private String helm;

    @BeforeEach
    void helm() {
        helm = Programs.require("helm").toString();
    }

    private record Ended(int code, String output) {}

    private Ended helm(String command, String... arguments) throws Exception {
        var words = new ArrayList<>(List.of(helm, command));
        words.addAll(List.of(arguments));
        var builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("HOME", folder.toString());
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static String chart() {
        return Repository.file("charts/engine").toString();
    }

    /** Returns what the chart renders, by its kind. */
    private Map<String, JsonNode> rendered(String... values) throws Exception {
        var arguments = new ArrayList<>(List.of(RELEASE, chart()));
        for (var value : values) {
            arguments.addAll(List.of("--set-string", value));
        }
        var ended = helm("template", arguments.toArray(String[]::new));
        assertThat(ended.code()).as(ended.output()).isZero();
        Map<String, JsonNode> parts = new LinkedHashMap<>();
        try (var all = YAML.readerFor(JsonNode.class).<JsonNode>readValues(ended.output())) {
            all.forEachRemaining(part -> parts.put(part.path("kind").asString(), part));
        }
        return parts;
    }

    private JsonNode pod(String... values) throws Exception {
        return rendered(values).get("Deployment").at("/spec/template/spec");
    }

    private static List<String> names(JsonNode list) {
        return list.valueStream().map(each -> each.path("name").asString()).toList();
    }

    @Test
    void helmFindsNothingToCriticize() throws Exception {
        var ended = helm("lint", "--strict", chart());
        assertThat(ended.output()).contains("0 chart(s) failed").doesNotContain("[WARNING]", "[ERROR]");
        assertThat(ended.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"settings.drain=15", "baseUrl=engine.example.com", "maxHeap=1 GB"})
    void valuesThatTheEngineCannotReadAreRefused(String value) throws Exception {
        assertThat(helm("template", RELEASE, chart(), "--set-string", value).code())
                .isNotZero();
        assertThat(helm("template", RELEASE, chart(), "--set", "settings.ENGINE_DRAIN_SECONDS=15")
                        .output())
                .contains("got number, want string");
    }

    /** A field with a typo would be ignored or refused by a cluster. TypeScript's compiler finds it by Kubernetes' own types. */
    @ParameterizedTest
    @ValueSource(strings = {"image.tag=1", "metrics.enabled="})
    void everyFieldIsOneOfKubernetes(String value) throws Exception {
        Node.require();
        var source = new StringBuilder();
        for (var part : rendered(value).entrySet()) {
            source.append("import type { I%1$s } from 'kubernetes-models/%2$s';\nexport const a%1$s: I%1$s = %3$s;\n"
                    .formatted(part.getKey(), MODULES.get(part.getKey()), part.getValue()));
        }
        Files.createSymbolicLink(folder.resolve("node_modules"), Node.module(""));
        var file = Files.writeString(folder.resolve("chart.mts"), source);
        var ended = Node.run(
                Map.of(),
                List.of(
                        Node.module("typescript/bin/tsc").toString(),
                        "--ignoreConfig",
                        "--noEmit",
                        "--strict",
                        "--skipLibCheck",
                        "--module",
                        "nodenext",
                        file.toString()));
        assertThat(ended.output() + ended.errors()).isEmpty();
        assertThat(ended.code()).isZero();
    }

    @Test
    void eachPartHasItsKindAndSelectsThePods() throws Exception {
        var parts = rendered();
        var labels = parts.get("Deployment").at("/spec/template/metadata/labels");
        assertThat(parts).containsOnlyKeys(MODULES.keySet());
        parts.forEach((kind, part) -> {
            assertThat("io.k8s.api." + part.path("apiVersion").asString()).endsWith(MODULES.get(kind));
            assertThat(part.at("/metadata/name").asString()).isEqualTo(RELEASE);
        });
        assertThat(parts.get("Deployment").at("/spec/selector/matchLabels")).isEqualTo(labels);
        assertThat(parts.get("PodDisruptionBudget").at("/spec/selector/matchLabels"))
                .isEqualTo(labels);
        assertThat(parts.get("Service").at("/spec/selector")).isEqualTo(labels);
    }

    @Test
    void theEngineAcceptsTheSettings() throws Exception {
        Map<String, String> values = new LinkedHashMap<>();
        rendered("settings.ENGINE_EVENTS_DAYS=30")
                .get("ConfigMap")
                .path("data")
                .properties()
                .forEach(each -> values.put(each.getKey(), each.getValue().asString()));
        assertThat(values).containsEntry("ENGINE_EVENTS_DAYS", "30");
        pod().at("/containers/0/env")
                .valueStream()
                .forEach(each -> values.put(
                        each.path("name").asString(), each.path("value").asString()));
        values.remove("ENGINE_MAX_HEAP"); // Of the launcher.
        assertThat(UnknownSettings.of(values.keySet())).isEmpty();
        var settings = Settings.read(values, List.of());
        assertThat(settings.http().baseUrl()).isEqualTo("https://engine.example.com");
        assertThat(pod().path("terminationGracePeriodSeconds").asInt())
                .isGreaterThanOrEqualTo(settings.http().drain().toSecondsPart() + 27);
    }

    /** A pod reads its settings once. */
    @Test
    void otherSettingsReplaceThePods() throws Exception {
        var checksum = "/spec/template/metadata/annotations/checksum~1settings";
        assertThat(rendered().get("Deployment").at(checksum))
                .isEqualTo(rendered("image.tag=2").get("Deployment").at(checksum))
                .isNotEqualTo(rendered("settings.ENGINE_EVENTS_DAYS=30")
                        .get("Deployment")
                        .at(checksum));
    }

    @Test
    void theSecretsInItsCommentsAreSettings() throws Exception {
        var words = Pattern.compile("ENGINE_\\w+")
                .matcher(Repository.text(Repository.file("charts/engine/values.yaml")))
                .results()
                .map(found -> found.group())
                .collect(Collectors.toSet());
        assertThat(UnknownSettings.of(words)).isEmpty();
        assertThat(rendered().toString()).doesNotContain("ENGINE_SECRETS_KEY", "ENGINE_DATABASE_URL");
    }

    @Test
    void theContainerHasWhatItMountsAndRunsWithoutRights() throws Exception {
        var container = pod().at("/containers/0");
        assertThat(names(container.path("volumeMounts"))).isEqualTo(names(pod().path("volumes")));
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(pod().at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        var ports = new ArrayList<>(names(container.path("ports")));
        assertThat(ports)
                .contains(
                        rendered().get("Service").at("/spec/ports/0/targetPort").asString());
        for (var probe : List.of("livenessProbe", "readinessProbe")) {
            assertThat(ports)
                    .contains(container.at("/" + probe + "/httpGet/port").asString());
            assertThat(container.at("/" + probe + "/httpGet/path").asString()).startsWith("/api/health/");
        }
        assertThat(names(pod("metrics.enabled=").at("/containers/0/ports"))).containsExactly("http");
    }
}
