package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Call;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When each context that speaks as an agent was last used. Noted in memory and written in one statement every few
 * seconds, so that a read stays one round trip; a crash loses a few seconds of presence and nothing else.
 */
public final class Presence {
    private record Key(long tenant, String principal, String context) {}

    private final Map<Key, Instant> touched = new ConcurrentHashMap<>();
    private final Db db;

    public Presence(Db db) {
        this.db = db;
    }

    /** Notes that the call's context was used, if it speaks as an agent. */
    public void touch(Call call) {
        var context = call.contextIfKnown();
        if (context != null && context.self() != null) {
            touched.put(new Key(call.caller().tenant(), call.caller().principal(), call.contextName()), call.now());
        }
    }

    /** Writes what was noted since the last time. What could not be written is noted again. */
    public void flush() {
        var taken = KeyUse.drained(touched);
        if (taken.isEmpty()) {
            return;
        }
        try {
            write(taken);
        } catch (RuntimeException e) {
            taken.forEach((key, at) -> touched.merge(key, at, KeyUse::later));
            throw e;
        }
    }

    private void write(Map<Key, Instant> taken) {
        var keys = taken.keySet();
        db.sql("""
                UPDATE context c
                   SET used_at = greatest(c.used_at, t.used_at)
                  FROM unnest(:tenants, :principals, :names, CAST(:times AS timestamptz[]))
                       t (tenant_id, principal, name, used_at)
                 WHERE c.tenant_id = t.tenant_id AND c.principal = t.principal AND c.name = t.name
                """)
                .set("tenants", keys.stream().map(Key::tenant).toList())
                .set("principals", keys.stream().map(Key::principal).toList())
                .set("names", keys.stream().map(Key::context).toList())
                .set("times", taken.values().stream().map(Instant::toString).toList())
                .run();
    }
}
