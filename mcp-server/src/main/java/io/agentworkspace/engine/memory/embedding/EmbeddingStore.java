package io.agentworkspace.engine.memory.embedding;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The memories that wait for vectors, of all tenants, and the vectors that they get. */
public final class EmbeddingStore {
    private static final String FREE = "v.vectors IS NULL AND (v.lease_until IS NULL OR v.lease_until < now())";

    /** The next tenant with waiting memories, and the last one, without reading all that wait. */
    private static final String NEXT_TENANT =
            SqlTemplate.of("""
            SELECT min(v.tenant_id) AS next, max(v.tenant_id) AS last FROM memory_vector v WHERE {free} AND v.tenant_id > :after
            """).with("free", FREE).sql();

    /** What others have locked is skipped. */
    private static final String CLAIM = SqlTemplate.of("""
            WITH first AS MATERIALIZED (
                SELECT v.bank_id, v.memory_id, v.revision
                  FROM memory_vector v
                 WHERE v.tenant_id = :tenant AND {free}
                 ORDER BY v.queued_at
                 LIMIT :most
                   FOR UPDATE SKIP LOCKED),
            batch AS (
                UPDATE memory_vector v
                   SET lease_until = now() + CAST(:lease AS interval), attempts = v.attempts + 1
                  FROM first f
                 WHERE v.tenant_id = :tenant AND v.bank_id = f.bank_id AND v.memory_id = f.memory_id AND v.revision = f.revision
                RETURNING v.bank_id, v.memory_id, v.revision, v.attempts, v.queued_at)
            SELECT h.bank_id, h.memory_id, h.revision, h.attempts,
                   CASE WHEN m.revision = h.revision THEN m.name ELSE r.name END AS name,
                   CASE WHEN m.revision = h.revision THEN m.text ELSE r.text END AS text
              FROM batch h
              JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = h.bank_id AND m.id = h.memory_id
              LEFT JOIN memory_revision r ON r.tenant_id = :tenant AND r.bank_id = h.bank_id
                                         AND r.memory_id = h.memory_id AND r.revision = h.revision
             ORDER BY h.queued_at
            """).with("free", FREE).sql();

    /** Each tenant has a feed: the first that waits of each is found in the index, without reading all that wait. */
    private static final String LAG = """
            SELECT w.waiting,
                   COALESCE(extract(epoch FROM now() - CASE WHEN w.waiting > 0 THEN (
                       SELECT min((SELECT min(v.queued_at) FROM memory_vector v WHERE v.tenant_id = f.tenant_id AND v.vectors IS NULL))
                         FROM event_feed f) END) * 1000, 0) AS longest
              FROM (SELECT count(*) AS waiting
                      FROM (SELECT 1 FROM memory_vector v WHERE v.vectors IS NULL LIMIT 10000) w) w
            """;

    private static final String CLAIMED = """
             WHERE tenant_id = :tenant AND bank_id = :bank AND memory_id = :memory AND revision = :revision
               AND vectors IS NULL
            """;

    private static final String KEEP = """
            UPDATE memory_vector
               SET model = :model, vectors = :vectors, lease_until = NULL
            """ + CLAIMED;

    private static final String RELEASE =
            "UPDATE memory_vector SET lease_until = NULL, attempts = attempts - 1" + CLAIMED;

    /**
     * Two ranges of the index of models: for one condition with OR, PostgreSQL reads all vectors. What another replica has put
     * back at the same time is left alone.
     */
    private static final String RENEW = SqlTemplate.of("""
            WITH earlier AS ({earlier}), later AS ({later})
            UPDATE memory_vector v
               SET vectors = NULL, model = NULL, attempts = 0, queued_at = now()
              FROM (SELECT * FROM earlier UNION ALL SELECT * FROM later) o
             WHERE v.tenant_id = o.tenant_id AND v.bank_id = o.bank_id AND v.memory_id = o.memory_id AND v.revision = o.revision
               AND v.vectors IS NOT NULL AND v.model <> :model
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
     * Returns the tenants whose turn is next: those with memories that nobody works at.
     *
     * @param after the tenant whose turn was last; the next ones have their turns, up to the last tenant
     */
    List<Long> next(int most, long after) {
        var tenants = new ArrayList<Long>();
        var last = Long.MAX_VALUE;
        for (var tenant = after; tenants.size() < most && tenant < last; ) {
            var found = db.sql(NEXT_TENANT)
                    .set("after", tenant)
                    .one(row -> row.as(NextTenant.class))
                    .orElseThrow();
            if (found.next() == null || found.last() == null) {
                break;
            }
            tenant = found.next();
            last = found.last();
            tenants.add(tenant);
        }
        return tenants;
    }

    private record NextTenant(@Nullable Long next, @Nullable Long last) {}

    /** Claims memories of a tenant that nobody works at: those that have waited longest. */
    List<Waiting> claim(long tenant, int most, Duration lease) {
        return db.sql(CLAIM)
                .set("tenant", tenant)
                .set("most", most)
                .set("lease", lease.toString())
                .list(row -> new Waiting(
                        tenant,
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
                .one(row -> new Lag(row.number("waiting"), Duration.ofMillis(row.number("longest"))))
                .orElseThrow();
    }
}
