package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.VectorSource;
import io.agentworkspace.engine.memory.banks.corrections.WritableSearch;
import io.agentworkspace.engine.memory.banks.use.FoundCounts;
import io.agentworkspace.engine.memory.banks.use.MemoryUseStore;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import io.agentworkspace.engine.memory.search.contradictions.Contradictions;
import io.agentworkspace.engine.memory.search.index.CurrentIndexes;
import io.agentworkspace.engine.memory.search.index.IndexBuilder;
import io.agentworkspace.engine.memory.search.index.IndexCache;
import io.agentworkspace.engine.memory.search.index.IndexQueries;
import io.agentworkspace.engine.memory.search.index.SearchedBankStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The feature of searching memory banks, and what other features need of it.
 *
 * @param embedder the model of meanings
 * @param writable searches in the banks that the caller may write
 */
public record SearchFeature(
        Embedder embedder, VectorSource vectors, Searcher searcher, WritableSearch writable, Feature feature) {
    /** How often the database is read for metrics, however often somebody asks for them. */
    private static final Duration READ = Duration.ofSeconds(15);

    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);
    private static final double MILLIS = 1e3;

    /**
     * @param directory where the indexes are
     * @param heavy the permits of work that others size
     */
    public static SearchFeature of(Db db, EmbeddingConfig settings, Path directory, HeavyWork heavy, Clock clock) {
        var embedder = new Embedder(settings, clock);
        var queries = new IndexQueries(db, embedder.id());
        var indexes = new IndexCache(queries, directory, clock);
        var builder = new IndexBuilder(
                queries, new SearchedBankStore(db), indexes, heavy, clock, IndexBuilder.Limits.DEFAULT);
        var embeddings = new EmbeddingQueue(new EmbeddingStore(db), embedder);
        var current = new CurrentIndexes(queries, indexes, builder);
        var searcher = new Searcher(
                current,
                new WordScan(new WordScanQueries(db, embedder.id()), current),
                new IndexedSearch(new SearchQueries(db), embedder, new Corrections(new CorrectionQueries(db))),
                embedder);
        var banks = new BankStore(db);
        var counts = new FoundCounts(new MemoryUseStore(db));
        var feature = new Feature()
                .tools(new SearchTools(banks, searcher, counts, new Surroundings(new NeighbourQueries(db))).tools())
                .tools(new EvaluateTools(banks, searcher, current, new Contradictions(db, clock), clock).tools())
                .after("MB_Import")
                .closing(embedder)
                .closing(indexes)
                .running(builder, builder::start)
                .running(embeddings, embeddings::start)
                .background(work -> work.every(HALF_A_MINUTE, "unloading the embedding model", embedder::tidy)
                        .every(HALF_A_MINUTE, "closing search indexes", indexes::tidy)
                        .every(Duration.ofMinutes(1), "writing which banks are searched", builder::record)
                        .every(Duration.ofSeconds(2), "writing which memories are found", counts::flush)
                        .clearing("search indexes", indexes::purge)
                        .clearing("searched banks", builder::purge))
                .metrics(metrics -> {
                    indexes(metrics, indexes, builder);
                    model(metrics, embedder);
                });
        if (embedder.isOn()) {
            lag(feature, embeddings);
        }
        return new SearchFeature(
                embedder,
                new VectorSource(embedder, embeddings),
                searcher,
                (call, bank, work) -> heavy.run(() -> {
                    searcher.inWritable(call, bank, work);
                    return true;
                }),
                feature);
    }

    private static void indexes(Metrics metrics, IndexCache indexes, IndexBuilder builder) {
        metrics.gauge(
                "engine_search_indexes_building",
                "Memory banks whose search index is being built, or waits for that.",
                builder::waiting);
        metrics.gauge("engine_search_indexes_open", "Memory banks whose search index is open.", indexes::size);
    }

    private static void model(Metrics metrics, Embedder embedder) {
        metrics.gauge(
                "engine_embedding_model_loaded",
                "1 while the model of embeddings is in memory.",
                () -> embedder.isLoaded() ? 1 : 0);
        metrics.gauge(
                "engine_embedding_model_failed",
                "1 while the model could not be loaded: searches go by words until it is tried again.",
                () -> embedder.isFailed() ? 1 : 0);
    }

    /** What waits for vectors: the same on every replica, since they share the queue. */
    private static void lag(Feature feature, EmbeddingQueue embeddings) {
        var last = new AtomicReference<>(new EmbeddingStore.Lag(0, Duration.ZERO));
        feature.background(work -> work.every(READ, "reading the embedding lag", () -> last.set(embeddings.lag())))
                .metrics(metrics -> {
                    metrics.gauge(
                            "engine_embedding_waiting",
                            "Revisions of memories that wait for vectors, of all replicas; at most 10,000 are counted.",
                            () -> last.get().memories());
                    metrics.gauge(
                            "engine_embedding_lag_seconds",
                            "How long the first of them has waited.",
                            () -> last.get().longest().toMillis() / MILLIS);
                });
    }
}
