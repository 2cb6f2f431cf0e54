package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.AssertionClaims;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * JWTs that assert to another authorization server who a user is: subject tokens (RFC 8693), and ID-JAGs, which one client may use as
 * a grant. They are signed like access tokens, but have no session: the engine itself never accepts them as such.
 */
final class UserAssertions {
    /** The type of an Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant). */
    private static final String ID_JAG = "oauth-id-jag+jwt";

    private static final Duration LIFE = Duration.ofMinutes(2);

    private final SigningKeyStore keys;
    private final String issuer;
    private final Clock clock;

    UserAssertions(SigningKeyStore keys, String issuer, Clock clock) {
        this.keys = keys;
        this.issuer = issuer;
        this.clock = clock;
    }

    /** Returns the assertion of a caller's user. */
    String issue(Caller caller, AssertionClaims claims) {
        var token = TokenJson.draft(keys.signer(), issuer, List.of(claims.audience()), caller, clock.instant(), LIFE)
                .claim("name", caller.userName());
        var grant = claims.grant();
        if (grant != null) {
            token.header().type(ID_JAG);
            token.claim("client_id", grant.client()).claim("resource", grant.resource());
            if (grant.scope() != null) {
                token.claim("scope", grant.scope());
            }
        }
        return token.compact();
    }
}
