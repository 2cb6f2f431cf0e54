package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The counts that plans limit. Calls count existing things, as differences in their last statement.
 * Each replica adds its commands every second.
 */
final class UsageStore {
    private static final Duration KEPT = Duration.ofDays(90);
    private static final int BATCH = 50_000;

    /** A tenant's current counts as a JSON object: existing things, and the commands of {@code :day}. */
    static final String COUNTS = """
            (SELECT jsonb_object_agg(u.scope, u.count)
               FROM usage_now u
              WHERE u.tenant_id = :tenant AND u.day IN ('-infinity', CAST(:day AS date)))
            """;

    private static final String READ = """
            SELECT t.tenant_id, t.plan,
                   (SELECT jsonb_object_agg(u.scope, u.count)
                      FROM usage_now u
                     WHERE u.tenant_id = t.tenant_id AND u.day IN ('-infinity', CAST(:day AS date))) AS counts
              FROM tenant_plan t
             WHERE t.tenant_id = ANY (CAST(:tenants AS bigint[]))
            """;

    private static final String OLD = Db.oldRows(
            "usage",
            "tenant_id, scope, day",
            "day > '-infinity' AND day < CAST(CAST(:until AS timestamptz) AT TIME ZONE 'UTC' AS date)");

    private final Db db;

    UsageStore(Db db) {
        this.db = db;
    }

    /** A tenant's plan and counts. */
    record TenantUsage(long tenant, Plan plan, Map<Scope, Long> counts) {}

    List<TenantUsage> read(Collection<Long> tenants, LocalDate day) {
        return db.sql(READ)
                .set("tenants", tenants)
                .set("day", day.toString())
                .list(row -> new TenantUsage(row.number("tenant_id"), Plan.of(row.text("plan")), counts(row)));
    }

    static Map<Scope, Long> counts(Row row) throws SQLException {
        var counts = new EnumMap<Scope, Long>(Scope.class);
        var json = row.json("counts", ObjectNode.class);
        if (json != null) {
            json.properties()
                    .forEach(count -> counts.put(
                            Scope.of(count.getKey()), count.getValue().asLong()));
        }
        return counts;
    }

    /** Commands that a replica has run. */
    record CountedCall(Day key, long made) {
        record Day(long tenant, LocalDate day) {}
    }

    /**
     * A count that has changed.
     *
     * @param day the UTC day, for counts per day
     */
    record Raised(long tenant, Scope scope, @Nullable LocalDate day, Plan plan, long before, long after) {}

    /** Adds commands to the count of all replicas. */
    List<Raised> add(List<CountedCall> ran) {
        return db.sql("""
                WITH ran AS (SELECT * FROM unnest(CAST(:tenants AS bigint[]), CAST(:days AS date[]), CAST(:made AS bigint[]))
                                           r (tenant_id, day, made)),
                     counted AS (INSERT INTO usage AS u (tenant_id, scope, day, count)
                                 SELECT tenant_id, 'commands', day, made FROM ran ORDER BY tenant_id, day
                                 ON CONFLICT (tenant_id, scope, day) DO UPDATE SET count = u.count + excluded.count
                                 RETURNING tenant_id, scope, day, count)
                SELECT c.tenant_id, c.scope, c.day::text AS day, t.plan, c.count, r.made
                  FROM counted c
                  JOIN ran r ON r.tenant_id = c.tenant_id AND r.day = c.day
                  JOIN tenant_plan t ON t.tenant_id = c.tenant_id
                """)
                .set("tenants", ran.stream().map(one -> one.key().tenant()).toList())
                .set("days", ran.stream().map(one -> one.key().day().toString()).toList())
                .set("made", ran.stream().map(CountedCall::made).toList())
                .list(row -> raised(row, LocalDate.parse(row.text("day"))));
    }

    /** Adds up some of the differences. Each is counted by the replica that deletes it. */
    List<Raised> rollUp() {
        return db.sql("""
                WITH taken AS (DELETE FROM usage_delta
                                WHERE (tenant_id, scope, id) IN (SELECT tenant_id, scope, id FROM usage_delta LIMIT :batch)
                               RETURNING tenant_id, scope, delta),
                     summed AS (SELECT tenant_id, scope, sum(delta)::bigint AS made FROM taken GROUP BY tenant_id, scope),
                     counted AS (INSERT INTO usage AS u (tenant_id, scope, day, count)
                                 SELECT tenant_id, scope, DATE '-infinity', made FROM summed ORDER BY tenant_id, scope
                                 ON CONFLICT (tenant_id, scope, day) DO UPDATE SET count = u.count + excluded.count
                                 RETURNING tenant_id, scope, count)
                SELECT c.tenant_id, c.scope, t.plan, c.count, s.made
                  FROM counted c
                  JOIN summed s ON s.tenant_id = c.tenant_id AND s.scope = c.scope
                  JOIN tenant_plan t ON t.tenant_id = c.tenant_id
                """).set("batch", BATCH).list(row -> raised(row, null));
    }

    private static Raised raised(Row row, @Nullable LocalDate day) throws SQLException {
        var after = row.number("count");
        return new Raised(
                row.number("tenant_id"),
                Scope.of(row.text("scope")),
                day,
                Plan.of(row.text("plan")),
                after - row.number("made"),
                after);
    }

    /**
     * An event to report to a tenant, unless it was reported already.
     *
     * @param at the beginning of the day, or the moment of the refusal
     */
    record QuotaNotice(NoticeKey key, Instant at, Event event) {
        /**
         * What is reported only once in a period.
         *
         * @param what {@code 80}, {@code 100} or {@code rejected}
         * @param limit the limit that the threshold is a share of; 0 for refusals
         */
        record NoticeKey(long tenant, Scope scope, String what, long limit) {}
    }

    /** Writes the events that are due: for each threshold at most one a day, for refusals at most one a minute. */
    boolean publish(Collection<QuotaNotice> all) {
        var fresh = fresh(all);
        all.stream()
                .filter(notice -> fresh.contains(notice.key()))
                .forEach(notice -> EventLog.insert(db, notice.key().tenant(), notice.event(), null)
                        .runLate());
        return !fresh.isEmpty();
    }

    private Set<QuotaNotice.NoticeKey> fresh(Collection<QuotaNotice> all) {
        var rows = Json.text(all.stream()
                .map(notice -> Json.object()
                        .put("tenant_id", notice.key().tenant())
                        .put("scope", notice.key().scope().word())
                        .put("what", notice.key().what())
                        .put("most", notice.key().limit())
                        .put("at", notice.at().toString()))
                .toList());
        return new HashSet<>(db.sql("""
                INSERT INTO quota_told AS q (tenant_id, scope, what, most, at)
                SELECT tenant_id, scope, what, most, at
                  FROM jsonb_populate_recordset(CAST(NULL AS quota_told), CAST(:rows AS jsonb))
                 ORDER BY tenant_id, scope, what, most
                ON CONFLICT (tenant_id, scope, what, most) DO UPDATE SET at = excluded.at
                 WHERE excluded.at - q.at >= CASE q.what WHEN 'rejected' THEN INTERVAL '1 minute' ELSE INTERVAL '1 day' END
                RETURNING tenant_id, scope, what, most
                """)
                .set("rows", rows)
                .list(row -> new QuotaNotice.NoticeKey(
                        row.number("tenant_id"), Scope.of(row.text("scope")), row.text("what"), row.number("most"))));
    }

    /** Deletes the counts of days long past. */
    void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }
}
