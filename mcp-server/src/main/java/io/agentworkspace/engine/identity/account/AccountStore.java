package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;

/** Reads and changes a tenant's plan. */
final class AccountStore {
    private static final String READ =
            SqlTemplate.of("""
            SELECT t.name, p.plan, t.created_at, {counts} AS counts
              FROM tenant t JOIN tenant_plan p ON p.tenant_id = :tenant
             WHERE t.tenant_id = :tenant
            """).with("counts", UsageStore.COUNTS).sql();

    private final Db db;

    public AccountStore(Db db) {
        this.db = db;
    }

    /** @param counts how many of each there are, and the commands of this UTC day; without zeros */
    record StoredAccount(String tenant, Instant createdAt, Plan plan, Map<Scope, Long> counts) {}

    StoredAccount read(Call call) {
        return db.sql(call, READ)
                .set("day", call.now().atOffset(ZoneOffset.UTC).toLocalDate().toString())
                .one(AccountStore::account)
                .orElseThrow();
    }

    private static StoredAccount account(Row row) throws SQLException {
        return new StoredAccount(
                row.text("name"),
                Objects.requireNonNull(row.instantOrNull("created_at")),
                Plan.of(row.text("plan")),
                UsageStore.counts(row));
    }

    /** Sets the plan, and returns the previous one. */
    Plan change(Call call, Plan plan) {
        return db.sql(call, """
                WITH old AS MATERIALIZED (SELECT plan FROM tenant_plan WHERE tenant_id = :tenant FOR NO KEY UPDATE),
                     changed AS (UPDATE tenant_plan t SET plan = :plan
                                   FROM old
                                  WHERE t.tenant_id = :tenant AND old.plan <> :plan)
                SELECT plan FROM old
                """)
                .set("plan", plan.word())
                .one(row -> Plan.of(row.text("plan")))
                .orElseThrow();
    }
}
