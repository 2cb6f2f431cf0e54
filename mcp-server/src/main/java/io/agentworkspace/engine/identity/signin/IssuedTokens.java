package io.agentworkspace.engine.identity.signin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.credentials.IssuedToken;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.jsonwebtoken.Claims;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Access tokens that a provider issues for the MCP endpoint. The user is identified as at sign-in; the token's scopes
 * limit what it allows. A verified token is cached for a while, its user only until something changes.
 */
final class IssuedTokens {
    private static final int REMEMBERED = 100_000;
    private static final Duration AT_MOST = Duration.ofMinutes(10);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final int HASH = 22;

    private final ProtectedResource resource;
    private final Issuer issuer;
    private final IssuerKeys keys;
    private final TenantMapping mapping;
    private final TokenGrantStore grants;
    private final Clock clock;
    private final Cache<String, Verified> verified = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(AT_MOST)
            .build();

    public IssuedTokens(
            ProtectedResource resource, Issuer issuer, SignInStore store, TokenGrantStore grants, Clock clock) {
        this.resource = resource;
        this.issuer = issuer;
        this.keys = new IssuerKeys(issuer, IssuerKeys.Trust.BEARER, clock);
        this.mapping = new TenantMapping(store);
        this.grants = grants;
        this.clock = clock;
    }

    private record Verified(
            String principal,
            Set<String> scopes,
            String resources,
            Instant expiresAt,
            @Nullable String proofKey) {}

    /**
     * @throws Problem {@code unauthenticated} for an invalid token, {@code not_permitted} for an unknown user, {@code
     *     unavailable} if its issuer has to be queried and does not respond
     */
    Caller caller(IssuedToken token) {
        var digest = AccessTokens.digest(token.text());
        var entry = verified.getIfPresent(digest);
        if (entry != null && !clock.instant().isBefore(entry.expiresAt())) {
            throw TokenClaims.invalid("it has expired");
        }
        return Optional.ofNullable(entry).flatMap(this::caller).orElseGet(() -> {
            var anew = verify(token.text());
            verified.put(digest, anew);
            return caller(anew).orElseThrow(() -> TokenClaims.invalid("its user was removed"));
        });
    }

    private Optional<Caller> caller(Verified token) {
        var granted = grants.find(token.principal());
        if (granted.isPresent() && granted.get().removed()) {
            throw TenantMapping.removed();
        }
        return granted.map(one -> one.with(token.scopes(), token.expiresAt()))
                .map(one -> one.with(one.credential().at(token.resources()).provenBy(token.proofKey())));
    }

    /** Verifies a token. The claims are checked first, since that needs no request to the issuer. */
    private Verified verify(String text) {
        try {
            var token = UnverifiedToken.read(text).orElseThrow(() -> TokenClaims.invalid("it is not a JWT"));
            var said = TokenClaims.checked(token, resource, clock.instant());
            var claims = keys.verified(token)
                    .orElseThrow(() -> TokenClaims.invalid("its signature is not of a key of its issuer (kid)"));
            return admitted(said, claims);
        } catch (ProviderHttp.Failed e) {
            throw Problem.unavailable(
                    "the keys of this access token's issuer cannot be fetched now, and the token's key is not known here yet; "
                            + "try again shortly",
                    RETRY);
        }
    }

    /**
     * Resolves the user, and adds a new one if the provider is mapped to a tenant. The token must contain the new
     * user's name, since it is not sent to the issuer.
     */
    private Verified admitted(TokenClaims said, Claims claims) throws ProviderHttp.Failed {
        var visit = RequestOrigin.withToken(clock);
        var user = mapping.user(visit, issuer, claims, "");
        var name = resource.issuer().toString();
        var identity = new SignInStore.Identity(user.tenant(), name, said.subject());
        var stable = "%d\n%s\n%s\n%s".formatted(user.tenant(), name, said.subject(), said.client());
        var principal = prefix() + hash(stable);
        grants.note(identity, principal, said.scopes(), said.expiresAt());
        return new Verified(principal, said.scopes(), said.resources(), said.expiresAt(), said.proofKey());
    }

    private String prefix() {
        return Caller.OAUTH + issuer.provider().name() + ":";
    }

    private static String hash(String text) {
        return AccessTokens.digest(text).replace('+', '-').replace('/', '_').substring(0, HASH);
    }

    /** Returns the caller for work that was started with a token, until the principal's newest token expires. */
    Optional<Caller> current(String principal) {
        var now = clock.instant();
        return Optional.of(principal)
                .filter(name -> name.startsWith(prefix()))
                .flatMap(name -> grants.current(name, now))
                .filter(granted -> !granted.isOver(now))
                .map(TokenGrantStore.Granted::caller);
    }

    boolean remembers(IssuedToken token) {
        var entry = verified.getIfPresent(AccessTokens.digest(token.text()));
        return entry != null && grants.remembers(entry.principal());
    }
}
