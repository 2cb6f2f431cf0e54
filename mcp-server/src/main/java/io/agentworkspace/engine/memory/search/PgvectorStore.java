package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.db.AdvisoryLock;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nearest memories of large banks, as pgvector finds them, where the database has it. The first search of a large bank asks for
 * its HNSW index. Until that is complete, and without pgvector, {@link VectorScan} compares all vectors.
 */
public final class PgvectorStore {
    private static final Logger LOG = LoggerFactory.getLogger(PgvectorStore.class);

    /** How many are found by their signatures. Their vectors are compared then. */
    private static final int CANDIDATES = 400;

    /** How many memories are copied into an index in one transaction, which takes about 0.2 s in a large bank. */
    private static final int PORTION = 100;

    /** For how long it works at a time. */
    private static final Duration WORK = Duration.ofMillis(500);

    private static final String FILLING = "filling";

    private final Db db;
    private final String model;
    private final int large;
    private final Set<WantedIndex> wanted = ConcurrentHashMap.newKeySet();
    private volatile boolean isPossible = true;

    /**
     * @param model whose vectors are compared
     * @param large a bank with more memories than this is large
     */
    public PgvectorStore(Db db, String model, int large) {
        this.db = db;
        this.model = model;
        this.large = large;
    }

    private record WantedIndex(long tenant, long bank, int dimensions) {}

    /** Returns whether pgvector may know the nearest in a bank with so many memories. */
    boolean isFor(int memories) {
        return memories > large && isPossible;
    }

    /** Returns about the nearest memories, which may be hidden or deleted. If there are none, the bank's index is not complete. */
    List<UUID> nearest(Call call, long bank, float[] question) {
        var found = db.sql(call, """
                SELECT DISTINCT n.memory_id
                  FROM memory_nearest(:tenant, :bank, :model, CAST(:signature AS bit varying), :most) n
                """)
                .set("bank", bank)
                .set("model", model)
                .set("signature", Vectors.bits(question))
                .set("most", CANDIDATES)
                .list(row -> UUID.fromString(row.text("memory_id")));
        if (found.isEmpty()) {
            wanted.add(new WantedIndex(call.caller().tenant(), bank, question.length));
        }
        return found;
    }

    /** Works for a while on the indexes that searches have asked for. One replica at a time does. */
    public void fill() {
        var began = System.nanoTime();
        for (var index : wanted) {
            var state = FILLING;
            while (state.equals(FILLING) && System.nanoTime() - began < WORK.toNanos()) {
                state = fill(index);
            }
            switch (state) {
                case "ready" -> wanted.remove(index);
                case FILLING, "busy" -> {}
                default -> giveUp(state);
            }
        }
    }

    private String fill(WantedIndex index) {
        return db.transaction(() -> db.sql("""
                        SELECT CASE WHEN pg_try_advisory_xact_lock(:lock)
                                    THEN memory_near_fill(:tenant, :bank, :model, :dimensions, :most)
                                    ELSE 'busy' END AS state
                        """)
                .set("lock", AdvisoryLock.PGVECTOR.number)
                .set("tenant", index.tenant())
                .set("bank", index.bank())
                .set("model", model)
                .set("dimensions", index.dimensions())
                .set("most", PORTION)
                .one(row -> row.text("state"))
                .orElseThrow());
    }

    private void giveUp(String reason) {
        isPossible = false;
        wanted.clear();
        LOG.warn(
                "a bank has more than {} memories, and pgvector cannot be used: {}. Searches by meaning compare all of its vectors",
                large,
                reason);
    }

    /** Deletes the indexes of deleted banks and of other models. */
    public void purge() {
        db.transaction(() -> db.sql("""
                SELECT memory_near_drop(n.tenant_id, n.bank_id)
                  FROM memory_near n
                 WHERE n.model <> :model
                    OR NOT EXISTS (SELECT 1 FROM bank b WHERE b.tenant_id = n.tenant_id AND b.id = n.bank_id)
                """).set("model", model).list(_ -> true));
    }
}
