package io.agentworkspace.engine.identity.audit;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;

import io.agentworkspace.engine.identity.credentials.ClientName;
import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The audit. A successful call is written in its own transaction, together with the commit. A refusal has no
 * transaction: it is recorded in memory and written every second, up to a limit. A crash loses at most a second of
 * refusals. The first refusals of each key in a minute get an entry each; the others are summarized in one when the
 * minute is over.
 */
public final class AuditStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditStore.class);
    private static final int MOST_WAITING = 10_000;
    private static final int BATCH = 1_000;

    private static final String INSERT = """
            WITH r AS MATERIALIZED (SELECT * FROM jsonb_populate_recordset(CAST(NULL AS audit), CAST(:rows AS jsonb))),
            noted AS (
            INSERT INTO audit (tenant_id, at, row_id, user_name, user_key, acting_for, credential, key_id, key_name, agent, tool,
                               target_kind, target, target_id, target_key, renamed_to, member, door, address, client,
                               result, request_id, times, rules, before, after, dry_run, details, note, arguments, item)
            SELECT home.tenant_id, r.at, r.row_id, r.user_name, r.user_key, r.acting_for, r.credential, r.key_id,
                   (SELECT k.name FROM api_key k WHERE k.tenant_id = :tenant AND k.id = r.key_id), r.agent,
                   r.tool, r.target_kind, r.target, r.target_id, r.target_key, r.renamed_to, r.member, r.door, r.address,
                   r.client, r.result, r.request_id, r.times, r.rules, r.before, r.after,
                   r.dry_run, r.details, r.note, r.arguments, r.item
              FROM tenant_plan home CROSS JOIN r
             WHERE home.tenant_id = :tenant
            RETURNING at, row_id)
            SELECT announce(:tenant, jsonb_agg(jsonb_build_object('topic', 'audit', 'action', 'noted', 'thing', row_id, 'moment', at)))
              FROM noted
            """;

    /** One entry, which needs no JSON. It is selected for the tenant's row in tenant_plan: without a table, Citus would commit it in two phases. */
    private static final String INSERT_ONE = """
            INSERT INTO audit (tenant_id, at, row_id, user_name, user_key, acting_for, credential, key_id, key_name, agent, tool,
                               target_kind, target, target_id, target_key, renamed_to, member, door, address, client,
                               result, request_id, times, rules, before, after, dry_run, details, note, arguments, item)
            SELECT p.tenant_id, CAST(:at AS timestamptz), CAST(:row_id AS uuid), :user_name, :user_key, :acting_for, :credential,
                   :key_id, (SELECT k.name FROM api_key k WHERE k.tenant_id = :tenant AND k.id = CAST(:key_id AS text)), :agent,
                   :tool, :target_kind, :target, :target_id, :target_key, :renamed_to, :member, :door, :address, :client,
                   :result, :request_id, CAST(:times AS integer), CAST(:rules AS text[]), :before, :after,
                   CAST(:dry_run AS boolean), :details, :note, CAST(:arguments AS text[]), :item
              FROM tenant_plan p
             WHERE p.tenant_id = :tenant
            """;

    private static final String TENANTS_WITH_OLD = """
            SELECT f.tenant_id
              FROM event_feed f
             WHERE (SELECT min(a.at) FROM audit a WHERE a.tenant_id = f.tenant_id) < :until
            """;

    private static final String OLD = Db.deletingOld("audit", """
            DELETE FROM audit
             USING (SELECT ctid AS place
                      FROM audit
                     WHERE tenant_id = :tenant AND at < :until
                     ORDER BY at
                     LIMIT :portion
                       FOR UPDATE SKIP LOCKED) old
             WHERE audit.tenant_id = :tenant AND audit.ctid = old.place
            """);

    private final BlockingQueue<ObjectNode> refusals = new ArrayBlockingQueue<>(MOST_WAITING);
    private final RefusalTally tally = new RefusalTally();
    private final AtomicLong lost = new AtomicLong();
    private final Db db;
    private final ChangeStore changes;
    private final Duration kept;

    public AuditStore(Db db, Duration kept) {
        this.db = db;
        this.changes = new ChangeStore(db);
        this.kept = kept;
    }

    /** Writes the entry of a successful call, together with the last statement of its transaction. */
    public void done(Call call, AuditEntry entry) {
        var id = UUID.randomUUID();
        one(call.caller().tenant(), entry, id).runLate();
        call.noted(Change.audit(id, entry.at()));
    }

    private Statement one(long tenant, AuditEntry entry, UUID id) {
        return db.sql(INSERT_ONE)
                .set("tenant", tenant)
                .set("at", entry.at())
                .set("row_id", id)
                .set("user_name", entry.user())
                .set("user_key", Name.key(entry.user()))
                .set("acting_for", entry.actingFor())
                .set("credential", entry.credential())
                .set("key_id", entry.keyId())
                .set("agent", entry.agent())
                .set("tool", entry.tool())
                .set("target_kind", entry.targetKind())
                .set("target", entry.target())
                .set("target_id", entry.targetId())
                .set("target_key", targetKey(entry))
                .set("renamed_to", entry.renamedTo())
                .set("member", entry.member())
                .set("door", entry.door())
                .set("address", entry.address())
                .set("client", ClientName.readable(entry.client()))
                .set("result", entry.result())
                .set("request_id", entry.requestId())
                .set("times", entry.times())
                .set("rules", entry.rules())
                .set("before", entry.before())
                .set("after", entry.after())
                .set("dry_run", entry.dryRun())
                .set("details", entry.details())
                .set("note", entry.note())
                .set("arguments", entry.arguments())
                .set("item", entry.item());
    }

    /** Documents are found by name, since a name has many versions; the id of one is found by an index of its own. */
    private static @Nullable String targetKey(AuditEntry entry) {
        var isById = entry.targetId() != null && !(isDocument(entry.targetKind()) && entry.target() != null);
        return isById ? entry.targetId() : entry.target() == null ? null : Name.key(entry.target());
    }

    static boolean isDocument(String kind) {
        return kind.equals(Family.DOCUMENT.word());
    }

    /** Runs work that is not a tool call, and writes its entry in the same transaction. */
    public void noting(long tenant, AuditEntry entry, Runnable work) {
        db.transaction(() -> {
            work.run();
            note(tenant, entry);
            return true;
        });
    }

    /** Writes the entry, inside the transaction that it describes. */
    public void note(long tenant, AuditEntry entry) {
        var id = UUID.randomUUID();
        if (one(tenant, entry, id).run() == 0) {
            throw new IllegalStateException("there is no tenant " + tenant);
        }
        changes.write(tenant, List.of(Change.audit(id, entry.at())));
    }

    /** Records a refusal, to be written soon. */
    public void refused(Caller caller, AuditEntry entry) {
        if (tally.isSingle(caller, entry)) {
            offer(row(caller.tenant(), entry), 1);
        }
    }

    /** Records a read that a rule matched. It is written like a refusal, since reads have no transaction. */
    public void noted(Caller caller, AuditEntry entry) {
        refused(caller, entry);
    }

    private void offer(ObjectNode row, int calls) {
        if (!refusals.offer(row)) {
            lost.addAndGet(calls);
        }
    }

    private static ObjectNode row(long tenant, AuditEntry entry) {
        var row = Json.tree(entry);
        row.remove("user");
        row.put("tenant_id", tenant)
                .put("row_id", UUID.randomUUID().toString())
                .put("user_name", entry.user())
                .put("user_key", Name.key(entry.user()))
                .put("client", ClientName.readable(entry.client()));
        return row.put("target_key", targetKey(entry));
    }

    /** Writes the refusals since the last flush. If that fails, they are written with the next one. */
    public void flush(Instant now) {
        tally.over(now)
                .forEach(sum -> offer(
                        row(sum.tenant(), sum.entry()),
                        Objects.requireNonNull(sum.entry().times())));
        var rows = new ArrayList<ObjectNode>();
        refusals.drainTo(rows);
        var left =
                rows.stream().collect(groupingBy(row -> row.path("tenant_id").asLong(), toCollection(ArrayList::new)));
        try {
            TenantTurns.take(left.keySet(), tenant -> insert(tenant, Objects.requireNonNull(left.get(tenant))));
        } finally {
            left.values().stream()
                    .flatMap(List::stream)
                    .filter(row -> !refusals.offer(row))
                    .forEach(_ -> lost.incrementAndGet());
        }
        var missing = lost.getAndSet(0);
        if (missing > 0) {
            LOG.warn("the audit lacks {} refused calls: too many came at once", missing);
        }
    }

    /** Writes some of a tenant's rows, takes them from the list, and returns whether there are more. */
    private boolean insert(long tenant, List<ObjectNode> rows) {
        var some = rows.subList(0, Math.min(BATCH, rows.size()));
        db.sql(INSERT).set("tenant", tenant).set("rows", Json.text(some)).run();
        some.clear();
        return !rows.isEmpty();
    }

    /** Writes the summaries of the current minute. */
    @Override
    public void close() {
        flush(Instant.MAX);
    }

    /** Deletes expired entries. */
    public void purge(Instant now) {
        db.deleteOld(TENANTS_WITH_OLD, OLD, now.minus(kept));
    }
}
