package io.agentworkspace.engine.kernel.metrics;

import com.github.benmanes.caffeine.cache.Cache;
import io.agentworkspace.engine.kernel.metrics.Metric.MetricType;
import io.agentworkspace.engine.kernel.metrics.Metric.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one engine. The parts of the engine count for themselves and register here how to read that, so that a
 * request pays only for the counting. Labels have few values: no names that callers choose.
 */
public final class Metrics {
    private final List<Metric> metrics = new CopyOnWriteArrayList<>();
    private @Nullable CacheMeter caches;

    /** A value that goes up and down. */
    public void gauge(String name, String help, DoubleSupplier value) {
        register(MetricType.GAUGE, name, help, () -> List.of(Sample.of(value.getAsDouble(), List.of())));
    }

    /** Values that go up and down, one for each value of a label. */
    public Labelled gauges(String name, String help, String label) {
        return labelled(MetricType.GAUGE, name, help, label);
    }

    /** How long something takes. */
    public void latency(String name, String help, Latency latency) {
        register(MetricType.LATENCY, name, help, () -> List.of(Sample.of(latency, List.of())));
    }

    /** A value that only grows. */
    public void counter(String name, String help, DoubleSupplier value) {
        register(MetricType.COUNTER, name, help, () -> List.of(Sample.of(value.getAsDouble(), List.of())));
    }

    /** Values that only grow, one for each value of a label. */
    public Labelled counters(String name, String help, String label) {
        return labelled(MetricType.COUNTER, name, help, label);
    }

    private Labelled labelled(MetricType kind, String name, String help, String label) {
        var labelled = new Labelled(label);
        register(kind, name, help, labelled::samples);
        return labelled;
    }

    /** How full a cache is, and how often it has what is looked up. It must record its statistics. */
    public synchronized void cache(String name, Cache<?, ?> cache) {
        if (caches == null) {
            caches = new CacheMeter(this);
        }
        caches.add(name, cache);
    }

    void register(MetricType kind, String name, String help, Supplier<List<Sample>> samples) {
        metrics.add(new Metric(kind, name, help, samples));
    }

    List<Metric> all() {
        return metrics;
    }

    /** The values of a metric with one label. */
    public static final class Labelled {
        private final String label;
        private final List<One> ones = new CopyOnWriteArrayList<>();

        private record One(String value, DoubleSupplier number) {}

        private Labelled(String label) {
            this.label = label;
        }

        public Labelled with(String value, DoubleSupplier number) {
            ones.add(new One(value, number));
            return this;
        }

        private List<Sample> samples() {
            var samples = new ArrayList<Sample>();
            ones.forEach(one -> {
                var number = one.number().getAsDouble();
                if (!Double.isNaN(number)) { // Not known at present.
                    samples.add(Sample.of(number, List.of(label, one.value())));
                }
            });
            return samples;
        }
    }
}
