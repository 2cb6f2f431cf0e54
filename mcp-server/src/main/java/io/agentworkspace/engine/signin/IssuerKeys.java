package io.agentworkspace.engine.signin;

import io.jsonwebtoken.security.Jwk;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of an issuer whose tokens anybody may send here: it is asked for them seldom, whatever comes, and those that are known go
 * on to be believed for a day while it does not answer.
 */
final class IssuerKeys {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    private static final Duration FRESH = Duration.ofHours(1);
    private static final Duration BELIEVED = Duration.ofDays(1);

    /** So long an unknown key stays unknown; shorter where none is known at all. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    /** So long somebody waits who needs a key that another asks for. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Issuer issuer;
    private final Clock clock;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Known known = new Known(List.of(), Instant.EPOCH, Instant.EPOCH, false);

    IssuerKeys(Issuer issuer, Clock clock) {
        this.issuer = issuer;
        this.clock = clock;
    }

    /** @param failed whether it did not answer when it was last asked */
    private record Known(List<Jwk<?>> keys, Instant from, Instant asked, boolean failed) {
        Optional<PublicKey> find(@Nullable String id, Instant now) {
            return now.isBefore(from.plus(BELIEVED)) ? Issuer.find(keys, id) : Optional.empty();
        }

        boolean isDue(@Nullable String id, Instant now) {
            var isWanted = find(id, now).isEmpty() || !now.isBefore(from.plus(FRESH));
            return isWanted && !now.isBefore(asked.plus(keys.isEmpty() ? FIRST_PAUSE : PAUSE));
        }
    }

    /** @throws ProviderHttp.Failed when it cannot be told whether there is such a key */
    Optional<PublicKey> find(@Nullable String id) throws ProviderHttp.Failed {
        var now = clock.instant();
        if (known.isDue(id, now)) {
            ask(id, now);
        }
        var found = known.find(id, now);
        if (found.isEmpty() && known.failed()) {
            throw new ProviderHttp.Failed("its keys cannot be had at present");
        }
        return found;
    }

    /** Whoever needs no new key does not wait for it, and nobody does for long, or where it did not come the last time. */
    private void ask(@Nullable String id, Instant now) throws ProviderHttp.Failed {
        var isNeeded = known.find(id, now).isEmpty();
        if (!isTurn(isNeeded && !known.failed() ? PATIENCE : Duration.ZERO)) {
            if (isNeeded) {
                throw new ProviderHttp.Failed("its keys are being asked for");
            }
            return;
        }
        try {
            if (known.isDue(id, now)) {
                known = asked(now);
            }
        } finally {
            asking.unlock();
        }
    }

    private boolean isTurn(Duration patience) {
        try {
            return asking.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Known asked(Instant now) {
        try {
            return new Known(issuer.fetchKeys(), now, now, false);
        } catch (ProviderHttp.Failed e) {
            LOG.warn(
                    "the keys of the issuer {} cannot be had: {}",
                    issuer.provider().name(),
                    e.getMessage());
            return new Known(known.keys(), known.from(), now, true);
        }
    }
}
