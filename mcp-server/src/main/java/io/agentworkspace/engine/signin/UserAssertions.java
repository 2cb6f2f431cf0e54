package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * JWTs that assert to another authorization server who a user is (RFC 8693). They are signed like access tokens, but have no
 * session: the engine itself never accepts them.
 */
public final class UserAssertions {
    private static final Duration LIFE = Duration.ofMinutes(2);

    private final SigningKeyStore keys;
    private final String issuer;
    private final Clock clock;

    public UserAssertions(SigningKeyStore keys, String issuer, Clock clock) {
        this.keys = keys;
        this.issuer = issuer;
        this.clock = clock;
    }

    /** Returns the assertion of a caller's user for one audience. */
    public String issue(Caller caller, String audience) {
        return TokenJson.draft(keys.signer(), issuer, List.of(audience), caller, clock.instant(), LIFE)
                .claim("name", caller.userName())
                .compact();
    }
}
