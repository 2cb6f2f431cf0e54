package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.schema.Titled;
import org.jspecify.annotations.Nullable;

/**
 * What an assertion of a user contains besides the user.
 *
 * @param audience what it is for: the address of a token endpoint, or of an ID-JAG the issuer that the endpoint belongs to
 * @param grant the client that may use it as an authorization grant, which makes it an ID-JAG; null for a plain assertion
 */
@Titled
public record AssertionClaims(String audience, @Nullable Grant grant) {
    /**
     * The grant of an ID-JAG.
     *
     * @param client the id of the client at the issuer
     * @param resource the address that the access token is for
     * @param scope the scope to ask for; null for the issuer's default
     */
    public record Grant(
            String client, String resource, @Nullable String scope) {}
}
