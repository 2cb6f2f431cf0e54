package io.agentworkspace.engine.app;

import io.agentworkspace.engine.integrations.webhooks.outbox.Outbox;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.metrics.CacheMeter;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import io.agentworkspace.engine.memory.search.IndexBuilder;
import io.agentworkspace.engine.memory.search.IndexCache;
import io.agentworkspace.engine.web.server.WebServer;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Which figures of its parts the engine serves as metrics. */
final class EngineMetrics {
    /** How often the database is read for metrics, however often somebody asks for them. */
    private static final Duration READ = Duration.ofSeconds(15);

    private static final double MILLIS = 1e3;

    private final Metrics metrics;
    private final CacheMeter caches;

    EngineMetrics(Metrics metrics) {
        this.metrics = metrics;
        this.caches = new CacheMeter(metrics);
        metrics.gauges("engine_info", "1, with the version of the engine.", "version")
                .with(App.VERSION, () -> 1);
    }

    CacheMeter caches() {
        return caches;
    }

    EngineMetrics database(Db db) {
        metrics.gauges("engine_db_connections", "Connections to the database.", "state")
                .with("active", db::active)
                .with("idle", db::idle);
        metrics.gauge(
                "engine_db_connections_max", "Connections that there may be (ENGINE_DATABASE_POOL_SIZE).", db::most);
        metrics.gauge("engine_db_calls_waiting", "Calls that wait for a connection.", db::waiting);
        metrics.latency("engine_db_wait_seconds", "How long calls waited for a connection.", db.waits());
        return this;
    }

    EngineMetrics connections(WebServer server) {
        metrics.gauge("engine_http_connections", "Open connections of clients.", server::connections);
        metrics.gauge(
                "engine_http_connections_max",
                "Connections of clients that there may be, by the heap and the limit of open files.",
                server::mostConnections);
        metrics.counters("engine_http_connections_closed", "Connections closed because there were too many.", "reason")
                .with("limit", server::closedConnections);
        metrics.counter(
                "engine_http_requests_cancelled",
                "Requests cancelled because their clients had closed the connection.",
                server::cancelledRequests);
        return this;
    }

    EngineMetrics streams(StreamLimits streams) {
        metrics.gauge(
                "engine_streams_open", "Open streams of MCP clients and of /api/stream: the listeners.", streams::open);
        return this;
    }

    EngineMetrics heavy(HeavyWork work) {
        metrics.gauge(
                "engine_heavy_calls_waiting",
                "Searches and other calls with much work that wait for their turn.",
                work::waiting);
        return this;
    }

    EngineMetrics search(IndexCache indexes, IndexBuilder builder) {
        metrics.gauge(
                "engine_search_indexes_building",
                "Memory banks whose search index is being built, or waits for that.",
                builder::waiting);
        metrics.gauge("engine_search_indexes_open", "Memory banks whose search index is open.", indexes::size);
        return this;
    }

    /** What waits is the same on every replica, since they share the queue. */
    EngineMetrics embeddings(Embedder embedder, EmbeddingQueue queue, Housekeeping housekeeping) {
        metrics.gauge(
                "engine_embedding_model_loaded",
                "1 while the model of embeddings is in memory.",
                () -> embedder.isLoaded() ? 1 : 0);
        metrics.gauge(
                "engine_embedding_model_failed",
                "1 while the model could not be loaded: searches go by words until it is tried again.",
                () -> embedder.isFailed() ? 1 : 0);
        if (embedder.isOn()) {
            var last = new AtomicReference<>(new EmbeddingStore.Lag(0, Duration.ZERO));
            housekeeping.every(READ, "reading the embedding lag", () -> last.set(queue.lag()));
            metrics.gauge(
                    "engine_embedding_waiting",
                    "Revisions of memories that wait for vectors, of all replicas; at most 10,000 are counted.",
                    () -> last.get().memories());
            metrics.gauge(
                    "engine_embedding_lag_seconds",
                    "How long the first of them has waited.",
                    () -> last.get().longest().toMillis() / MILLIS);
        }
        return this;
    }

    EngineMetrics outbox(Outbox outbox) {
        metrics.gauge("engine_outbox_attempts_in_flight", "Webhook deliveries being attempted.", outbox::underWay);
        metrics.counters("engine_outbox_attempts", "Attempts of webhook deliveries.", "outcome")
                .with("delivered", outbox::succeeded)
                .with("failed", outbox::failed);
        return this;
    }

    /** The same figures on every replica, since they share the outbox. */
    EngineMetrics depth(OutboxStore store, Housekeeping housekeeping, Clock clock) {
        var last = new AtomicReference<>(new OutboxStore.Depth(0, 0, null));
        housekeeping.every(READ, "reading the outbox depth", () -> last.set(store.depth(clock.instant())));
        metrics.gauges(
                        "engine_outbox_deliveries",
                        "Webhook deliveries that are still to be attempted, of all replicas; at most 100,000 are counted.",
                        "state")
                .with("due", () -> last.get().due())
                .with("scheduled", () -> last.get().waiting() - last.get().due());
        metrics.gauge(
                "engine_outbox_oldest_due_seconds", "How long the oldest delivery that is due has waited.", () -> {
                    var oldest = last.get().oldest();
                    return oldest == null
                            ? 0
                            : Duration.between(oldest, clock.instant()).toMillis() / MILLIS;
                });
        return this;
    }
}
