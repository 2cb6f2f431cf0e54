package io.agentworkspace.engine.kernel.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Spans over OpenTelemetry, as its environment variables configure it. Nothing of the library is loaded unless an endpoint
 * is set.
 */
public final class Tracing implements AutoCloseable {
    private static final String SERVICE = "agent-workspace-engine";
    private static final RemoteParentGetter GETTER = new RemoteParentGetter();

    private final OpenTelemetrySdk sdk;
    private final Tracer tracer;

    private Tracing(OpenTelemetrySdk sdk, String version) {
        this.sdk = sdk;
        this.tracer = sdk.getTracer("io.agentworkspace.engine", version);
    }

    /**
     * @param environment its variables whose names begin with {@code OTEL_}
     * @throws IllegalArgumentException if a variable cannot be understood
     */
    public static Tracing start(Map<String, String> environment, String version) {
        var defaults = Map.of(
                "otel.service.name", SERVICE,
                "otel.exporter.otlp.protocol", "http/protobuf",
                "otel.metrics.exporter", "none",
                "otel.logs.exporter", "none",
                "otel.propagators", "tracecontext");
        try {
            var configured = AutoConfiguredOpenTelemetrySdk.builder()
                    .disableShutdownHook()
                    .addPropertiesSupplier(() -> defaults)
                    .addPropertiesCustomizer(_ -> properties(environment))
                    .addResourceCustomizer((resource, _) ->
                            resource.toBuilder().put("service.version", version).build())
                    .build();
            return new Tracing(configured.getOpenTelemetrySdk(), version);
        } catch (ConfigurationException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Map<String, String> properties(Map<String, String> environment) {
        var properties = new HashMap<String, String>();
        environment.forEach(
                (name, value) -> properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value));
        return properties;
    }

    /** The span of a whole request, in the trace that its headers name. */
    public TraceSpan request(RemoteParent parent, String name) {
        return new OtelSpan(
                tracer,
                tracer.spanBuilder(name)
                        .setSpanKind(SpanKind.SERVER)
                        .setParent(remote(parent))
                        .startSpan());
    }

    private static Context remote(RemoteParent parent) {
        return W3CTraceContextPropagator.getInstance().extract(Context.root(), parent, GETTER);
    }

    /** Sends what has ended. */
    @Override
    public void close() {
        sdk.close();
    }

    private static final class RemoteParentGetter implements TextMapGetter<RemoteParent> {
        @Override
        public Iterable<String> keys(RemoteParent carrier) {
            return List.of("traceparent", "tracestate");
        }

        @Override
        public @Nullable String get(@Nullable RemoteParent carrier, String key) {
            if (carrier == null) {
                return null;
            }
            return switch (key) {
                case "traceparent" -> carrier.traceparent();
                case "tracestate" -> carrier.tracestate();
                default -> null;
            };
        }
    }

    private record OtelSpan(Tracer tracer, Span span) implements TraceSpan {
        @Override
        public TraceSpan child(String name, Kind kind) {
            return new OtelSpan(
                    tracer,
                    tracer.spanBuilder(name)
                            .setSpanKind(kind(kind))
                            .setParent(Context.root().with(span))
                            .startSpan());
        }

        @Override
        public TraceSpan joining(RemoteParent parent, String name, Kind kind) {
            var remote = remote(parent);
            if (!Span.fromContext(remote).getSpanContext().isValid()) {
                return child(name, kind);
            }
            var joined = tracer.spanBuilder(name)
                    .setSpanKind(kind(kind))
                    .setParent(remote)
                    .addLink(span.getSpanContext())
                    .startSpan();
            return new OtelSpan(tracer, joined);
        }

        private static SpanKind kind(Kind kind) {
            return switch (kind) {
                case SERVER -> SpanKind.SERVER;
                case CLIENT -> SpanKind.CLIENT;
                case INTERNAL -> SpanKind.INTERNAL;
            };
        }

        @Override
        public TraceSpan set(String key, String value) {
            span.setAttribute(key, value);
            return this;
        }

        @Override
        public TraceSpan set(String key, long value) {
            span.setAttribute(key, value);
            return this;
        }

        @Override
        public void failed(String type) {
            span.setAttribute("error.type", type);
            span.setStatus(StatusCode.ERROR);
        }

        @Override
        public void end() {
            span.end();
        }

        @Override
        public String traceId() {
            SpanContext context = span.getSpanContext();
            return context.getTraceId();
        }
    }
}
