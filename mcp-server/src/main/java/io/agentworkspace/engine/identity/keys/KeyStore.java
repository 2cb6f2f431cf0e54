package io.agentworkspace.engine.identity.keys;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The API keys, stored as hashes. The server caches the caller of each key, so that normally a look-up costs no round
 * trip. {@link CallerChanges} removes an entry when its key or user changes. While it cannot receive changes, every
 * call has its key looked up. A child key has the permissions of its row, limited to what all keys above it still have.
 */
public final class KeyStore implements Callers {
    private static final int REMEMBERED = 100_000;
    private static final int APART = 4_096;
    private static final Duration AT_MOST = Duration.ofMinutes(5);
    private static final String PRINCIPAL = "key:";
    private static final byte[] NO_HASH = new byte[32];

    private static final String LOOK_UP =
            SqlTemplate.of("""
            SELECT k.tenant_id, t.name AS tenant, k.user_id, u.name AS user_name, u.role, k.agent_id,
                   k.secret_hash, k.previous_hash, k.previous_until, k.parent_id, k.resource, k.proof_key, {chain} AS chain,
                   (SELECT jsonb_agg(jsonb_build_object('hash', encode(s.token_hash, 'base64'), 'until', s.token_until,
                                                    'proof_key', s.proof_key))
                      FROM oauth_secret s
                     WHERE s.tenant_id = :tenant AND s.key_id = k.id AND s.used_at IS NULL
                       AND s.token_hash IS NOT NULL) AS tokens
              FROM api_key k
              JOIN tenant t ON t.tenant_id = k.tenant_id
              JOIN app_user u ON u.tenant_id = :tenant AND u.id = k.user_id AND u.removed_at IS NULL
             WHERE k.tenant_id = :tenant AND k.id = :id
            """).with("chain", KeyRow.CHAIN).sql();

    private static final String INSERT = DirectoryStore.entryOf(Kind.KEY) + """
            INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
            VALUES (:tenant, :id, :hash, present_user(:tenant, :user), :name, :capabilities, :now)
            """;

    private final Db db;
    private final Clock clock;
    private final CallerChanges watch;
    private final Cache<String, CachedKey> remembered = Caffeine.newBuilder()
            .initialCapacity(APART) // Look-ups of keys that are in the same place of the table wait for each other.
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .recordStats()
            .build();
    private final AtomicLong generation = new AtomicLong();
    private final KeyUse use;
    private final DirectoryStore directory;

    public KeyStore(Db db, Clock clock, CallerChanges watch) {
        this.db = db;
        this.clock = clock;
        this.watch = watch;
        this.use = new KeyUse(db, clock);
        this.directory = new DirectoryStore(db);
        watch.onChange(this::forget);
    }

    /** Returns the cache of what was looked up, for the metrics. */
    public Cache<?, ?> cache() {
        return remembered;
    }

    /** Returns the record of the keys' use. */
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

    /**
     * The cached result for an id.
     *
     * @param startNanos when the look-up began. Every call from before then may use the result.
     * @param generation the number of changes at that time. A result that is older than a change is not used again.
     */
    private record CachedKey(Optional<ValidKey> key, long startNanos, long generation) {}

    /**
     * An access token of a program, which is used up with the refresh token that came with it.
     *
     * @param proofKey the thumbprint of the key that it is bound to; null for none
     */
    private record LiveToken(
            byte[] hash, Instant until, @Nullable String proofKey) {}

    /**
     * A valid key and its caller.
     *
     * @param tokens the access tokens for it that programs have from refresh tokens
     */
    private record ValidKey(
            Caller caller,
            byte[] secretHash,
            byte[] previousHash,
            @Nullable Instant previousUntil,
            List<LiveToken> tokens) {

        boolean isOver(Instant now) {
            var end = caller.credential().expiresAt();
            return end != null && !now.isBefore(end);
        }

        /** Returns the caller for the previous secret, which ends sooner than the key. */
        Caller outdated() {
            var credential = caller.credential();
            var end = credential.expiresAt();
            var sooner = end == null || (previousUntil != null && previousUntil.isBefore(end)) ? previousUntil : end;
            return caller.with(credential.asOutdated(sooner));
        }

        /** Returns the caller for the access token with this hash. Takes the same time for every hash. */
        Optional<Caller> withToken(byte[] hash, Instant now) {
            return tokens.stream()
                    .filter(token -> MessageDigest.isEqual(hash, token.hash()) & now.isBefore(token.until()))
                    .map(token ->
                            caller.with(caller.credential().until(token.until()).provenBy(token.proofKey())))
                    .reduce((one, _) -> one);
        }

        boolean takesPrevious(Instant now) {
            return previousUntil != null && now.isBefore(previousUntil);
        }
    }

    /**
     * Returns the caller of a key. A cached result never refuses a key, since the key may have got a new secret a
     * moment ago.
     */
    @Override
    public Caller authenticate(ApiKey key) {
        return holder(key.id(), key.secretHash())
                .orElseThrow(() -> Problem.unauthenticated("the API key is not valid: unknown, expired or revoked"));
    }

    /**
     * Returns the current caller for the secret with this hash. A secret from before a rotation works until the
     * overlap ends.
     */
    public Optional<Caller> holder(String id, byte[] hash) {
        return proven(hash, found(id, cached -> proven(hash, cached).isPresent()));
    }

    private Optional<Caller> proven(byte[] hash, CachedKey found) {
        var key = found.key();
        var now = clock.instant();
        // Both are always compared: the time taken must not reveal whether the id exists, or whether the key or a
        // secret has expired.
        var fits = MessageDigest.isEqual(hash, key.map(ValidKey::secretHash).orElse(NO_HASH));
        var fitsPrevious =
                MessageDigest.isEqual(hash, key.map(ValidKey::previousHash).orElse(NO_HASH));
        var withToken = key.flatMap(one -> one.withToken(hash, now));
        return key.filter(one -> !one.isOver(now))
                .flatMap(one -> fits
                        ? Optional.of(one.caller())
                        : fitsPrevious && one.takesPrevious(now) ? Optional.of(one.outdated()) : withToken);
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
        return found(id, _ -> true)
                .key()
                .filter(key -> !key.isOver(clock.instant()))
                .map(ValidKey::caller);
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

    /**
     * Returns the cached result for an id if nothing has changed since and it suffices. Otherwise it is looked up: of callers that
     * come at the same time, one does so, and the others take its result.
     */
    private CachedKey found(String id, Predicate<CachedKey> suffices) {
        var called = System.nanoTime();
        Predicate<CachedKey> isUsable = cached -> cached.startNanos() - called >= 0
                || watch.isCurrent() && cached.generation() == generation.get() && suffices.test(cached);
        var seen = remembered.getIfPresent(id);
        if (seen != null && isUsable.test(seen)) {
            return seen;
        }
        return Objects.requireNonNull(remembered
                .asMap()
                .compute(id, (_, cached) -> cached != null && isUsable.test(cached) ? cached : lookUp(id)));
    }

    /** Looks up a key. Its tenant is in the directory. */
    private CachedKey lookUp(String id) {
        var startNanos = System.nanoTime();
        var before = generation.get();
        var key = db.sql(LOOK_UP)
                .set("tenant", directory.tenantOrNone(Kind.KEY, id))
                .set("id", id)
                .one(row -> validKey(id, row))
                .flatMap(found -> found);
        return new CachedKey(key, startNanos, before);
    }

    private static Optional<ValidKey> validKey(String id, Row row) throws SQLException {
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
                false,
                row.textOrNull("resource"),
                false,
                row.textOrNull("proof_key"));
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
        return Optional.of(new ValidKey(
                caller,
                row.bytes("secret_hash"),
                previous == null ? NO_HASH : previous,
                row.instantOrNull("previous_until"),
                row.jsonList("tokens", LiveToken.class)));
    }

    /** The user of a new key, and its capabilities. */
    public record KeyOwner(long tenant, long user, String name, Collection<String> capabilities) {}

    public void insert(ApiKey key, KeyOwner holder, Instant now) {
        db.sql(INSERT)
                .set("tenant", holder.tenant())
                .set("id", key.id())
                .set("hash", key.secretHash())
                .set("user", holder.user())
                .set("name", holder.name())
                .set("capabilities", holder.capabilities())
                .set("now", now)
                .run();
    }

    /** Revokes the key, on every replica within a second. */
    public void revoke(long tenant, String id, Instant now) {
        db.sql("UPDATE api_key SET revoked_at = :now WHERE tenant_id = :tenant AND id = :id AND revoked_at IS NULL")
                .set("tenant", tenant)
                .set("id", id)
                .set("now", now)
                .run();
    }
}
