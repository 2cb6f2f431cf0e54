package io.agentworkspace.engine.store;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.identity.Callers;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Role;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The API keys, stored as hashes. Whose a key is, is remembered, so that in the steady state it costs no round trip; a
 * {@link CallersWatch} makes this replica forget when a key or a user changes, and while that watch cannot vouch for it
 * every key is looked up.
 */
public final class KeyStore implements Callers {
    private static final int REMEMBERED = 100_000;
    private static final Duration AT_MOST = Duration.ofMinutes(5);
    private static final String PRINCIPAL = "key:";
    private static final byte[] NO_HASH = new byte[32];

    private final Db db;
    private final Clock clock;
    private final CallersWatch watch;
    private final LoadingCache<String, Found> remembered = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .build(this::lookUp);
    private final AtomicLong generation = new AtomicLong();

    public KeyStore(Db db, Clock clock, CallersWatch watch) {
        this.db = db;
        this.clock = clock;
        this.watch = watch;
        watch.onChange(changed -> {
            if (changed.isEmpty()) {
                generation.incrementAndGet();
            }
        });
    }

    /** What was found under an id, before which change. A look-up that a change overtakes is not believed again. */
    private record Found(Optional<Known> known, long generation) {}

    /** A key that exists, and whom it proves. */
    private record Known(
            Caller caller, byte[] secretHash, @Nullable Instant expiresAt) {}

    @Override
    public Caller authenticate(ApiKey key) {
        var known = find(key.id()).known();
        // Compared in any case: the time taken must not tell whether the id exists.
        var fits = key.fits(known.map(Known::secretHash).orElse(NO_HASH));
        return known.filter(found -> fits && !isExpired(found))
                .map(Known::caller)
                .orElseThrow(() -> Problem.unauthenticated("the API key is not valid: unknown, expired or revoked"));
    }

    @Override
    public Optional<Caller> current(String principal) {
        return principal.startsWith(PRINCIPAL)
                ? find(principal.substring(PRINCIPAL.length()))
                        .known()
                        .filter(known -> !isExpired(known))
                        .map(Known::caller)
                : Optional.empty();
    }

    @Override
    public boolean remembers(ApiKey key) {
        var found = remembered.getIfPresent(key.id());
        return watch.isCurrent() && found != null && found.generation() == generation.get();
    }

    private Found find(String id) {
        if (!watch.isCurrent()) {
            return lookUp(id);
        }
        var found = remembered.get(id);
        if (found.generation() == generation.get()) {
            return found;
        }
        remembered.invalidate(id);
        return remembered.get(id);
    }

    private boolean isExpired(Known known) {
        return known.expiresAt() != null && !clock.instant().isBefore(known.expiresAt());
    }

    /** The one query that carries no tenant: the key's id is what tells it. */
    private Found lookUp(String id) {
        var before = generation.get();
        var known = db.sql("""
                SELECT k.tenant_id, t.name AS tenant, k.user_id, u.name AS user_name, u.role, k.capabilities,
                       k.secret_hash, k.agent_id, k.expires_at
                  FROM api_key k
                  JOIN tenant t ON t.tenant_id = k.tenant_id
                  JOIN app_user u ON u.tenant_id = k.tenant_id AND u.id = k.user_id
                 WHERE k.id = :id AND k.revoked_at IS NULL
                """)
                .set("id", id)
                .one(row -> new Known(
                        new Caller(
                                row.number("tenant_id"),
                                row.text("tenant"),
                                row.number("user_id"),
                                row.text("user_name"),
                                Role.of(row.text("role")),
                                new LinkedHashSet<>(row.texts("capabilities")),
                                PRINCIPAL + id,
                                row.numberOrNull("agent_id")),
                        row.bytes("secret_hash"),
                        row.instantOrNull("expires_at")));
        return new Found(known, before);
    }

    /** Who holds a new key, and what it may do. */
    public record Holder(long tenant, long user, String name, Collection<String> capabilities) {}

    public void insert(ApiKey key, Holder holder, Instant now) {
        db.sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
                VALUES (:tenant, :id, :hash, :user, :name, :capabilities, :now)
                """)
                .set("tenant", holder.tenant())
                .set("id", key.id())
                .set("hash", key.secretHash())
                .set("user", holder.user())
                .set("name", holder.name())
                .set("capabilities", holder.capabilities())
                .set("now", now)
                .run();
    }

    /** Stops the key, on every replica within a second. */
    public void revoke(long tenant, String id, Instant now) {
        db.sql("UPDATE api_key SET revoked_at = :now WHERE tenant_id = :tenant AND id = :id AND revoked_at IS NULL")
                .set("tenant", tenant)
                .set("id", id)
                .set("now", now)
                .run();
    }
}
