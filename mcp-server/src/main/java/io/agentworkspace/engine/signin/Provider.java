package io.agentworkspace.engine.signin;

import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who proves who people are, by OpenID Connect, as the settings have it.
 *
 * @param name as it stands in the routes
 * @param issuer exactly as its discovery document and its tokens spell it
 * @param clientSecret null for a client that has none
 * @param tenant whose members those whom it proves become; null: nobody's
 * @param emailDomains in lower case; where there are any, only those with a verified address in one of them
 */
public record Provider(
        String name,
        URI issuer,
        String clientId,
        @Nullable String clientSecret,
        @Nullable String tenant,
        Set<String> emailDomains) {

    public Provider {
        emailDomains = Set.copyOf(emailDomains);
    }

    /** Never the secret, should this end up in a log. */
    @Override
    public String toString() {
        return "provider " + name;
    }
}
