package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.db.AdvisoryLock;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlFailure;
import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

    /** How many parts of texts are copied into an index in one transaction, which takes about 0.2 s in a large bank. */
    private static final int PORTION = 100;

    /** For how long it works at a time. */
    private static final Duration WORK = Duration.ofMillis(500);

    /** When it tries again what others were in the way of. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** A bank keeps its index while it has more than this share of the memories of a large one. */
    private static final int SHRUNK = 4;

    private static final String FILLING = "filling";

    private final Db db;
    private final String model;
    private final int large;
    /** With the time of {@link System#nanoTime} before which they are not worked on. */
    private final Map<WantedIndex, Long> wanted = new ConcurrentHashMap<>();

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

    private record KeptIndex(long tenant, long bank) {}

    /** Returns whether pgvector may know the nearest in a bank with so many memories. */
    boolean isFor(int memories) {
        return memories > large && isPossible;
    }

    /** Returns about the nearest memories, which may be hidden or deleted. If there are none, the bank's index is not complete. */
    List<UUID> nearest(Call call, long bank, float[] question) {
        try {
            var found = read(call, bank, question);
            if (found.isEmpty()) {
                wanted.putIfAbsent(new WantedIndex(call.caller().tenant(), bank, question.length), System.nanoTime());
            }
            return found;
        } catch (SqlFailure e) {
            giveUpIfMissing(e);
            return List.of();
        }
    }

    private List<UUID> read(Call call, long bank, float[] question) {
        return db.sql(call, """
                SELECT DISTINCT n.memory_id
                  FROM memory_nearest(:tenant, :bank, :model, CAST(:signature AS bit varying), :most) n
                """)
                .set("bank", bank)
                .set("model", model)
                .set("signature", Vectors.bits(question))
                .set("most", CANDIDATES)
                .list(row -> UUID.fromString(row.text("memory_id")));
    }

    /** Works for a while on the indexes that searches have asked for. One replica at a time does. */
    public void fill() {
        var began = System.nanoTime();
        try {
            wanted.forEach((index, from) -> {
                if (began - from >= 0) {
                    fill(index, began);
                }
            });
        } catch (SqlFailure e) {
            giveUpIfMissing(e);
        }
    }

    private void fill(WantedIndex index, long began) {
        var state = FILLING;
        while (state.equals(FILLING) && System.nanoTime() - began < WORK.toNanos()) {
            state = fill(index);
        }
        switch (state) {
            case "ready" -> wanted.remove(index);
            case "busy" -> wanted.replace(index, System.nanoTime() + PAUSE.toNanos());
            case FILLING -> {}
            default -> giveUp(state);
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

    /** An administrator may have dropped the extension or a table. */
    private void giveUpIfMissing(SqlFailure e) {
        if (!Db.isMissing(e)) {
            throw e;
        }
        giveUp(String.valueOf(e.getMessage()));
    }

    private void giveUp(String reason) {
        isPossible = false;
        wanted.clear();
        LOG.warn(
                "a bank has more than {} memories, and pgvector cannot be used: {}. Searches by meaning compare all of its vectors",
                large,
                reason);
    }

    /**
     * Deletes the indexes of deleted banks, of banks that are far from large by now, and of other models, and what is left of those that
     * an administrator has dropped. The next time deletes what others are using.
     */
    public void purge() {
        db.sql("SELECT n.tenant_id, n.bank_id FROM memory_near n ORDER BY n.tenant_id, n.bank_id")
                .list(row -> new KeptIndex(row.number("tenant_id"), row.number("bank_id")))
                .forEach(this::purge);
    }

    private void purge(KeptIndex index) {
        db.transaction(() -> db.sql("""
                SELECT memory_near_drop(n.tenant_id, n.bank_id)
                  FROM memory_near n
                 WHERE n.tenant_id = :tenant AND n.bank_id = :bank
                   AND (n.model <> :model
                        OR to_regclass(CONCAT(memory_near_table(n.bank_id), '_signature')) IS NULL
                        OR NOT EXISTS (SELECT 1 FROM memory m
                                        WHERE m.tenant_id = n.tenant_id AND m.bank_id = n.bank_id
                                       OFFSET :few))
                   AND pg_try_advisory_xact_lock(:lock)
                """)
                .set("tenant", index.tenant())
                .set("bank", index.bank())
                .set("model", model)
                .set("few", large / SHRUNK)
                .set("lock", AdvisoryLock.PGVECTOR.number)
                .list(_ -> true));
    }
}
