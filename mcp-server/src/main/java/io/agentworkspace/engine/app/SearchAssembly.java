package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.banks.VectorSource;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import io.agentworkspace.engine.memory.search.IndexBuilder;
import io.agentworkspace.engine.memory.search.IndexCache;
import io.agentworkspace.engine.memory.search.SearchQueries;
import io.agentworkspace.engine.memory.search.SearchedBankStore;
import io.agentworkspace.engine.memory.search.Searcher;
import io.agentworkspace.engine.memory.search.WordScanQueries;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/** The search in memory banks: its indexes, the model of meanings, and the work in the background for both. */
record SearchAssembly(HeavyWork heavy, Embedder embedder, VectorSource vectors, Searcher searcher) {
    /** @param keep takes what is closed with the engine */
    static SearchAssembly of(
            Settings settings,
            Db db,
            Clock clock,
            Consumer<AutoCloseable> keep,
            Housekeeping housekeeping,
            EngineMetrics figures) {
        var heavy = HeavyWork.ofMachine();
        var embedder = new Embedder(settings.embedding(), clock);
        keep.accept(embedder);
        var queries = new SearchQueries(db, embedder.id());
        var indexes = new IndexCache(queries, settings.database().dataDir().resolve("search"), clock);
        keep.accept(indexes);
        var builder = new IndexBuilder(
                queries, new SearchedBankStore(db), indexes, heavy, clock, IndexBuilder.Limits.DEFAULT);
        keep.accept(builder);
        builder.start();
        var embeddings = new EmbeddingQueue(new EmbeddingStore(db), embedder);
        keep.accept(embeddings);
        embeddings.start();
        housekeeping
                .every(Duration.ofSeconds(30), "unloading the embedding model", embedder::tidy)
                .every(Duration.ofSeconds(30), "closing search indexes", indexes::tidy)
                .every(Duration.ofMinutes(1), "writing which banks are searched", builder::record)
                .clearing("search indexes", indexes::purge)
                .clearing("searched banks", builder::purge);
        figures.heavy(heavy).search(indexes, builder).embeddings(embedder, embeddings, housekeeping);
        var scan = new WordScanQueries(db, embedder.id());
        return new SearchAssembly(
                heavy,
                embedder,
                new VectorSource(embedder, embeddings),
                new Searcher(queries, indexes, builder, scan, embedder));
    }
}
