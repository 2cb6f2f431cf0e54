package io.agentworkspace.engine.app.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the engine reveals about itself to those who operate it.
 *
 * @param metricsToken opens {@code /metrics}; null: closed
 * @param metricsListen where metrics are served without a credential; null: nowhere
 * @param tracing OpenTelemetry's own variables; empty: off
 */
public record ObservabilitySettings(
        @Nullable String metricsToken, @Nullable ListenAddress metricsListen, Map<String, String> tracing) {
    static final Setting<String> METRICS_TOKEN = Setting.of(
                    "ENGINE_METRICS_TOKEN",
                    null,
                    "bearer token for /metrics; without one, /metrics is closed",
                    "16 to 200 printable characters without spaces",
                    ObservabilitySettings::token)
            .isSecret();
    static final Setting<ListenAddress> METRICS_LISTEN = Setting.of(
            "ENGINE_METRICS_LISTEN",
            null,
            "separate address that serves /metrics without a credential",
            "a host and a port, such as 127.0.0.1:9464",
            ListenAddress::parse);

    private static final String OTEL = "OTEL_";
    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    /** A host and a port. */
    public record ListenAddress(String host, int port) {
        static ListenAddress parse(String text) {
            var colon = text.lastIndexOf(':');
            if (colon <= 0) {
                throw new IllegalArgumentException(text);
            }
            var host = SettingParsers.host(text.substring(0, colon));
            return new ListenAddress(host, SettingParsers.number(0, 65_535).apply(text.substring(colon + 1)));
        }
    }

    static ObservabilitySettings read(Map<String, String> values) {
        return new ObservabilitySettings(METRICS_TOKEN.find(values), METRICS_LISTEN.find(values), tracing(values));
    }

    /** OpenTelemetry's specification names them; an endpoint turns tracing on. */
    private static Map<String, String> tracing(Map<String, String> values) {
        var variables = values.entrySet().stream()
                .filter(one -> one.getKey().startsWith(OTEL) && !one.getValue().isBlank())
                .collect(Collectors.toMap(
                        Map.Entry::getKey, one -> one.getValue().strip(), (first, _) -> first, TreeMap::new));
        var isOff = "true".equalsIgnoreCase(variables.get("OTEL_SDK_DISABLED"))
                || "none".equals(variables.get("OTEL_TRACES_EXPORTER"));
        if (isOff || !(variables.containsKey(ENDPOINT) || variables.containsKey(TRACES_ENDPOINT))) {
            return Map.of();
        }
        check(ENDPOINT, variables);
        check(TRACES_ENDPOINT, variables);
        return Map.copyOf(variables);
    }

    private static void check(String name, Map<String, String> variables) {
        var text = variables.get(name);
        if (text == null) {
            return;
        }
        try {
            var address = new URI(text);
            if (address.getHost() != null
                    && ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))) {
                return;
            }
        } catch (URISyntaxException e) {
            // Refused below.
        }
        throw new InvalidSetting(name + " must be an address such as http://127.0.0.1:4318, not '" + text + "'");
    }

    private static String token(String text) {
        if (!text.matches("[\\x21-\\x7e]{16,200}")) {
            throw new IllegalArgumentException();
        }
        return text;
    }
}
