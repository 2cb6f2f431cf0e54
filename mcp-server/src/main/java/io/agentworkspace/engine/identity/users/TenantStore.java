package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Instant;
import java.util.Optional;

/** Creates tenants and their users. */
public final class TenantStore {
    private final Db db;

    public TenantStore(Db db) {
        this.db = db;
    }

    /** Returns whether there is no tenant yet. Other replicas wait for the answer until the transaction ends. */
    public boolean isFresh() {
        lock();
        return db.sql("SELECT NOT EXISTS (SELECT 1 FROM tenant) AS fresh")
                .one(row -> row.flag("fresh"))
                .orElseThrow();
    }

    private void lock() {
        db.sql("SELECT pg_advisory_xact_lock(:lock)")
                .set("lock", AdvisoryLock.FIRST_START.number)
                .one(_ -> true);
    }

    /** Returns the tenant with this name, if its creation was interrupted before it had a user. Other replicas wait as in {@link #isFresh}. */
    public Optional<Long> withoutUser(Name name) {
        lock();
        return db.sql("SELECT tenant_id FROM tenant WHERE name_key = :key")
                .set("key", name.key())
                .one(row -> row.number("tenant_id"))
                .filter(tenant -> !hasUser(tenant));
    }

    private boolean hasUser(long tenant) {
        return db.sql("SELECT EXISTS (SELECT 1 FROM app_user WHERE tenant_id = :tenant) AS has_user")
                .set("tenant", tenant)
                .one(row -> row.flag("has_user"))
                .orElseThrow();
    }

    /** @throws Problem {@code already_exists} */
    public long create(Name name, String plan, Instant now) {
        return db.sql("""
                INSERT INTO tenant (name, name_key, created_at)
                VALUES (:name, :key, :now)
                ON CONFLICT DO NOTHING
                RETURNING tenant_id;
                INSERT INTO tenant_plan (tenant_id, plan)
                SELECT tenant_id, CAST(:plan AS text) FROM tenant WHERE name_key = :key
                ON CONFLICT DO NOTHING;
                INSERT INTO event_feed (tenant_id)
                SELECT tenant_id FROM tenant WHERE name_key = :key
                ON CONFLICT DO NOTHING
                """)
                .set("name", name)
                .set("key", name.key())
                .set("plan", plan)
                .set("now", now)
                .one(row -> row.number("tenant_id"))
                .orElseThrow(() -> Problem.alreadyExists("tenant", name.text()));
    }

    /** Gives the tenant another plan. */
    public void setPlan(long tenant, String plan) {
        db.sql("UPDATE tenant_plan SET plan = :plan WHERE tenant_id = :tenant")
                .set("plan", plan)
                .set("tenant", tenant)
                .run();
    }

    /** @throws Problem {@code already_exists} */
    public long createUser(long tenant, Name name, Role role, Instant now) {
        return db.sql("""
                INSERT INTO app_user (tenant_id, name, name_key, role, created_at)
                VALUES (:tenant, :name, :key, :role, :now)
                ON CONFLICT DO NOTHING
                RETURNING id
                """)
                .set("tenant", tenant)
                .set("name", name)
                .set("key", name.key())
                .set("role", role.word())
                .set("now", now)
                .one(row -> row.number("id"))
                .orElseThrow(() -> Problem.alreadyExists("user", name.text()));
    }
}
