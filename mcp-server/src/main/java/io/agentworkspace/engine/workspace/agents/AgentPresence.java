package io.agentworkspace.engine.workspace.agents;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.CombinedCalls;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.PendingWrites;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.workspace.guard.GuardQueries;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Records when each context that speaks as an agent was last used. Uses are collected in memory and written in one
 * statement every few seconds, so most reads stay one round trip. A crash loses a few seconds of presence and nothing else.
 */
public final class AgentPresence {
    /** @param bound the agent that the principal always acts as; 0 for none */
    private record PresenceKey(long tenant, String principal, String context, long bound) {}

    /** The maximum number of uses held in memory while the database is unreachable. */
    private static final int MAX_TOUCHED = 100_000;

    /** For so long after it was written, a use may be written later. */
    private static final Duration FRESH = Duration.ofMinutes(5);

    private static final String ENDED = SqlTemplate.of("""
            WITH seen AS ({left})
            UPDATE context
               SET used_at = least(used_at, CAST(:now AS timestamptz) - {minutes} * INTERVAL '1 minute')
             WHERE tenant_id = :tenant AND principal = :principal AND self_id = :self
            """)
            .with("left", GuardQueries.LEFT)
            .with("minutes", ContextStore.ONLINE.toMinutes())
            .sql();

    private final PendingWrites<PresenceKey, Instant> touched =
            new PendingWrites<>(MAX_TOUCHED, (older, newer) -> newer.isAfter(older) ? newer : older);
    private final Cache<PresenceKey, Instant> written =
            Caffeine.newBuilder().maximumSize(MAX_TOUCHED).build();
    private final Db db;

    public AgentPresence(Db db) {
        this.db = db;
    }

    /** Records a use of the call's context, if it speaks as an agent. */
    public void touch(Call call) {
        var context = call.contextIfKnown();
        if (context != null && context.self() != null) {
            touch(key(call.caller(), call.contextName()), call.now());
        }
    }

    /** Records that a program which is bound to an agent runs. */
    public void touch(Caller caller, Instant now) {
        touch(key(caller, Context.DEFAULT), now);
    }

    /** A use that may bring the agent online is written before its caller has the response. */
    private void touch(PresenceKey key, Instant now) {
        touched.add(key, now);
        var before = written.getIfPresent(key);
        if ((before == null || before.plus(FRESH).isBefore(now)) && !CombinedCalls.isRunning()) {
            written.put(key, now);
            try {
                flush();
            } catch (RuntimeException e) {
                written.invalidate(key); // It stays recorded, and is written later.
            }
        }
    }

    /** Records that a program which is bound to an agent has ended: the agent is offline, unless others speak as it. */
    public void end(Caller caller, Instant now) {
        touched.remove(key(caller, Context.DEFAULT));
        written.invalidate(key(caller, Context.DEFAULT));
        db.sql(ENDED)
                .set("tenant", caller.tenant())
                .set("principal", caller.principal())
                .set("self", caller.boundAgent())
                .set("now", now)
                .run();
    }

    private static PresenceKey key(Caller caller, String context) {
        var bound = caller.boundAgent() == null ? 0 : caller.boundAgent();
        return new PresenceKey(caller.tenant(), caller.principal(), context, bound);
    }

    /** Writes the recorded uses. Those that could not be written are recorded again. */
    public void flush() {
        touched.flush(PresenceKey::tenant, this::write);
    }

    private void write(long tenant, Map<PresenceKey, Instant> uses) {
        var keys = uses.keySet();
        db.sql("""
                WITH t AS (
                    SELECT * FROM unnest(CAST(:principals AS text[]), CAST(:names AS text[]), CAST(:bound AS bigint[]),
                                         CAST(:times AS timestamptz[])) t (principal, name, bound, used_at)),
                former AS (
                    SELECT c.* FROM context c JOIN t USING (principal, name) WHERE c.tenant_id = :tenant),
                logged_on AS (
                    INSERT INTO context AS c (tenant_id, principal, name, self_id, used_at)
                    SELECT home.tenant_id, t.principal, t.name, t.bound, t.used_at
                      FROM tenant_plan home CROSS JOIN t
                     WHERE home.tenant_id = :tenant AND t.bound <> 0
                    ON CONFLICT (tenant_id, principal, name) DO UPDATE
                       SET self_id = excluded.self_id, used_at = excluded.used_at
                     WHERE c.used_at < excluded.used_at
                    RETURNING c.*),
                used AS (
                    UPDATE context c
                       SET used_at = greatest(c.used_at, t.used_at)
                      FROM t
                     WHERE t.bound = 0
                       AND c.tenant_id = :tenant AND c.principal = t.principal AND c.name = t.name
                    RETURNING c.*),
                seen AS (
                    SELECT u.self_id
                      FROM (SELECT * FROM logged_on UNION ALL SELECT * FROM used) u
                      LEFT JOIN former f USING (principal, name)
                     WHERE u.self_id IS NOT NULL
                       AND (f.used_at IS NULL OR f.self_id IS DISTINCT FROM u.self_id
                            OR u.used_at > f.used_at + INTERVAL '15 minutes'))
                SELECT announce(:tenant, jsonb_agg(DISTINCT jsonb_build_object('topic', 'presence', 'action', 'seen', 'place', self_id)))
                  FROM seen
                HAVING count(*) > 0
                """)
                .set("tenant", tenant)
                .set("principals", keys.stream().map(PresenceKey::principal).toList())
                .set("names", keys.stream().map(PresenceKey::context).toList())
                .set("bound", keys.stream().map(PresenceKey::bound).toList())
                .set("times", uses.values().stream().map(Instant::toString).toList())
                .run();
    }
}
