package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Guard;
import io.agentworkspace.engine.model.tool.Call;

/** Sets the dial of the loop guard: of an agent's direct messages, or of a domain's zones. */
public final class GuardStore {
    private static final String OF_AGENT = change("agent");

    private static final String OF_DOMAIN = change("domain");

    private final Db db;

    public GuardStore(Db db) {
        this.db = db;
    }

    private static String change(String table) {
        return SqlTemplate.of("""
                WITH old AS (SELECT guard_hops, guard_per_minute FROM {table} WHERE tenant_id = :tenant AND id = :id)
                UPDATE {table} x
                   SET guard_hops = COALESCE(:hops, x.guard_hops),
                       guard_per_minute = COALESCE(:per_minute, x.guard_per_minute)
                  FROM old
                 WHERE x.tenant_id = :tenant AND x.id = :id
                RETURNING x.guard_hops, x.guard_per_minute,
                          (x.guard_hops, x.guard_per_minute) <> (old.guard_hops, old.guard_per_minute) AS changed
                """).with("table", table).sql();
    }

    /** The dial as it is now, and whether the call changed it. */
    public record Changed(Guard guard, boolean isChanged) {}

    /** Sets the dial of an agent that the transaction has locked. */
    public Changed ofAgent(Call call, long agent, Guard guard) {
        return set(call, OF_AGENT, agent, guard);
    }

    /** Sets the dial of a domain that the transaction has locked. */
    public Changed ofDomain(Call call, long domain, Guard guard) {
        return set(call, OF_DOMAIN, domain, guard);
    }

    private Changed set(Call call, String statement, long id, Guard guard) {
        return db.sql(call, statement)
                .set("id", id)
                .set("hops", guard.hops())
                .set("per_minute", guard.perMinute())
                .one(row -> new Changed(
                        new Guard((int) row.number("guard_hops"), (int) row.number("guard_per_minute")),
                        row.flag("changed")))
                .orElseThrow();
    }
}
