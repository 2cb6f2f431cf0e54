package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.tool.Caller;
import io.jsonwebtoken.Jwts;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.UUID;

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
        var signer = keys.signer();
        var now = clock.instant();
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .keyId(signer.id())
                .and()
                .issuer(issuer)
                .audience()
                .add(audience)
                .and()
                .subject(Long.toString(caller.user()))
                .claim("tid", Long.toString(caller.tenant()))
                .claim("name", caller.userName())
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(LIFE)))
                .id(UUID.randomUUID().toString())
                .signWith(signer.key(), Jwts.SIG.ES256)
                .compact();
    }
}
