package io.agentworkspace.engine.integrations.upstreams.accounts;

import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore.Account;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore.Key;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.integrations.upstreams.client.UserTokens;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens of users' accounts, renewed when they expire. One replica renews a token at a time, since most refresh tokens can be used
 * once; the others wait for what it stores. Nobody holds a connection or a lock of the database meanwhile.
 */
final class AccountTokens implements UserTokens {
    private static final Logger LOG = LoggerFactory.getLogger(AccountTokens.class);

    /** How long a renewal may take before another replica tries: longer than the request. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** How long what was issued is stored again, if the database does not answer: until shortly before the lease ends. */
    private static final Duration STORED = LEASE.minusSeconds(3);

    private static final Duration PAUSE = Duration.ofMillis(50);

    /** A token that is refused so soon after it was issued is not renewed: the next one would be refused, too. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    private final AccountStore store;
    private final TokenEndpoint endpoint;
    private final String baseUrl;
    private final Clock clock;

    AccountTokens(AccountStore store, TokenEndpoint endpoint, String baseUrl, Clock clock) {
        this.store = store;
        this.endpoint = endpoint;
        this.baseUrl = baseUrl;
        this.clock = clock;
    }

    /** A renewal that this replica does, and until when it tries to store what was issued, in {@link System#nanoTime}. */
    private record Renewal(Target target, Key key, Account account, Instant lease, long end) {}

    @Override
    public String current(Target target, long user, Duration limit) throws InterruptedException {
        var key = Key.of(target, user);
        var end = System.nanoTime() + limit.toNanos();
        do {
            var account = store.find(target, user).orElseThrow(() -> none(key));
            if (account.renewAt() == null || clock.instant().isBefore(account.renewAt())) {
                return account.grant().access();
            }
            if (account.grant().refresh() == null) {
                store.end(key, account.version(), null);
                throw none(key);
            }
            var before = System.nanoTime();
            var lease = store.claim(key, account.version(), LEASE);
            if (lease.isPresent()) {
                renewed(new Renewal(target, key, account, lease.get(), before + STORED.toNanos()), end);
            } else {
                Thread.sleep(PAUSE);
            }
        } while (System.nanoTime() < end);
        throw new UpstreamFailure(
                Kind.CREDENTIAL, "the token of your account there is being renewed, which takes too long");
    }

    private UpstreamFailure none(Key key) {
        return new UpstreamFailure(
                Kind.ACCOUNT,
                "you have not connected an account of your own there, or its access has ended: connect one at "
                        + Accounts.page(baseUrl, key.upstream()));
    }

    /** Waits for the renewal, which goes on if the caller leaves: the new refresh token must not be lost. */
    private void renewed(Renewal renewal, long end) throws InterruptedException {
        var work = new FutureTask<@Nullable Void>(() -> {
            renew(renewal);
            return null;
        });
        Thread.startVirtualThread(work);
        try {
            work.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UpstreamFailure failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            // The caller has waited long enough.
        }
    }

    private void renew(Renewal renewal) throws InterruptedException {
        var key = renewal.key();
        var version = renewal.account().version();
        var old = renewal.account().grant();
        var isOver = false;
        try {
            var issued = endpoint.renew(old);
            var refresh = issued.refresh() == null ? old.refresh() : issued.refresh();
            var grant = new Grant(issued.access(), refresh, old.token(), old.revoke(), old.client(), old.resource());
            isOver = true;
            if (!isStored(renewal, grant, issued)) {
                endpoint.revoke(grant); // The account was ended meanwhile, or the database is away.
            }
        } catch (TokenEndpoint.Refused e) {
            if (!e.error().equals("invalid_grant")) {
                throw ProviderHttp.failed("its token endpoint refused to renew the token: " + e.error());
            }
            isOver = true;
            if (store.end(key, version, renewal.lease())) {
                LOG.info(
                        "the account of the user {} at the upstream server {} has ended: {}",
                        key.user(),
                        key.upstream(),
                        e.error());
                throw none(key);
            }
        } finally {
            if (!isOver) {
                store.release(key, version, renewal.lease());
            }
        }
    }

    /** Stores what was issued, again if the database fails: the token that it was issued for is worth nothing any more. */
    private boolean isStored(Renewal renewal, Grant grant, TokenEndpoint.Issued issued) throws InterruptedException {
        var key = renewal.key();
        var hasFailed = false;
        while (true) {
            try {
                var now = clock.instant();
                var version = renewal.account().version();
                return store.renew(renewal.target(), key, version, grant, issued.renewAt(now), now)
                        || (hasFailed && isThere(renewal, grant));
            } catch (RuntimeException e) {
                hasFailed = true;
                if (System.nanoTime() >= renewal.end()) {
                    LOG.error(
                            "the renewed tokens of the user {} at the upstream server {} could not be stored",
                            key.user(),
                            key.upstream(),
                            e);
                    return false;
                }
                Thread.sleep(PAUSE.multipliedBy(5));
            }
        }
    }

    /** Returns whether an attempt was stored that seemed to fail. */
    private boolean isThere(Renewal renewal, Grant grant) {
        return store.find(renewal.target(), renewal.key().user())
                .filter(found -> found.grant().equals(grant))
                .isPresent();
    }

    @Override
    public boolean refused(Target target, long user, String token) {
        var account = store.find(target, user);
        if (account.isEmpty()) {
            return true; // It was ended meanwhile: what is next says so.
        }
        var found = account.get();
        if (!found.grant().access().equals(token)) {
            return true;
        }
        var now = clock.instant();
        if (found.grant().refresh() == null || now.isBefore(found.renewedAt().plus(FRESH))) {
            return false;
        }
        store.expire(Key.of(target, user), found.version(), now);
        return true;
    }
}
