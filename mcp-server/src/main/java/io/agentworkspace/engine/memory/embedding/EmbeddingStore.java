package io.agentworkspace.engine.memory.embedding;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The memories that wait for vectors, of all tenants, and the vectors that they get. */
public final class EmbeddingStore {
    private static final String FREE = "v.vectors IS NULL AND (v.lease_until IS NULL OR v.lease_until < now())";

    /** The tenants with waiting memories, found one after the other in the index, without reading all that wait. */
    private static final String TENANTS = """
            SELECT f.tenant_id, 1 AS place
              FROM (SELECT v.tenant_id
                      FROM memory_vector v
                     WHERE {free} AND v.tenant_id > :after
                     ORDER BY v.tenant_id
                     LIMIT 1) f
            UNION ALL
            SELECT n.tenant_id, t.place + 1
              FROM tenants t
             CROSS JOIN LATERAL (SELECT v.tenant_id
                                   FROM memory_vector v
                                  WHERE {free} AND v.tenant_id > t.tenant_id
                                  ORDER BY v.tenant_id
                                  LIMIT 1) n
             WHERE t.place < :tenants
            """;

    /**
     * One of each tenant, then a second one of each, and so on. What others have locked is skipped. Each tenant has the same
     * share, so that no more rows are locked than are claimed.
     */
    private static final String CLAIM = SqlTemplate.of("""
            WITH RECURSIVE tenants AS ({tenants}),
            turns AS MATERIALIZED (
                SELECT o.*
                  FROM tenants t
                 CROSS JOIN LATERAL (SELECT v.tenant_id, v.bank_id, v.memory_id, v.revision, v.queued_at,
                                            row_number() OVER (ORDER BY v.queued_at) AS turn
                                       FROM (SELECT * FROM memory_vector v
                                              WHERE {free} AND v.tenant_id = t.tenant_id
                                              ORDER BY v.queued_at
                                              LIMIT (SELECT (:most + count(*) - 1) / GREATEST(count(*), 1) FROM tenants)
                                                FOR UPDATE SKIP LOCKED) v) o
                 ORDER BY o.turn, o.queued_at
                 LIMIT :most),
            batch AS (
                UPDATE memory_vector v
                   SET lease_until = now() + CAST(:lease AS interval), attempts = v.attempts + 1
                  FROM turns t
                 WHERE v.tenant_id = t.tenant_id AND v.bank_id = t.bank_id AND v.memory_id = t.memory_id
                   AND v.revision = t.revision
                RETURNING v.*, t.turn)
            SELECT h.tenant_id, h.bank_id, h.memory_id, h.revision, h.attempts,
                   CASE WHEN m.revision = h.revision THEN m.name ELSE r.name END AS name,
                   CASE WHEN m.revision = h.revision THEN m.text ELSE r.text END AS text
              FROM batch h
              JOIN memory m ON m.tenant_id = h.tenant_id AND m.bank_id = h.bank_id AND m.id = h.memory_id
              LEFT JOIN memory_revision r ON r.tenant_id = h.tenant_id AND r.bank_id = h.bank_id
                                         AND r.memory_id = h.memory_id AND r.revision = h.revision
             ORDER BY h.turn, h.queued_at
            """)
            .with("tenants", SqlTemplate.of(TENANTS).with("free", FREE).sql())
            .with("free", FREE)
            .sql();

    private static final String LAG = SqlTemplate.of("""
            WITH RECURSIVE tenants AS ({tenants})
            SELECT (SELECT count(*) FROM (SELECT 1 FROM memory_vector v WHERE v.vectors IS NULL LIMIT 10000) w) AS waiting,
                   COALESCE(extract(epoch FROM now() - min(o.queued_at)) * 1000, 0) AS longest
              FROM tenants t
             CROSS JOIN LATERAL (SELECT v.queued_at
                                   FROM memory_vector v
                                  WHERE v.vectors IS NULL AND v.tenant_id = t.tenant_id
                                  ORDER BY v.queued_at
                                  LIMIT 1) o
            """)
            .with(
                    "tenants",
                    SqlTemplate.of(TENANTS).with("free", "v.vectors IS NULL").sql())
            .sql();

    private static final String CLAIMED = """
             WHERE tenant_id = :tenant AND bank_id = :bank AND memory_id = :memory AND revision = :revision
               AND vectors IS NULL
            """;

    private static final String KEEP = """
            UPDATE memory_vector
               SET model = :model, vectors = :vectors, change = pg_current_xact_id(), lease_until = NULL
            """ + CLAIMED;

    private static final String RELEASE =
            "UPDATE memory_vector SET lease_until = NULL, attempts = attempts - 1" + CLAIMED;

    /** Two ranges of the index of models: for one condition with OR, PostgreSQL reads all vectors. */
    private static final String RENEW = SqlTemplate.of("""
            WITH earlier AS ({earlier}), later AS ({later})
            UPDATE memory_vector v
               SET vectors = NULL, model = NULL, attempts = 0, queued_at = now()
              FROM (SELECT * FROM earlier UNION ALL SELECT * FROM later) o
             WHERE v.tenant_id = o.tenant_id AND v.bank_id = o.bank_id AND v.memory_id = o.memory_id AND v.revision = o.revision
            """)
            .with("earlier", ofOtherModel("<"))
            .with("later", ofOtherModel(">"))
            .sql();

    private static String ofOtherModel(String comparison) {
        return SqlTemplate.of("""
                SELECT v.tenant_id, v.bank_id, v.memory_id, v.revision
                  FROM memory_vector v
                 WHERE v.vectors IS NOT NULL AND v.model {comparison} :model
                 ORDER BY v.model
                 LIMIT :most
                   FOR UPDATE SKIP LOCKED
                """).with("comparison", comparison).sql();
    }

    private final Db db;

    public EmbeddingStore(Db db) {
        this.db = db;
    }

    /** Returns whether calls use the database. The queue itself does not while it asks. */
    boolean areCallsRunning() {
        return db.active() > 0 || db.waiting() > 0;
    }

    /** A revision of a memory that waits for vectors. */
    record Waiting(long tenant, long bank, UUID memory, long revision, long attempts, String text) {}

    /**
     * What waits, and for how long the first of it has.
     *
     * @param memories at most {@code 10,000} are counted
     */
    public record Lag(long memories, Duration longest) {}

    /**
     * Claims memories that nobody works at: of each tenant those that have waited longest.
     *
     * @param after the tenant whose turn was last; the next ones have their turns, up to the last tenant
     */
    List<Waiting> claim(int most, Duration lease, long after) {
        return db.sql(CLAIM)
                .set("most", most)
                .set("tenants", most)
                .set("after", after)
                .set("lease", lease.toString())
                .list(row -> new Waiting(
                        row.number("tenant_id"),
                        row.number("bank_id"),
                        UUID.fromString(row.text("memory_id")),
                        row.number("revision"),
                        row.number("attempts"),
                        embedded(row.textOrNull("name"), row.textOrNull("text"))));
    }

    /** What of a memory is embedded. */
    public static String embedded(@Nullable String name, @Nullable String text) {
        return (name == null ? "" : name + "\n") + (text == null ? "" : text);
    }

    void keep(Waiting memory, String model, byte[] vectors) {
        of(memory, KEEP).set("model", model).set("vectors", vectors).run();
    }

    /** Gives claimed memories back, as if they had not been claimed. */
    void release(List<Waiting> memories) {
        memories.forEach(memory -> of(memory, RELEASE).run());
    }

    private Statement of(Waiting memory, String text) {
        return db.sql(text)
                .set("tenant", memory.tenant())
                .set("bank", memory.bank())
                .set("memory", memory.memory())
                .set("revision", memory.revision());
    }

    /**
     * Puts some of those back into the queue that have vectors of another model; whether there were any.
     *
     * @param most of those models before it in the alphabet, and of those after it
     */
    boolean renew(String model, int most) {
        return db.sql(RENEW).set("model", model).set("most", most).run() > 0;
    }

    Lag lag() {
        return db.sql(LAG)
                .set("after", 0)
                .set("tenants", 10_000)
                .one(row -> new Lag(row.number("waiting"), Duration.ofMillis(row.number("longest"))))
                .orElseThrow();
    }
}
