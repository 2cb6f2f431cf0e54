package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.JwtException;
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
 * The keys of an issuer, and the verification of its signatures. {@link Trust} limits how often keys are
 * fetched, whatever requests arrive.
 */
final class IssuerKeys {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    private static final Duration FRESH = Duration.ofHours(1);

    private final Issuer issuer;
    private final Trust trust;
    private final Clock clock;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile KeySet keySet = new KeySet(List.of(), Instant.EPOCH, Instant.EPOCH, false);

    /**
     * How long keys are trusted, and how often they are fetched.
     *
     * @param believed how long a known key is used while the issuer does not respond
     * @param pause how long an unknown key counts as unknown
     * @param firstPause the same while no key is known at all
     * @param patience how long a request waits for a key that another request is fetching
     */
    record Trust(Duration believed, Duration pause, Duration firstPause, Duration patience) {
        /** For ID tokens. They come from the provider itself, which must respond for each sign-in anyway. */
        static final Trust SIGN_IN =
                new Trust(FRESH, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10));

        /** For access tokens. Anybody may send them, so keys are fetched more rarely. */
        static final Trust BEARER =
                new Trust(Duration.ofDays(1), Duration.ofMinutes(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
    }

    IssuerKeys(Issuer issuer, Trust trust, Clock clock) {
        this.issuer = issuer;
        this.trust = trust;
        this.clock = clock;
    }

    /** @param failed whether the last fetch failed */
    private record KeySet(List<Jwk<?>> keys, Instant from, Instant fetchTime, boolean failed) {
        Optional<PublicKey> find(@Nullable String id, Instant now, Trust trust) {
            return now.isBefore(from.plus(trust.believed())) ? named(id) : Optional.empty();
        }

        /** Returns the key with this id. A token need not name its key if there is only one. */
        private Optional<PublicKey> named(@Nullable String id) {
            return keys.stream()
                    .filter(key -> id == null ? keys.size() == 1 : id.equals(key.getId()))
                    .map(Jwk::toKey)
                    .filter(PublicKey.class::isInstance)
                    .map(PublicKey.class::cast)
                    .findFirst();
        }

        boolean isDue(@Nullable String id, Instant now, Trust trust) {
            var isWanted = find(id, now, trust).isEmpty() || !now.isBefore(from.plus(FRESH));
            return isWanted && !now.isBefore(fetchTime.plus(keys.isEmpty() ? trust.firstPause() : trust.pause()));
        }
    }

    /**
     * Returns the claims of a token, if this issuer signed it and it is valid now.
     *
     * @throws ProviderHttp.Failed if it cannot be determined whether the key is one of the issuer's
     */
    Optional<Claims> verified(UnverifiedToken token) throws ProviderHttp.Failed {
        var key = find(token.keyId());
        if (key.isEmpty()) {
            return Optional.empty();
        }
        try {
            var parser = TokenJson.parser(issuer.provider().issuer().toString(), TokenJson.ALGORITHMS, clock)
                    .clockSkewSeconds(TokenJson.SKEW.toSeconds())
                    .verifyWith(key.get())
                    .build();
            return Optional.of(parser.parseSignedClaims(token.text()).getPayload());
        } catch (JwtException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Optional<PublicKey> find(@Nullable String id) throws ProviderHttp.Failed {
        var now = clock.instant();
        if (keySet.isDue(id, now, trust)) {
            fetch(id, now);
        }
        var found = keySet.find(id, now, trust);
        if (found.isEmpty() && keySet.failed()) {
            throw new ProviderHttp.Failed("its keys cannot be had at present");
        }
        return found;
    }

    /**
     * Fetches the keys. Only requests that need a new key wait for it: briefly, and not at all if the last fetch failed.
     */
    private void fetch(@Nullable String id, Instant now) throws ProviderHttp.Failed {
        var isNeeded = keySet.find(id, now, trust).isEmpty();
        if (!isTurn(isNeeded && !keySet.failed() ? trust.patience() : Duration.ZERO)) {
            if (isNeeded) {
                throw new ProviderHttp.Failed("its keys are being asked for");
            }
            return;
        }
        try {
            if (keySet.isDue(id, now, trust)) {
                keySet = fetched(now);
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

    private KeySet fetched(Instant now) {
        try {
            return new KeySet(issuer.fetchKeys(), now, now, false);
        } catch (ProviderHttp.Failed e) {
            LOG.warn(
                    "cannot fetch the keys of the issuer {}: {}",
                    issuer.provider().name(),
                    e.getMessage());
            return new KeySet(keySet.keys(), keySet.from(), now, true);
        }
    }
}
