package io.agentworkspace.engine.kernel.metrics;

import java.util.List;
import java.util.function.Supplier;

/**
 * One metric: its name, its sentence, and its values, which are read when somebody asks for them.
 *
 * @param name without the suffix {@code _total} of counters
 */
record Metric(MetricType kind, String name, String help, Supplier<List<Sample>> samples) {
    /** A counter only grows. */
    enum MetricType {
        COUNTER,
        GAUGE,
        LATENCY
    }

    /**
     * One value of a metric.
     *
     * @param labels names and values in turn
     * @param latency for {@link MetricType#LATENCY}, the values; unused otherwise
     */
    record Sample(List<String> labels, double value, Latency latency) {
        private static final Latency NONE = new Latency();

        static Sample of(double value, List<String> labels) {
            return new Sample(labels, value, NONE);
        }

        static Sample of(Latency latency, List<String> labels) {
            return new Sample(labels, 0, latency);
        }
    }
}
