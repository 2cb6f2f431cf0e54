package io.agentworkspace.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Helm's chart, rendered with its default values. Helm itself is not at hand, so the templates use only what is rendered here: values, the
 * name of the release, one level of {@code if}, and one {@code range}.
 */
class ChartTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String RELEASE = "engine";
    private static final Pattern VALUE = Pattern.compile("\\{\\{ \\.Values\\.([\\w.]+) }}");
    private static final Pattern IF =
            Pattern.compile("(?s) *\\{\\{- if \\.Values\\.([\\w.]+) }}\\n(.*?) *\\{\\{- end }}\\n");
    private static final Pattern RANGE = Pattern.compile(
            "(?s) *\\{\\{- range \\$name, \\$value := \\.Values\\.(\\w+) }}\\n(.*?) *\\{\\{- end }}\\n");

    private static JsonNode values() {
        return YAML.readTree(Repository.text(Repository.file("charts/engine/values.yaml")));
    }

    private static JsonNode value(String path) {
        return values().at("/" + path.replace('.', '/'));
    }

    private static JsonNode rendered(String template) {
        var text = Repository.text(Repository.file("charts/engine/templates/" + template));
        text = RANGE.matcher(text)
                .replaceAll(found -> value(found.group(1)).properties().stream()
                        .map(each -> found.group(2)
                                .replace("{{ $name }}", each.getKey())
                                .replace("{{ $value }}", each.getValue().asString()))
                        .collect(Collectors.joining()));
        text = IF.matcher(text)
                .replaceAll(found -> value(found.group(1)).asBoolean()
                        ? java.util.regex.Matcher.quoteReplacement(found.group(2))
                        : "");
        text = VALUE.matcher(text.replace("{{ .Release.Name }}", RELEASE)).replaceAll(found -> {
            assertThat(value(found.group(1)).isMissingNode()).as(found.group(1)).isFalse();
            return value(found.group(1)).asString();
        });
        assertThat(text).doesNotContain("{{");
        return YAML.readTree(text);
    }

    private static JsonNode pod() {
        return rendered("deployment.yaml").at("/spec/template/spec");
    }

    private static List<String> names(JsonNode list) {
        return list.valueStream().map(each -> each.path("name").asString()).toList();
    }

    @Test
    void eachPartHasItsKindAndSelectsThePods() {
        var kinds = new LinkedHashMap<String, String>();
        kinds.put("deployment.yaml", "apps/v1 Deployment");
        kinds.put("service.yaml", "v1 Service");
        kinds.put("disruption.yaml", "policy/v1 PodDisruptionBudget");
        kinds.put("settings.yaml", "v1 ConfigMap");
        var labels = rendered("deployment.yaml").at("/spec/template/metadata/labels");
        kinds.forEach((file, kind) -> {
            var part = rendered(file);
            assertThat(part.path("apiVersion").asString() + " "
                            + part.path("kind").asString())
                    .isEqualTo(kind);
            assertThat(part.at("/metadata/name").asString()).isEqualTo(RELEASE);
        });
        assertThat(rendered("deployment.yaml").at("/spec/selector/matchLabels")).isEqualTo(labels);
        assertThat(rendered("disruption.yaml").at("/spec/selector/matchLabels")).isEqualTo(labels);
        assertThat(rendered("service.yaml").at("/spec/selector")).isEqualTo(labels);
    }

    @Test
    void theEngineAcceptsTheSettings() {
        Map<String, String> given = new LinkedHashMap<>();
        rendered("settings.yaml")
                .path("data")
                .properties()
                .forEach(each -> given.put(each.getKey(), each.getValue().asString()));
        pod().at("/containers/0/env")
                .valueStream()
                .forEach(each -> given.put(
                        each.path("name").asString(), each.path("value").asString()));
        given.remove("ENGINE_MAX_HEAP"); // Of the launcher.
        assertThat(UnknownSettings.of(given.keySet())).isEmpty();
        var settings = Settings.read(given, List.of());
        assertThat(settings.http().baseUrl()).isEqualTo("https://engine.example.com");
        assertThat(pod().path("terminationGracePeriodSeconds").asInt())
                .isGreaterThanOrEqualTo(settings.http().drain().toSecondsPart() + 27);
    }

    @Test
    void theSecretsInItsCommentsAreSettings() {
        var words = Pattern.compile("ENGINE_\\w+")
                .matcher(Repository.text(Repository.file("charts/engine/values.yaml")))
                .results()
                .map(found -> found.group())
                .collect(Collectors.toSet());
        assertThat(UnknownSettings.of(words)).isEmpty();
        assertThat(rendered("deployment.yaml").toString()).doesNotContain("ENGINE_SECRETS_KEY", "ENGINE_DATABASE_URL");
    }

    @Test
    void theContainerHasWhatItMountsAndRunsWithoutRights() {
        var container = pod().at("/containers/0");
        assertThat(names(container.path("volumeMounts"))).isEqualTo(names(pod().path("volumes")));
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(pod().at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        var ports = new ArrayList<>(names(container.path("ports")));
        assertThat(ports)
                .contains(
                        rendered("service.yaml").at("/spec/ports/0/targetPort").asString());
        for (var probe : List.of("livenessProbe", "readinessProbe")) {
            assertThat(ports)
                    .contains(container.at("/" + probe + "/httpGet/port").asString());
            assertThat(container.at("/" + probe + "/httpGet/path").asString()).startsWith("/api/health/");
        }
    }
}
