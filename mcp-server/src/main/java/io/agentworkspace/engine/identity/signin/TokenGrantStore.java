package io.agentworkspace.engine.identity.signin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.Toolset;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stores the access tokens of another issuer by principal: the user, and what the newest token allows. Entries are
 * cached like keys; {@link CallerChanges} removes them when users or identities change.
 */
final class TokenGrantStore {
    private static final int REMEMBERED = 100_000;
    private static final Duration AT_MOST = Duration.ofMinutes(5);

    private static final String EXPIRED = Db.oldRows("token_grant", "tenant_id, principal", "expires_at <= :until");

    private static final String NOTE = DirectoryStore.expiringEntryOf(Kind.TOKEN) + """
            INSERT INTO token_grant (tenant_id, principal, issuer, subject, scopes, expires_at)
            VALUES (:tenant, :entry, :issuer, :subject, :scopes, :expires)
            ON CONFLICT (tenant_id, principal) DO UPDATE
               SET scopes = excluded.scopes, expires_at = excluded.expires_at
             WHERE token_grant.expires_at <= excluded.expires_at
            """;

    private static final String LOOK_UP = """
            SELECT g.tenant_id, t.name AS tenant, u.id AS user_id, u.name AS user_name, u.role, g.scopes, g.expires_at,
                   u.removed_at IS NOT NULL AS removed
              FROM token_grant g
              JOIN tenant t ON t.tenant_id = g.tenant_id
              JOIN external_identity e
                ON e.tenant_id = g.tenant_id AND e.issuer = g.issuer AND e.subject = g.subject
              JOIN app_user u ON u.tenant_id = e.tenant_id AND u.id = e.user_id
             WHERE g.tenant_id = :tenant AND g.principal = :id
            """;

    private final Db db;
    private final DirectoryStore directory;
    private final CallerChanges watch;
    private final AtomicLong generation = new AtomicLong();
    private final LoadingCache<String, CachedGrant> remembered = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .recordStats()
            .build(this::lookUp);

    public TokenGrantStore(Db db, CallerChanges watch) {
        this.db = db;
        this.directory = new DirectoryStore(db);
        this.watch = watch;
        watch.onChange(changed -> {
            if (changed.isEmpty()) {
                generation.incrementAndGet();
            }
        });
    }

    /** Returns the cache of what was looked up, for the metrics. */
    public Cache<?, ?> cache() {
        return remembered;
    }

    /** The result of a look-up, with the generation before it. A result that a change overtook is not reused. */
    private record CachedGrant(Optional<Granted> granted, long generation) {}

    /**
     * @param caller with what the newest token allows
     * @param removed whether the user was removed
     */
    record Granted(Caller caller, boolean removed) {
        boolean isOver(Instant now) {
            return removed
                    || !now.isBefore(Objects.requireNonNull(caller.credential().expiresAt()));
        }

        /** Returns the same user with what one token allows. */
        Caller with(Set<String> scopes, Instant expires) {
            return new Caller(
                    caller.tenant(),
                    caller.tenantName(),
                    caller.user(),
                    caller.userName(),
                    caller.role(),
                    scopes,
                    caller.principal(),
                    null,
                    until(expires));
        }
    }

    private static Credential until(Instant expires) {
        return new Credential(null, false, Toolset.EVERYTHING, false, expires, false).ofPerson();
    }

    /** Stores a new token. A token older than the stored one changes nothing. */
    public void note(SignInStore.Identity identity, String principal, Collection<String> scopes, Instant expires) {
        db.sql(NOTE)
                .set("tenant", identity.tenant())
                .set("entry", principal)
                .set("issuer", identity.issuer())
                .set("subject", identity.subject())
                .set("scopes", scopes)
                .set("expires", expires)
                .run();
        remembered.invalidate(principal);
    }

    /** Returns what is known of the principal. Changes of its user take effect within a second. */
    Optional<Granted> find(String principal) {
        return found(principal).granted();
    }

    /** Returns what is known of the principal, including tokens that other replicas stored since. */
    public Optional<Granted> current(String principal, Instant now) {
        var grant = find(principal);
        if (grant.isPresent() && !grant.get().removed() && grant.get().isOver(now)) {
            remembered.invalidate(principal);
            return find(principal);
        }
        return grant;
    }

    /** Returns whether the principal can be resolved from the cache, without a query. */
    boolean remembers(String principal) {
        var found = remembered.getIfPresent(principal);
        return watch.isCurrent() && found != null && found.generation() == generation.get();
    }

    private CachedGrant found(String principal) {
        if (!watch.isCurrent()) {
            return lookUp(principal);
        }
        var found = remembered.get(principal);
        if (found.generation() == generation.get()) {
            return found;
        }
        remembered.invalidate(principal);
        return remembered.get(principal);
    }

    /** Finds a principal. Its tenant is in the directory. */
    private CachedGrant lookUp(String principal) {
        var before = generation.get();
        var granted = db.sql(LOOK_UP)
                .set("tenant", directory.tenantOrNone(Kind.TOKEN, principal))
                .set("id", principal)
                .one(row -> granted(principal, row));
        return new CachedGrant(granted, before);
    }

    private static Granted granted(String principal, Row row) throws SQLException {
        var caller = new Caller(
                row.number("tenant_id"),
                row.text("tenant"),
                row.number("user_id"),
                row.text("user_name"),
                Role.of(row.text("role")),
                new LinkedHashSet<>(row.texts("scopes")),
                principal,
                null,
                until(Objects.requireNonNull(row.instantOrNull("expires_at"))));
        return new Granted(caller, row.flag("removed"));
    }

    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }
}
