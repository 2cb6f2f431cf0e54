package io.agentworkspace.engine.kernel.secrets;

import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.problem.Problem;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets that seal data that clients store for the server. All replicas share them. The newest seals, the two
 * newest are accepted, and a new one is created every {@link #REIGN}.
 */
public final class SealKeys {
    /** How long a key is the newest. What it sealed is accepted for as long again. */
    public static final Duration REIGN = Duration.ofHours(24);

    private static final int BELIEVED = 2;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** How long to wait after a new key could not be stored. */
    private static final Duration RETRY = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(SealKeys.class);

    private final Db db;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final AtomicReference<CachedKeys> loaded = new AtomicReference<>(new CachedKeys(List.of(), Instant.MIN));

    public SealKeys(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** A secret and its number. */
    public record SealKey(int id, byte[] secret, Instant createdAt) {}

    private record CachedKeys(List<SealKey> newestFirst, Instant at) {
        Optional<SealKey> find(int id) {
            return newestFirst.stream().filter(key -> key.id() == id).findFirst();
        }
    }

    /** Returns the key to seal with. */
    public SealKey newest() {
        var now = clock.instant();
        var cached = loaded.get();
        if (cached.newestFirst().isEmpty()) {
            cached = load(now, true);
        } else if (isOld(cached.newestFirst().getFirst(), now)
                && !now.isBefore(cached.at().plus(RETRY))) {
            cached = renewed(cached, now);
        }
        return cached.newestFirst().getFirst();
    }

    /** A database that accepts no changes, such as one on a full disk, can still be read: then the old key seals for longer. */
    private CachedKeys renewed(CachedKeys cached, Instant now) {
        try {
            return load(now, true);
        } catch (SqlFailure | Problem e) {
            LOG.warn("no new key for seals can be stored; the last one is used for longer");
            var same = new CachedKeys(cached.newestFirst(), now);
            loaded.set(same);
            return same;
        }
    }

    /** Returns the key with this number, if what it sealed is still accepted. */
    public Optional<SealKey> find(int id) {
        var snapshot = loaded.get();
        var found = snapshot.find(id);
        var now = clock.instant();
        // Another replica may have created one. Invented numbers cause at most one look-up a second.
        return found.isPresent() || now.isBefore(snapshot.at().plus(PAUSE))
                ? found
                : load(now, false).find(id);
    }

    private static boolean isOld(SealKey key, Instant now) {
        return !now.isBefore(key.createdAt().plus(REIGN));
    }

    private CachedKeys load(Instant now, boolean renew) {
        var keys = renew ? db.transaction(() -> renewed(now)) : newestFirst();
        var fresh = new CachedKeys(keys, now);
        loaded.set(fresh);
        return fresh;
    }

    private List<SealKey> renewed(Instant now) {
        db.sql("SELECT pg_advisory_xact_lock(:lock)")
                .set("lock", AdvisoryLock.SEAL_KEYS.number)
                .one(_ -> true);
        var keys = newestFirst();
        if (!keys.isEmpty() && !isOld(keys.getFirst(), now)) {
            return keys;
        }
        var secret = new byte[32];
        random.nextBytes(secret);
        db.sql("INSERT INTO seal_key (secret, created_at) VALUES (:secret, :now)")
                .set("secret", secret)
                .set("now", now)
                .run();
        return newestFirst();
    }

    private List<SealKey> newestFirst() {
        return db.sql("SELECT id, secret, created_at FROM seal_key ORDER BY id DESC LIMIT :believed")
                .set("believed", BELIEVED)
                .list(row -> row.as(SealKey.class));
    }

    /** Deletes keys that are no longer accepted. */
    public void purge(Instant now) {
        db.sql("""
                DELETE FROM seal_key
                 WHERE created_at < :until
                   AND id NOT IN (SELECT id FROM seal_key ORDER BY id DESC LIMIT :believed)
                """)
                .set("until", now.minus(REIGN.multipliedBy(BELIEVED)))
                .set("believed", BELIEVED)
                .run();
    }
}
