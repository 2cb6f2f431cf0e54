package io.agentworkspace.engine.keys;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.credentials.Callers;
import io.agentworkspace.engine.credentials.Grant;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The API keys, stored as hashes. Whose a key is, is remembered, so that in the steady state it costs no round trip; a
 * {@link CallerChanges} makes this replica forget when a key or a user changes, and while that watch cannot vouch for it
 * every key is looked up. A child key has what its row gives it as far as all keys above it still have that.
 */
public final class KeyStore implements Callers {
    private static final int REMEMBERED = 100_000;
    private static final Duration AT_MOST = Duration.ofMinutes(5);
    private static final String PRINCIPAL = "key:";
    private static final byte[] NO_HASH = new byte[32];

    private static final String LOOK_UP = """
            SELECT k.tenant_id, t.name AS tenant, k.user_id, u.name AS user_name, u.role, k.agent_id,
                   k.secret_hash, k.previous_hash, k.previous_until, k.parent_id, %s AS chain
              FROM api_key k
              JOIN tenant t ON t.tenant_id = k.tenant_id
              JOIN app_user u ON u.tenant_id = k.tenant_id AND u.id = k.user_id AND u.removed_at IS NULL
             WHERE k.id = :id
            """.formatted(KeyRow.CHAIN);

    private final Db db;
    private final Clock clock;
    private final CallerChanges watch;
    private final LoadingCache<String, Found> remembered = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .build(this::lookUp);
    private final AtomicLong generation = new AtomicLong();
    private final KeyUse use;

    public KeyStore(Db db, Clock clock, CallerChanges watch) {
        this.db = db;
        this.clock = clock;
        this.watch = watch;
        this.use = new KeyUse(db, clock);
        watch.onChange(this::forget);
    }

    /** What the keys are used for. */
    public KeyUse use() {
        return use;
    }

    private void forget(String id) {
        if (id.isEmpty()) {
            generation.incrementAndGet();
        } else {
            remembered.invalidate(id);
        }
    }

    /** What was found under an id, before which change. A look-up that a change overtakes is not believed again. */
    private record Found(Optional<Known> known, long generation) {}

    /** A key that works, and whom it proves. */
    private record Known(
            Caller caller,
            byte[] secretHash,
            byte[] previousHash,
            @Nullable Instant previousUntil) {

        boolean isOver(Instant now) {
            var end = caller.credential().expiresAt();
            return end != null && !now.isBefore(end);
        }

        /** Whoever came with the previous secret, which ends sooner than the key. */
        Caller outdated() {
            var credential = caller.credential();
            var end = credential.expiresAt();
            var sooner = end == null || (previousUntil != null && previousUntil.isBefore(end)) ? previousUntil : end;
            return caller.with(credential.asOutdated(sooner));
        }

        boolean takesPrevious(Instant now) {
            return previousUntil != null && now.isBefore(previousUntil);
        }
    }

    /** Nobody is refused because of what is only remembered: a key may have its new secret since a moment ago. */
    @Override
    public Caller authenticate(ApiKey key) {
        return holder(key.id(), key.secretHash())
                .orElseThrow(() -> Problem.unauthenticated("the API key is not valid: unknown, expired or revoked"));
    }

    /** Whom the secret of this hash proves at present; one from before a rotation proves as long as the overlap lasts. */
    public Optional<Caller> holder(String id, byte[] hash) {
        return remembered(id, hash).or(() -> proven(hash, lookUpAnew(id)));
    }

    private Optional<Caller> proven(byte[] hash, Found found) {
        var known = found.known();
        var now = clock.instant();
        // Both compared in any case: the time taken must not tell whether the id exists, nor what of it has ended.
        var fits = MessageDigest.isEqual(hash, known.map(Known::secretHash).orElse(NO_HASH));
        var fitsPrevious =
                MessageDigest.isEqual(hash, known.map(Known::previousHash).orElse(NO_HASH));
        return known.filter(one -> !one.isOver(now) && (fits || (fitsPrevious && one.takesPrevious(now))))
                .map(one -> fits ? one.caller() : one.outdated());
    }

    @Override
    public void seen(Caller caller, @Nullable String client) {
        use.seen(caller, client);
    }

    @Override
    public Optional<Caller> current(String principal) {
        if (!principal.startsWith(PRINCIPAL)) {
            return Optional.empty();
        }
        var id = principal.substring(PRINCIPAL.length());
        return believed(id)
                .orElseGet(() -> lookUpAnew(id))
                .known()
                .filter(known -> !known.isOver(clock.instant()))
                .map(Known::caller);
    }

    @Override
    public boolean remembers(ApiKey key) {
        return remembers(key.id(), key.secretHash());
    }

    public boolean remembers(String id, byte[] hash) {
        return Optional.ofNullable(remembered.getIfPresent(id))
                .flatMap(found -> proven(hash, found))
                .isPresent();
    }

    private Optional<Caller> remembered(String id, byte[] hash) {
        return believed(id).flatMap(found -> proven(hash, found));
    }

    /** What is remembered of an id, if nothing has changed since. */
    private Optional<Found> believed(String id) {
        return watch.isCurrent()
                ? Optional.ofNullable(remembered.getIfPresent(id))
                        .filter(found -> found.generation() == generation.get())
                : Optional.empty();
    }

    private Found lookUpAnew(String id) {
        if (!watch.isCurrent()) {
            return lookUp(id);
        }
        remembered.invalidate(id);
        return remembered.get(id);
    }

    /** The one query that carries no tenant: the key's id is what tells it. */
    private Found lookUp(String id) {
        var before = generation.get();
        var known = db.sql(LOOK_UP).set("id", id).one(row -> known(id, row)).flatMap(found -> found);
        return new Found(known, before);
    }

    private static Optional<Known> known(String id, Row row) throws SQLException {
        var grant = Grant.of(row.jsonList("chain", Grant.class));
        if (grant.revokedAt() != null) {
            return Optional.empty();
        }
        var credential = new Credential(
                id,
                row.textOrNull("parent_id") != null,
                grant.toolset(),
                grant.confirmDestructive(),
                grant.expiresAt(),
                false);
        var caller = new Caller(
                row.number("tenant_id"),
                row.text("tenant"),
                row.number("user_id"),
                row.text("user_name"),
                Role.of(row.text("role")),
                grant.capabilities(),
                PRINCIPAL + id,
                row.numberOrNull("agent_id"),
                credential);
        var previous = row.bytesOrNull("previous_hash");
        return Optional.of(new Known(
                caller,
                row.bytes("secret_hash"),
                previous == null ? NO_HASH : previous,
                row.instantOrNull("previous_until")));
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
