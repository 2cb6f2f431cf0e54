package io.agentworkspace.engine.kernel.metrics;

import io.agentworkspace.engine.kernel.metrics.Metric.MetricType;
import io.agentworkspace.engine.kernel.metrics.Metric.Sample;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The HTTP requests of each endpoint by status, how long they took, and how many are in flight. */
public final class HttpMeter {
    private static final int STATUSES = 600;

    private final Map<HttpEndpoint, Counts> endpoints = new EnumMap<>(HttpEndpoint.class);
    private final LongAdder starts = new LongAdder();
    private final LongAdder ends = new LongAdder();

    /** What a request was for. */
    public enum HttpEndpoint {
        MCP,
        REST,
        PAGES,
        STREAM,
        HEALTH
    }

    private static final class Counts {
        private final LongAdder[] statuses = new LongAdder[STATUSES];
        private final Latency latency = new Latency();

        Counts() {
            for (var i = 0; i < STATUSES; i++) {
                statuses[i] = new LongAdder();
            }
        }
    }

    public HttpMeter(Metrics metrics) {
        for (var endpoint : HttpEndpoint.values()) {
            endpoints.put(endpoint, new Counts());
        }
        metrics.register(
                MetricType.COUNTER,
                "engine_http_requests",
                "HTTP requests by endpoint and status; 0 if the client left before a response began.",
                this::requests);
        metrics.register(
                MetricType.LATENCY,
                "engine_http_request_duration_seconds",
                "From the headers of a request to the end of its response; without streams.",
                this::durations);
        metrics.gauge(
                "engine_http_requests_in_flight",
                "HTTP requests whose response is not complete, open streams included.",
                () -> (double) starts.sum() - ends.sum());
    }

    public void began() {
        starts.increment();
    }

    /** @param nanos how long it took; negative for a stream, whose duration says nothing */
    public void ended(HttpEndpoint endpoint, int status, long nanos) {
        ends.increment();
        var counts = endpoints.get(endpoint);
        if (counts != null) {
            counts.statuses[status > 0 && status < STATUSES ? status : 0].increment();
            if (nanos >= 0) {
                counts.latency.add(nanos);
            }
        }
    }

    private List<Sample> requests() {
        var samples = new ArrayList<Sample>();
        endpoints.forEach((endpoint, counts) -> {
            for (var status = 0; status < STATUSES; status++) {
                var number = counts.statuses[status].sum();
                if (number > 0) {
                    samples.add(
                            Sample.of(number, List.of("endpoint", word(endpoint), "status", Integer.toString(status))));
                }
            }
        });
        return samples;
    }

    private List<Sample> durations() {
        var samples = new ArrayList<Sample>();
        endpoints.forEach(
                (endpoint, counts) -> samples.add(Sample.of(counts.latency, List.of("endpoint", word(endpoint)))));
        return samples;
    }

    private static String word(HttpEndpoint endpoint) {
        return endpoint.name().toLowerCase(Locale.ROOT);
    }
}
