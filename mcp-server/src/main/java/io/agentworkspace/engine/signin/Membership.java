package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.store.SignInStore;
import io.jsonwebtoken.Claims;

/** Which user somebody is whom a provider has proved. To be proved is not enough: the settings must map the provider to a tenant. */
final class Membership {
    private final SignInStore store;

    Membership(SignInStore store) {
        this.store = store;
    }

    record User(long tenant, long id, String name) {}

    /** @throws Problem {@code not_permitted} for whom nothing is provided */
    User user(Visit visit, Issuer issuer, Claims claims, String accessToken) throws ProviderHttp.Failed {
        var provider = issuer.provider();
        if (provider.tenant() == null) {
            throw Problem.notPermitted(
                    "you are known to '%s', but that gives access to nothing here: no tenant takes its users; the operator can name one"
                            .formatted(provider.name()));
        }
        var tenant = store.findTenant(provider.tenant())
                .orElseThrow(
                        () -> Problem.notPermitted("the tenant of the users of '%s' does not exist; tell the operator"
                                .formatted(provider.name())));
        var identity = new SignInStore.Identity(tenant, provider.issuer().toString(), claims.getSubject());
        var known = store.find(identity);
        var person = known.isPresent() ? known.get() : join(visit, issuer, identity, claims, accessToken);
        if (person.removed()) {
            throw removed();
        }
        return new User(tenant, person.user(), person.name());
    }

    static Problem removed() {
        return Problem.notPermitted(
                "your user has been removed from this tenant, and signing in does not bring it back; an admin can give you a key of another one, with US_Create and AK_Create");
    }

    private SignInStore.Person join(
            Visit visit, Issuer issuer, SignInStore.Identity identity, Claims claims, String accessToken)
            throws ProviderHttp.Failed {
        var more = issuer.userInfo(accessToken);
        var isSame = more.path("sub").asString("").equals(claims.getSubject());
        var newcomer = Newcomer.of(claims, isSame ? more : more.removeAll());
        var domains = issuer.provider().emailDomains();
        if (!domains.isEmpty() && !newcomer.isOf(domains)) {
            throw Problem.notPermitted("""
                    this tenant takes only users with a verified e-mail address in one of its domains, and the provider tells of none of \
                    you; an admin can give you a key, with US_Create and AK_Create""");
        }
        return store.join(identity, newcomer.name(), visit.at(), visit::joined);
    }
}
