package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.EmailAddress;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.Jwts;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Assertions in which a provider of the settings states who a user is, for one client (ID-JAG). The provider's users are
 * mapped as at sign-in.
 */
public final class IdentityAssertions {
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int LONGEST_ID = 255;
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final ProtectedResource resource;
    private final List<TrustedIssuer> issuers;
    private final SignInStore store;
    private final TenantMapping mapping;
    private final TokenGrantStore grants;
    private final Clock clock;

    /** @param issuers only those that are mapped to a tenant are trusted */
    public IdentityAssertions(
            ProtectedResource resource,
            Collection<Issuer> issuers,
            SignInStore store,
            TokenGrantStore grants,
            Clock clock) {
        this.resource = resource;
        this.issuers = issuers.stream()
                .filter(issuer -> issuer.provider().tenant() != null)
                .map(issuer -> new TrustedIssuer(issuer, new IssuerKeys(issuer, IssuerKeys.Trust.BEARER, clock)))
                .toList();
        this.store = store;
        this.mapping = new TenantMapping(store);
        this.grants = grants;
        this.clock = clock;
    }

    private record TrustedIssuer(Issuer issuer, IssuerKeys keys) {
        String name() {
            return issuer.provider().issuer().toString();
        }
    }

    /** An assertion that its issuer has signed. */
    public record Assertion(Issuer issuer, Claims claims, TokenClaims said) {
        /** Returns an id that is unique among those of all issuers. */
        public String id() {
            return issuer.provider().issuer() + "\n" + claims.getId();
        }

        public Instant expires() {
            return said.expiresAt();
        }

        /** Returns the capabilities that it names; empty if it names none. */
        public Set<String> scopes() {
            return said.scopes();
        }

        /** Returns the paths of the MCP endpoint that it names. */
        public List<String> resources() {
            return List.of(said.resources().split(" "));
        }

        /** Returns the thumbprint of the key that the client must prove to have (DPoP); null for none. */
        public @Nullable String proofKey() {
            return said.proofKey();
        }
    }

    /**
     * Verifies an assertion, and changes nothing. The caller of this method checks that it was not used before.
     *
     * @param client the client that presents it
     * @throws Problem {@code unauthenticated} for an invalid assertion, {@code unavailable} if its issuer has to be queried and does
     *     not respond
     */
    public Assertion verified(String text, String client) {
        var token = UnverifiedToken.read(text).orElseThrow(() -> TokenClaims.invalid("it is not a JWT"));
        var named = token.claims().path("iss").asString("");
        var trusted = issuers.stream()
                .filter(one -> one.name().equals(named))
                .findFirst()
                .orElseThrow(() -> TokenClaims.invalid("its iss is not a provider that this server trusts"));
        var now = clock.instant();
        var said = TokenClaims.asserted(token, trusted.name(), client, resource, now);
        if (said.expiresAt().isAfter(now.plus(LONGEST))) {
            throw TokenClaims.invalid("its exp must be at most an hour from now");
        }
        var id = token.claims().path("jti").asString("");
        if (id.isBlank() || id.length() > LONGEST_ID) {
            throw TokenClaims.invalid("its jti must be unique, in at most %d characters".formatted(LONGEST_ID));
        }
        if (said.scopes().isEmpty() && token.claims().has("scope")) {
            throw TokenClaims.invalid("its scope names no capability, such as agent:read");
        }
        try {
            var claims = trusted.keys()
                    .verified(token)
                    .orElseThrow(() -> TokenClaims.invalid("its signature is not of a key of its issuer (kid)"));
            var whole = Jwts.claims().add(claims).subject(said.subject()).build();
            return new Assertion(trusted.issuer(), whole, said);
        } catch (ProviderHttp.Failed e) {
            throw unavailable();
        }
    }

    private static Problem unavailable() {
        return Problem.unavailable(
                "the keys of the assertion's issuer cannot be fetched now; try again shortly", RETRY);
    }

    /**
     * Returns the user of an assertion as a caller with everything that the user may do. A new user joins, so the client must have been
     * authenticated before.
     *
     * @param until when the access ends that it is for
     * @throws Problem {@code unauthenticated} if it names two users, {@code not_permitted} for an unknown user
     */
    public Caller caller(Assertion assertion, Instant until, Request request) {
        checkEmail(assertion);
        try {
            var issuer = assertion.issuer();
            var user = mapping.user(RequestOrigin.of(request, clock), issuer, assertion.claims(), "");
            var name = issuer.provider().issuer().toString();
            var identity = new SignInStore.Identity(
                    user.tenant(), name, assertion.said().subject());
            return caller(identity, assertion.said(), until);
        } catch (ProviderHttp.Failed e) {
            throw unavailable();
        }
    }

    /** An address beside the subject is that user's, or nobody's yet if the issuer reports it as verified. */
    private void checkEmail(Assertion assertion) {
        var named = assertion.said().email();
        if (named == null) {
            return;
        }
        var provider = assertion.issuer().provider();
        var email = EmailAddress.key(named).orElseThrow(() -> TokenClaims.different("sub"));
        var subjects = store.findTenant(Objects.requireNonNull(provider.tenant()))
                .map(tenant -> store.subjects(tenant, provider.issuer().toString(), email))
                .orElse(List.of());
        var isNew = subjects.isEmpty()
                && email.equals(EmailClaim.of(assertion.claims(), Json.object()).key());
        if (!isNew && !subjects.equals(List.of(assertion.said().subject()))) {
            throw TokenClaims.different("sub");
        }
    }

    private Caller caller(SignInStore.Identity identity, TokenClaims said, Instant until) {
        var stable = "assertion\n%d\n%s\n%s\n%s"
                .formatted(identity.tenant(), identity.issuer(), identity.subject(), said.client());
        var principal = Caller.OAUTH + AccessTokens.digest(stable);
        grants.note(identity, principal, said.scopes(), said.expiresAt());
        return grants.find(principal)
                .filter(granted -> !granted.removed())
                .orElseThrow(TenantMapping::removed)
                .with(Set.of(Capability.ALL), until);
    }
}
