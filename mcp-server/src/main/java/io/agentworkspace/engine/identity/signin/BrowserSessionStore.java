package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Caller;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores the sessions of browsers. */
final class BrowserSessionStore {
    /** The maximum number of sessions of one user with one key. A further sign-in ends the oldest. */
    static final int AT_ONCE = 100;

    private static final String EXPIRED =
            Db.oldRows("browser_session", "tenant_id, id", "tenant_id = :tenant AND expires_at <= :until");

    private static final String TENANTS_WITH_EXPIRED =
            "SELECT DISTINCT tenant_id FROM browser_session WHERE expires_at <= :until";

    private static final String IDLE =
            Db.oldRows("browser_session", "tenant_id, id", "tenant_id = :tenant AND last_seen_at <= :until");

    private static final String TENANTS_WITH_IDLE =
            "SELECT DISTINCT tenant_id FROM browser_session WHERE last_seen_at <= :until";

    private static final String FIND = """
            SELECT s.tenant_id, t.name AS tenant, s.user_id, u.name AS user_name, u.role, s.key_id, s.key_hash, s.secret_hash,
                   s.by_person, s.last_seen_at, s.expires_at
              FROM browser_session s
              JOIN tenant t ON t.tenant_id = s.tenant_id
              JOIN app_user u ON u.tenant_id = s.tenant_id AND u.id = s.user_id AND u.removed_at IS NULL
             WHERE s.tenant_id = :tenant AND s.id = :id
            """;

    private static final String INSERT = DirectoryStore.expiringEntryOf(Kind.SESSION) + """
            WITH old AS (DELETE FROM browser_session
                          WHERE tenant_id = :tenant
                            AND id IN (SELECT id FROM browser_session
                                        WHERE tenant_id = :tenant AND user_id = :user
                                          AND key_id IS NOT DISTINCT FROM CAST(:key AS text)
                                        ORDER BY created_at DESC, id
                                       OFFSET :others))
            INSERT INTO browser_session (tenant_id, id, secret_hash, user_id, key_id, key_hash, created_at, last_seen_at,
                                         expires_at, by_person)
            VALUES (:tenant, :entry, :hash, :user, :key, CAST(:key_hash AS bytea), :now, :now, :expires, :by_person)
            """;

    private final Db db;
    private final DirectoryStore directory;

    BrowserSessionStore(Db db) {
        this.db = db;
        this.directory = new DirectoryStore(db);
    }

    /**
     * A session and its user.
     *
     * @param user with all capabilities of its role; a key's session has only those of the key
     * @param origin null if the session did not begin with a key
     * @param byPerson whether a person signed in: at the page, or at a provider
     * @param endsAt when the session ends at the latest
     */
    record Stored(
            byte[] secretHash,
            Caller user,
            @Nullable Origin origin,
            boolean byPerson,
            Instant lastSeen,
            Instant endsAt) {}

    /** The key that began a session, and the hash of the secret that it had then. */
    record Origin(String key, byte[] hash) {}

    /** Finds a session. Its tenant is in the directory. */
    Optional<Stored> find(String id) {
        return db.sql(FIND)
                .set("tenant", directory.tenantOrNone(Kind.SESSION, id))
                .set("id", id)
                .one(row -> stored(id, row));
    }

    private static Stored stored(String id, Row row) throws SQLException {
        var user = new Caller(
                row.number("tenant_id"),
                row.text("tenant"),
                row.number("user_id"),
                row.text("user_name"),
                Role.of(row.text("role")),
                Set.of(Capability.ALL),
                SessionSecret.PRINCIPAL + id,
                null);
        return new Stored(
                row.bytes("secret_hash"),
                user,
                origin(row),
                row.flag("by_person"),
                Objects.requireNonNull(row.instantOrNull("last_seen_at")),
                Objects.requireNonNull(row.instantOrNull("expires_at")));
    }

    /** Returns the key that began the session. Without a stored hash, no secret of the key matches. */
    private static @Nullable Origin origin(Row row) throws SQLException {
        var key = row.textOrNull("key_id");
        var hash = row.bytesOrNull("key_hash");
        return key == null ? null : new Origin(key, hash == null ? new byte[0] : hash);
    }

    /** The owner of a new session. Without a key, the session has all capabilities of its user. */
    record Owner(long tenant, long user, @Nullable Origin origin, boolean byPerson) {}

    void insert(SessionSecret secret, Owner owner, Instant now, Instant expires) {
        var origin = owner.origin();
        db.sql(INSERT)
                .set("tenant", owner.tenant())
                .set("entry", secret.id())
                .set("hash", secret.hash())
                .set("user", owner.user())
                .set("key", origin == null ? null : origin.key())
                .set("key_hash", origin == null ? null : origin.hash())
                .set("others", AT_ONCE - 1)
                .set("now", now)
                .set("expires", expires)
                .set("by_person", owner.byPerson())
                .run();
    }

    /** Deletes the session. Knowledge of the secret is sufficient proof. */
    void delete(SessionSecret secret) {
        directory
                .find(Kind.SESSION, secret.id())
                .ifPresent(tenant -> db.sql(
                                "DELETE FROM browser_session WHERE tenant_id = :tenant AND id = :id AND secret_hash = :hash")
                        .set("tenant", tenant)
                        .set("id", secret.id())
                        .set("hash", secret.hash())
                        .run());
    }

    void seen(Map<String, Instant> when) {
        var tenants = directory.find(Kind.SESSION, when.keySet());
        var ids = List.copyOf(tenants.keySet());
        db.sql("""
                UPDATE browser_session s
                   SET last_seen_at = greatest(s.last_seen_at, seen.at)
                  FROM unnest(CAST(:tenants AS bigint[]), CAST(:ids AS text[]), CAST(:times AS timestamptz[])) seen (tenant_id, id, at)
                 WHERE s.tenant_id = seen.tenant_id AND s.id = seen.id
                """)
                .set("tenants", ids.stream().map(tenants::get).toList())
                .set("ids", ids)
                .set("times", ids.stream().map(when::get).map(String::valueOf).toList())
                .run();
    }

    void purge(Instant now, Instant idleSince) {
        db.deleteOld(TENANTS_WITH_EXPIRED, EXPIRED, now);
        db.deleteOld(TENANTS_WITH_IDLE, IDLE, idleSince);
    }
}
