package io.agentworkspace.engine.memory.banks.use;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.use.FoundCounts.Count;
import io.agentworkspace.engine.memory.banks.use.FoundCounts.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Writes who found which memories, how often and when last. */
public final class MemoryUseStore {
    /** How many finders of a memory are kept by name, the latest; the others are one row. */
    static final int FINDERS = 10;

    /** The finder of the row that the others are added to. No agent or user has this id. */
    static final long OTHERS = 0;

    /**
     * What is being deleted at the moment loses this count: to wait for a large deletion would hold up all other counts, or end
     * in a deadlock with it.
     */
    private static final String LIVING = """
            (SELECT m.bank_id, m.id AS memory_id
               FROM memory m
              WHERE m.tenant_id = :tenant
                AND (m.bank_id, m.id) IN (SELECT * FROM unnest(CAST(:banks AS bigint[]), CAST(:memories AS uuid[])))
              ORDER BY m.bank_id, m.id
                FOR KEY SHARE SKIP LOCKED)
            """;

    private static final String ADD = SqlTemplate.of("""
            INSERT INTO memory_use AS u (tenant_id, bank_id, memory_id, finder_id, times, last_at, revision)
            SELECT home.tenant_id, f.bank_id, f.memory_id, f.finder_id, f.times, f.last_at, f.revision
              FROM tenant_plan home
             CROSS JOIN {living} m
              JOIN unnest(CAST(:banks AS bigint[]), CAST(:memories AS uuid[]), CAST(:finders AS bigint[]),
                          CAST(:times AS bigint[]), CAST(:last_at AS timestamptz[]), CAST(:revisions AS bigint[]))
                   f (bank_id, memory_id, finder_id, times, last_at, revision)
                ON m.bank_id = f.bank_id AND m.memory_id = f.memory_id
             WHERE home.tenant_id = :tenant
             ORDER BY f.bank_id, f.memory_id, f.finder_id
            ON CONFLICT (tenant_id, bank_id, memory_id, finder_id) DO UPDATE
               SET times = u.times + excluded.times,
                   last_at = greatest(u.last_at, excluded.last_at),
                   revision = greatest(u.revision, excluded.revision)
            """).with("living", LIVING).sql();

    /** Another replica may fold the same rows: what it has deleted is not returned here. */
    private static final String FOLD =
            SqlTemplate.of("""
            WITH excess AS (
                SELECT u.bank_id, u.memory_id, u.finder_id
                  FROM (SELECT u.bank_id, u.memory_id, u.finder_id,
                               row_number() OVER (PARTITION BY u.bank_id, u.memory_id
                                                      ORDER BY u.last_at DESC, u.finder_id DESC) AS place
                          FROM {living} f
                          JOIN memory_use u
                            ON u.tenant_id = :tenant AND u.bank_id = f.bank_id AND u.memory_id = f.memory_id
                         WHERE u.finder_id <> 0) u
                 WHERE u.place > :kept),
            folded AS (
                DELETE FROM memory_use u
                 USING excess e
                 WHERE u.tenant_id = :tenant AND u.bank_id = e.bank_id AND u.memory_id = e.memory_id
                   AND u.finder_id = e.finder_id
                RETURNING u.*),
            noted AS (
            INSERT INTO memory_use AS u (tenant_id, bank_id, memory_id, finder_id, times, last_at, revision)
            SELECT home.tenant_id, f.bank_id, f.memory_id, 0, f.times, f.last_at, f.revision
              FROM tenant_plan home
             CROSS JOIN (SELECT bank_id, memory_id, CAST(sum(times) AS bigint) AS times, max(last_at) AS last_at, max(revision) AS revision
                           FROM folded
                          GROUP BY bank_id, memory_id) f
             WHERE home.tenant_id = :tenant
             ORDER BY f.bank_id, f.memory_id
            ON CONFLICT (tenant_id, bank_id, memory_id, finder_id) DO UPDATE
               SET times = u.times + excluded.times,
                   last_at = greatest(u.last_at, excluded.last_at),
                   revision = greatest(u.revision, excluded.revision))
            SELECT 1
            """).with("living", LIVING).sql();

    private final Db db;

    public MemoryUseStore(Db db) {
        this.db = db;
    }

    /**
     * Adds counts of a tenant's memories that still exist. They are in one order, so that replicas do not wait for each other in a
     * circle.
     */
    void add(long tenant, Map<Finding, Count> counts) {
        db.sql(ADD)
                .set("tenant", tenant)
                .set("banks", column(counts.keySet(), Finding::bank))
                .set("memories", column(counts.keySet(), Finding::memory))
                .set("finders", column(counts.keySet(), Finding::finder))
                .set("times", column(counts.values(), Count::times))
                .set("last_at", column(counts.values(), count -> count.lastAt().toString()))
                .set("revisions", column(counts.values(), Count::revision))
                .run();
    }

    /** Adds the finders of these memories of a tenant that are not among the latest to the row of the others. */
    void fold(long tenant, Set<Finding> findings) {
        db.sql(FOLD)
                .set("tenant", tenant)
                .set("banks", column(findings, Finding::bank))
                .set("memories", column(findings, Finding::memory))
                .set("kept", FINDERS)
                .run();
    }

    private static <T> List<Object> column(Iterable<T> rows, Function<T, Object> value) {
        var column = new ArrayList<Object>();
        rows.forEach(row -> column.add(value.apply(row)));
        return column;
    }
}
