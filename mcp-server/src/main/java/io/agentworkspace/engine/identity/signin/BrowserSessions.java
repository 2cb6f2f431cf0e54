package io.agentworkspace.engine.identity.signin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sessions of signed-in browsers. They are stored as hashes, so any replica can serve them. They are cached like
 * keys; {@link CallerChanges} removes sessions that end on other replicas. A session that began with a key has the
 * key's present permissions. It ends with the key, or with the key's secret that began it.
 */
final class BrowserSessions {
    /** A session that is idle for this long ends (decisions, section 7). */
    static final Duration IDLE = Duration.ofMinutes(30);

    /** The maximum duration of a session. */
    static final Duration LONGEST = Duration.ofHours(8);

    private static final int REMEMBERED = 100_000;
    private static final Duration AT_MOST = Duration.ofMinutes(5);
    private static final byte[] NO_HASH = new byte[32];

    private final BrowserSessionStore rows;
    private final KeyStore keys;
    private final CallerChanges watch;
    private final Clock clock;
    private final AtomicLong generation = new AtomicLong();
    private final Map<String, Instant> used = new ConcurrentHashMap<>();
    private final LoadingCache<String, CachedSession> remembered = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .recordStats()
            .build(this::lookUp);

    /** @param keys returns what a key may do at present */
    public BrowserSessions(Db db, KeyStore keys, CallerChanges watch, Clock clock) {
        this.rows = new BrowserSessionStore(db);
        this.keys = keys;
        this.watch = watch;
        this.clock = clock;
        watch.onChange(this::forget);
    }

    /** Returns the cache of what was looked up, for the metrics. */
    public Cache<?, ?> cache() {
        return remembered;
    }

    /** The result of a look-up, with the generation before it. A result that a change overtook is not reused. */
    private record CachedSession(Optional<BrowserSessionStore.Stored> session, long generation) {}

    /** @param endsAt when the session ends if it is not used before */
    record Current(Caller caller, Instant endsAt) {}

    private void forget(String changed) {
        if (changed.isEmpty()) {
            generation.incrementAndGet();
        } else if (changed.startsWith(SessionSecret.PRINCIPAL)) {
            remembered.invalidate(changed.substring(SessionSecret.PRINCIPAL.length()));
        }
    }

    /**
     * Starts the session of a key's user. It lasts while this secret of the key is valid.
     *
     * @param byPerson whether the key was entered at the page
     */
    void startWithKey(SessionSecret secret, Caller caller, ApiKey key, boolean byPerson) {
        var origin = new BrowserSessionStore.Origin(key.id(), key.secretHash());
        start(secret, new BrowserSessionStore.Owner(caller.tenant(), caller.user(), origin, byPerson));
    }

    /** Starts the session of a user whom an identity provider authenticated, with all capabilities of the user's role. */
    void start(SessionSecret secret, long tenant, long user) {
        start(secret, new BrowserSessionStore.Owner(tenant, user, null, true));
    }

    private void start(SessionSecret secret, BrowserSessionStore.Owner owner) {
        var now = clock.instant();
        rows.insert(secret, owner, now, now.plus(LONGEST));
    }

    /** Ends the session: at once here, within a second on other replicas. */
    void end(SessionSecret secret) {
        rows.delete(secret);
        remembered.invalidate(secret.id());
    }

    /** Returns the session with this secret, if it has not ended. */
    Optional<Current> find(SessionSecret secret) {
        var found = found(secret.id()).session();
        // Always compared, so that the time taken does not reveal whether the id exists.
        var fits = secret.fits(found.map(BrowserSessionStore.Stored::secretHash).orElse(NO_HASH));
        return fits ? current(secret.id()) : Optional.empty();
    }

    /** Returns the session with this public id, if it has not ended. */
    public Optional<Current> current(String id) {
        return alive(id, found(id)).or(() -> mayBeOutdated(id) ? alive(id, lookUpAnew(id)) : Optional.empty());
    }

    /** Returns whether the session seems idle here. Another replica may have served it since the look-up. */
    private boolean mayBeOutdated(String id) {
        var now = clock.instant();
        return found(id)
                .session()
                .filter(stored -> now.isBefore(stored.endsAt()) && !now.isBefore(idleAt(id, stored)))
                .isPresent();
    }

    private Optional<Current> alive(String id, CachedSession found) {
        var now = clock.instant();
        return found.session()
                .filter(stored -> now.isBefore(stored.endsAt()) && now.isBefore(idleAt(id, stored)))
                .flatMap(stored -> caller(id, stored).map(caller -> new Current(caller, end(stored, caller, now))));
    }

    /**
     * Returns when the session ends. The end of its key is part of the key's own look-up, since it may depend on parent keys.
     */
    private static Instant end(BrowserSessionStore.Stored stored, Caller caller, Instant now) {
        var end = earlier(stored.endsAt(), now.plus(IDLE));
        var keyEnd = caller.credential().expiresAt();
        return keyEnd == null ? end : earlier(end, keyEnd);
    }

    private Optional<Caller> caller(String id, BrowserSessionStore.Stored stored) {
        var origin = stored.origin();
        var caller = origin == null
                ? Optional.of(stored.user())
                : keys.holder(origin.key(), origin.hash()).map(holder -> holder.as(SessionSecret.PRINCIPAL + id));
        return caller.map(one -> stored.byPerson() && !one.isConfined() ? one.asPerson() : one);
    }

    private Instant idleAt(String id, BrowserSessionStore.Stored stored) {
        var here = used.getOrDefault(id, stored.lastSeen());
        return (here.isAfter(stored.lastSeen()) ? here : stored.lastSeen()).plus(IDLE);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /** Returns whether the session can be resolved from the cache, without a query. */
    boolean remembers(String id) {
        var found = remembered.getIfPresent(id);
        if (found == null || found.session().isEmpty()) {
            return found != null && watch.isCurrent() && found.generation() == generation.get();
        }
        var origin = found.session().get().origin();
        return origin == null || keys.remembers(origin.key(), origin.hash());
    }

    private CachedSession found(String id) {
        if (!watch.isCurrent()) {
            return lookUp(id);
        }
        var found = remembered.get(id);
        return found.generation() == generation.get() ? found : lookUpAnew(id);
    }

    private CachedSession lookUpAnew(String id) {
        remembered.invalidate(id);
        return watch.isCurrent() ? remembered.get(id) : lookUp(id);
    }

    private CachedSession lookUp(String id) {
        var before = generation.get();
        return new CachedSession(rows.find(id), before);
    }

    /** Records that the session with this public id was used. */
    void seen(String id) {
        used.put(id, clock.instant());
    }

    /** Writes the recorded uses, of all tenants together. */
    public void flush() {
        var now = new HashMap<>(used);
        if (!now.isEmpty()) {
            rows.seen(now);
            now.forEach(used::remove);
        }
    }

    /** Deletes the sessions that have ended. */
    public void purge(Instant now) {
        flush();
        rows.purge(now, now.minus(IDLE).minus(AT_MOST));
    }
}
