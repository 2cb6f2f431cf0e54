package io.agentworkspace.engine.identity.signin;

import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An identity provider for OpenID Connect, as configured.
 *
 * @param name as it appears in the routes
 * @param issuer exactly as in its discovery document and tokens
 * @param clientSecret null for a public client
 * @param tenant the tenant that its users join; null if new users are refused
 * @param emailDomains in lower case; if not empty, users need a verified address in one of them
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

    /** Leaves out the secret, in case a log contains this. */
    @Override
    public String toString() {
        return "provider " + name;
    }
}
