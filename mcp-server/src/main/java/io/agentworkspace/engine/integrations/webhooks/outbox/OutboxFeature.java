package io.agentworkspace.engine.integrations.webhooks.outbox;

import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.feature.Feature;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** The feature of delivering events to webhooks. */
public final class OutboxFeature {
    /** How often the database is read for metrics, however often somebody asks for them. */
    private static final Duration READ = Duration.ofSeconds(15);

    private static final double MILLIS = 1e3;

    private OutboxFeature() {}

    /**
     * @param kept how long events and their deliveries are kept
     * @param isCounted whether metrics are served, so that it is worth counting what waits
     */
    public record Config(RetrySchedule schedule, Duration kept, boolean isCounted) {}

    public static Feature of(
            OutboxStore store, FeedStore feed, Sender sender, EventLog events, Config config, Clock clock) {
        var outbox = new Outbox(feed, store, sender, config.schedule(), clock);
        events.onCommitted(outbox::wake);
        var feature = new Feature()
                .closing(sender)
                .running(outbox, outbox::start)
                .background(work -> work.clearing("events", now -> store.purge(now.minus(config.kept()))))
                .metrics(metrics -> {
                    metrics.gauge(
                            "engine_outbox_attempts_in_flight",
                            "Webhook deliveries being attempted.",
                            outbox::underWay);
                    metrics.counters("engine_outbox_attempts", "Attempts of webhook deliveries.", "outcome")
                            .with("delivered", outbox::succeeded)
                            .with("failed", outbox::failed);
                });
        if (config.isCounted()) {
            depth(feature, store, clock);
        }
        return feature;
    }

    /** What waits for delivery: the same on every replica, since they share the outbox. */
    private static void depth(Feature feature, OutboxStore store, Clock clock) {
        var last = new AtomicReference<>(new OutboxStore.Depth(0, 0, null));
        feature.background(work ->
                        work.every(READ, "reading the outbox depth", () -> last.set(store.depth(clock.instant()))))
                .metrics(metrics -> {
                    metrics.gauges(
                                    "engine_outbox_deliveries",
                                    "Webhook deliveries that are still to be attempted, of all replicas; at most 100,000 are counted.",
                                    "state")
                            .with("due", () -> last.get().due())
                            .with(
                                    "scheduled",
                                    () -> last.get().waiting() - last.get().due());
                    metrics.gauge(
                            "engine_outbox_oldest_due_seconds",
                            "How long the oldest delivery that is due has waited.",
                            () -> {
                                var oldest = last.get().oldest();
                                return oldest == null
                                        ? 0
                                        : Duration.between(oldest, clock.instant())
                                                        .toMillis()
                                                / MILLIS;
                            });
                });
    }
}
