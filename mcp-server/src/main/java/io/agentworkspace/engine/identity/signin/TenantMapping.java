package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.jsonwebtoken.Claims;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Maps a provider's user to a user of a tenant. A valid token is not enough: the settings must map the provider to a tenant.
 */
final class TenantMapping {
    private static final Logger LOG = LoggerFactory.getLogger(TenantMapping.class);

    private final SignInStore store;

    TenantMapping(SignInStore store) {
        this.store = store;
    }

    record MappedUser(long tenant, long id, String name) {}

    /** What a user presented: an ID token, or a token that comes alone: an access token at the MCP endpoint, or an assertion. */
    private record Proof(RequestOrigin visit, Issuer issuer, Claims claims, String accessToken) {
        /** Returns the claims of the userinfo endpoint; empty if they are about another subject. */
        ObjectNode userInfo() throws ProviderHttp.Failed {
            var more = issuer.userInfo(accessToken);
            return more.path("sub").asString("").equals(claims.getSubject()) ? more : more.removeAll();
        }

        /** Returns when the token was issued. An access token may be older than what is stored. */
        Instant at() {
            var issued = claims.getIssuedAt() == null
                    ? visit.at()
                    : claims.getIssuedAt().toInstant();
            return accessToken.isEmpty() && issued.isBefore(visit.at()) ? issued : visit.at();
        }

        /** Returns whether the claims have an address. A token that comes alone must also say whether it is verified. */
        boolean hasEmail() {
            return claims.get("email") != null && (!accessToken.isEmpty() || claims.get("email_verified") != null);
        }
    }

    /** @throws Problem {@code not_permitted} for a user without a provider mapping */
    MappedUser user(RequestOrigin visit, Issuer issuer, Claims claims, String accessToken) throws ProviderHttp.Failed {
        var provider = issuer.provider();
        if (provider.tenant() == null) {
            throw Problem.notPermitted(
                    "you have an account at '%s', but no tenant here accepts its users; the operator can choose one"
                            .formatted(provider.name()));
        }
        var tenant = store.findTenant(provider.tenant())
                .orElseThrow(
                        () -> Problem.notPermitted("the tenant of the users of '%s' does not exist; tell the operator"
                                .formatted(provider.name())));
        var identity = new SignInStore.Identity(tenant, provider.issuer().toString(), claims.getSubject());
        var proof = new Proof(visit, issuer, claims, accessToken);
        var member = store.find(identity);
        var person = member.isPresent() ? member.get() : join(identity, proof);
        if (person.removed()) {
            throw removed();
        }
        if (member.isPresent()) {
            keepEmail(identity, person.email(), proof);
        }
        return new MappedUser(tenant, person.user(), person.name());
    }

    static Problem removed() {
        return Problem.notPermitted(
                "your user has been removed from this tenant, and signing in does not bring it back; an admin can create another user and key for you, with US_Create and AK_Create");
    }

    private SignInStore.Person join(SignInStore.Identity identity, Proof proof) throws ProviderHttp.Failed {
        var more = proof.userInfo();
        var newcomer = ProviderProfile.of(proof.claims(), more);
        var domains = proof.issuer().provider().emailDomains();
        if (!domains.isEmpty() && !newcomer.isOf(domains)) {
            throw Problem.notPermitted("""
                    this tenant accepts only users with a verified e-mail address in one of its domains, and the provider reports none \
                    for you. An admin can give you a key, with US_Create and AK_Create""");
        }
        var person = store.join(identity, newcomer.name(), proof.visit().at(), proof.visit()::joined);
        keepEmail(identity, person.email(), EmailClaim.of(proof.claims(), more), proof.at());
        return person;
    }

    /**
     * Updates the e-mail address. If the provider does not respond, the last reported address stays, and nobody is refused.
     */
    private void keepEmail(SignInStore.Identity identity, @Nullable String email, Proof proof) {
        if (!proof.hasEmail() && proof.accessToken().isEmpty()) {
            return;
        }
        try {
            var more = proof.hasEmail() ? Json.object() : proof.userInfo();
            keepEmail(identity, email, EmailClaim.of(proof.claims(), more), proof.at());
        } catch (ProviderHttp.Failed e) {
            LOG.warn(
                    "the provider {} did not report an e-mail address: {}",
                    proof.issuer().provider().name(),
                    e.getMessage());
        }
    }

    private void keepEmail(SignInStore.Identity identity, @Nullable String email, EmailClaim claim, Instant at) {
        if (!Objects.equals(claim.key(), email)) {
            store.report(identity, new SignInStore.Reported(claim.key(), at));
        }
    }
}
