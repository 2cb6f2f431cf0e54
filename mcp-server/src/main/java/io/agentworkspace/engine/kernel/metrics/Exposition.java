package io.agentworkspace.engine.kernel.metrics;

import io.agentworkspace.engine.kernel.metrics.Metric.Sample;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The metrics as text, in the format that the scraper accepts. The library for it is loaded at the first scrape. */
final class Exposition {
    private static final Logger LOG = LoggerFactory.getLogger(Exposition.class);

    private final Metrics metrics;
    private final PrometheusRegistry jvm = new PrometheusRegistry();
    private final ExpositionFormats formats = ExpositionFormats.init();

    Exposition(Metrics metrics) {
        this.metrics = metrics;
        JvmMemoryMetrics.builder().register(jvm);
        JvmGarbageCollectorMetrics.builder().register(jvm);
        JvmThreadsMetrics.builder().register(jvm);
        JvmBufferPoolMetrics.builder().register(jvm);
        JvmClassLoadingMetrics.builder().register(jvm);
        JvmRuntimeInfoMetric.builder().register(jvm);
        ProcessMetrics.builder().register(jvm);
    }

    /** A body, and its media type. */
    record Text(String contentType, byte[] body) {}

    Text in(@Nullable String accepted) {
        var writer = writer(accepted);
        var bytes = new ByteArrayOutputStream();
        try {
            writer.write(bytes, snapshots());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Text(writer.getContentType(), bytes.toByteArray());
    }

    /** Text only: the binary format is a library of its own. */
    private ExpositionFormatWriter writer(@Nullable String accepted) {
        var writer = formats.getOpenMetricsTextFormatWriter();
        return writer.accepts(accepted) ? writer : formats.getPrometheusTextFormatWriter();
    }

    private MetricSnapshots snapshots() {
        var all = MetricSnapshots.builder();
        metrics.all().forEach(metric -> snapshot(metric).ifPresent(all::metricSnapshot));
        jvm.scrape().forEach(all::metricSnapshot);
        return all.build();
    }

    /** Without a metric that cannot be read: the others still can. */
    private static Optional<MetricSnapshot> snapshot(Metric metric) {
        try {
            return Optional.of(
                    switch (metric.kind()) {
                        case COUNTER -> counter(metric);
                        case GAUGE -> gauge(metric);
                        case LATENCY -> histogram(metric);
                    });
        } catch (RuntimeException e) {
            LOG.warn("the metric {} cannot be read: {}", metric.name(), e.toString());
            return Optional.empty();
        }
    }

    private static MetricSnapshot counter(Metric metric) {
        var snapshot = CounterSnapshot.builder().name(metric.name()).help(metric.help());
        metric.samples()
                .get()
                .forEach(sample -> snapshot.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(labels(sample))
                        .value(sample.value())
                        .build()));
        return snapshot.build();
    }

    private static MetricSnapshot gauge(Metric metric) {
        var snapshot = GaugeSnapshot.builder().name(metric.name()).help(metric.help());
        metric.samples()
                .get()
                .forEach(sample -> snapshot.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(labels(sample))
                        .value(sample.value())
                        .build()));
        return snapshot.build();
    }

    private static MetricSnapshot histogram(Metric metric) {
        var snapshot = HistogramSnapshot.builder().name(metric.name()).help(metric.help());
        metric.samples()
                .get()
                .forEach(sample -> snapshot.dataPoint(HistogramDataPointSnapshot.builder()
                        .labels(labels(sample))
                        .classicHistogramBuckets(ClassicHistogramBuckets.of(
                                Latency.bounds(), sample.latency().counts()))
                        .sum(sample.latency().sum())
                        .build()));
        return snapshot.build();
    }

    private static Labels labels(Sample sample) {
        return Labels.of(sample.labels().toArray(String[]::new));
    }
}
