package io.agentworkspace.engine.signin;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.credentials.SessionSecret;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.keys.CallerChanges;
import io.agentworkspace.engine.keys.KeyStore;
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
 * The sessions of signed-in browsers, stored as hashes: any replica serves them. They are remembered as keys are, with a
 * {@link CallerChanges} that makes this replica forget those that end elsewhere. One that a key began has what the key has at
 * each moment, and ends with it, or already with the secret of it that began the session.
 */
public final class BrowserSessions {
    /** A session that is not used for so long has ended (decisions, section 7). */
    static final Duration IDLE = Duration.ofMinutes(30);

    /** So long after sign-in it has ended in any case. */
    static final Duration LONGEST = Duration.ofHours(8);

    private static final int REMEMBERED = 100_000;
    private static final Duration AT_MOST = Duration.ofMinutes(5);
    private static final byte[] NO_HASH = new byte[32];

    private final SessionRows rows;
    private final KeyStore keys;
    private final CallerChanges watch;
    private final Clock clock;
    private final AtomicLong generation = new AtomicLong();
    private final Map<String, Instant> used = new ConcurrentHashMap<>();
    private final LoadingCache<String, Found> remembered = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .build(this::lookUp);

    /** @param keys who tells what a key may do at present */
    public BrowserSessions(Db db, KeyStore keys, CallerChanges watch, Clock clock) {
        this.rows = new SessionRows(db);
        this.keys = keys;
        this.watch = watch;
        this.clock = clock;
        watch.onChange(this::forget);
    }

    /** What was found under an id, before which change. A look-up that a change overtakes is not believed again. */
    private record Found(Optional<SessionRows.Stored> session, long generation) {}

    /** @param endsAt when it ends if it is not used meanwhile */
    record Current(Caller caller, Instant endsAt) {}

    private void forget(String changed) {
        if (changed.isEmpty()) {
            generation.incrementAndGet();
        } else if (changed.startsWith(SessionSecret.PRINCIPAL)) {
            remembered.invalidate(changed.substring(SessionSecret.PRINCIPAL.length()));
        }
    }

    /** Signs in the user of a key, for as long as this secret of it works. */
    void startWithKey(SessionSecret secret, Caller caller, ApiKey key) {
        var origin = new SessionRows.Origin(key.id(), key.secretHash());
        start(secret, new SessionRows.Owner(caller.tenant(), caller.user(), origin));
    }

    /** Signs in a user whom another provider has proved, with all powers of its role. */
    void start(SessionSecret secret, long tenant, long user) {
        start(secret, new SessionRows.Owner(tenant, user, null));
    }

    private void start(SessionSecret secret, SessionRows.Owner owner) {
        var now = clock.instant();
        rows.insert(secret, owner, now, now.plus(LONGEST));
    }

    /** Signs out: everywhere within a second, and here at once. */
    void end(SessionSecret secret) {
        rows.delete(secret);
        remembered.invalidate(secret.id());
    }

    /** The session whose secret this is, while it lasts. */
    Optional<Current> find(SessionSecret secret) {
        var found = found(secret.id()).session();
        // Compared in any case: the time taken must not tell whether the id exists.
        var fits = secret.fits(found.map(SessionRows.Stored::secretHash).orElse(NO_HASH));
        return fits ? current(secret.id()) : Optional.empty();
    }

    /** The session of this public id, while it lasts. */
    public Optional<Current> current(String id) {
        return alive(id, found(id)).or(() -> mayBeOutdated(id) ? alive(id, lookUpAnew(id)) : Optional.empty());
    }

    /** Another replica may have seen it since it was looked up here. */
    private boolean mayBeOutdated(String id) {
        var now = clock.instant();
        return found(id)
                .session()
                .filter(stored -> now.isBefore(stored.endsAt()) && !now.isBefore(idleAt(id, stored)))
                .isPresent();
    }

    private Optional<Current> alive(String id, Found found) {
        var now = clock.instant();
        return found.session()
                .filter(stored -> now.isBefore(stored.endsAt()) && now.isBefore(idleAt(id, stored)))
                .flatMap(stored -> caller(id, stored).map(caller -> new Current(caller, end(stored, caller, now))));
    }

    /** The end of its key is known with the key, which may depend on others. */
    private static Instant end(SessionRows.Stored stored, Caller caller, Instant now) {
        var end = earlier(stored.endsAt(), now.plus(IDLE));
        var keyEnd = caller.credential().expiresAt();
        return keyEnd == null ? end : earlier(end, keyEnd);
    }

    private Optional<Caller> caller(String id, SessionRows.Stored stored) {
        var origin = stored.origin();
        return origin == null
                ? Optional.of(stored.user())
                : keys.holder(origin.key(), origin.hash()).map(holder -> holder.as(SessionSecret.PRINCIPAL + id));
    }

    private Instant idleAt(String id, SessionRows.Stored stored) {
        var here = used.getOrDefault(id, stored.lastSeen());
        return (here.isAfter(stored.lastSeen()) ? here : stored.lastSeen()).plus(IDLE);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /** Whether it can be told at once, without asking the database, or was good when that was last asked. */
    boolean remembers(String id) {
        var found = remembered.getIfPresent(id);
        if (found == null || found.session().isEmpty()) {
            return found != null && watch.isCurrent() && found.generation() == generation.get();
        }
        var origin = found.session().get().origin();
        return origin == null || keys.remembers(origin.key(), origin.hash());
    }

    private Found found(String id) {
        if (!watch.isCurrent()) {
            return lookUp(id);
        }
        var found = remembered.get(id);
        return found.generation() == generation.get() ? found : lookUpAnew(id);
    }

    private Found lookUpAnew(String id) {
        remembered.invalidate(id);
        return watch.isCurrent() ? remembered.get(id) : lookUp(id);
    }

    private Found lookUp(String id) {
        var before = generation.get();
        return new Found(rows.find(id), before);
    }

    /** Notes that the session of this public id is used. */
    void seen(String id) {
        used.put(id, clock.instant());
    }

    /** Writes when which was used, in one statement. */
    public void flush() {
        var now = new HashMap<>(used);
        if (!now.isEmpty()) {
            rows.seen(now);
            now.forEach(used::remove);
        }
    }

    /** Clears away those that have ended. */
    public void purge(Instant now) {
        flush();
        rows.purge(now, now.minus(IDLE).minus(AT_MOST));
    }
}
