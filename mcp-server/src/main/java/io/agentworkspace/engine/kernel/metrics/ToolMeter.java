package io.agentworkspace.engine.kernel.metrics;

import io.agentworkspace.engine.kernel.metrics.Metric.MetricType;
import io.agentworkspace.engine.kernel.metrics.Metric.Sample;
import io.agentworkspace.engine.model.problem.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The calls of each tool by outcome, and how long they took. */
public final class ToolMeter {
    /** What the calls of tools of installed servers count as. */
    public static final String UPSTREAM = "upstream";

    private static final String UNKNOWN = "unknown";
    private static final Failure[] FAILURES = Failure.values();

    private final Map<String, Counts> tools = new HashMap<>();
    private final Counts unknown = new Counts();

    private static final class Counts {
        private final LongAdder[] outcomes = new LongAdder[FAILURES.length + 1];
        private final Latency latency = new Latency();

        Counts() {
            for (var i = 0; i < outcomes.length; i++) {
                outcomes[i] = new LongAdder();
            }
        }
    }

    /** @param names of all tools: calls of others count as one */
    public ToolMeter(Metrics metrics, Collection<String> names) {
        names.forEach(name -> tools.put(name, new Counts()));
        tools.put(UPSTREAM, new Counts());
        metrics.register(
                MetricType.COUNTER,
                "engine_tool_calls",
                "Calls of tools over all endpoints, by tool and outcome: ok, or the error that refused the call.",
                this::calls);
        metrics.register(
                MetricType.LATENCY,
                "engine_tool_duration_seconds",
                "How long the calls of a tool took, without reading the request and sending the response.",
                this::durations);
    }

    public void count(String tool, @Nullable Failure failure, long nanos) {
        var counts = Objects.requireNonNullElse(tools.get(tool), unknown);
        counts.outcomes[failure == null ? 0 : failure.ordinal() + 1].increment();
        counts.latency.add(nanos);
    }

    private List<Sample> calls() {
        var samples = new ArrayList<Sample>();
        tools.forEach((tool, counts) -> calls(tool, counts, samples));
        calls(UNKNOWN, unknown, samples);
        return samples;
    }

    private static void calls(String tool, Counts counts, List<Sample> samples) {
        for (var i = 0; i < counts.outcomes.length; i++) {
            var number = counts.outcomes[i].sum();
            if (number > 0) {
                var outcome = i == 0 ? "ok" : FAILURES[i - 1].error();
                samples.add(Sample.of(number, List.of("tool", tool, "outcome", outcome)));
            }
        }
    }

    private List<Sample> durations() {
        var samples = new ArrayList<Sample>();
        tools.forEach((tool, counts) -> {
            if (counts.latency.sum() > 0) {
                samples.add(Sample.of(counts.latency, List.of("tool", tool)));
            }
        });
        return samples;
    }
}
