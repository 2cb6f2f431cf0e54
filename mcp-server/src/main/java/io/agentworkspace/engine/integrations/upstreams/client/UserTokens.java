package io.agentworkspace.engine.integrations.upstreams.client;

import java.time.Duration;

/** The access tokens of users' own accounts at servers. */
public interface UserTokens {
    /**
     * Returns the user's token, renewed if it has expired.
     *
     * @throws UpstreamFailure of the kind ACCOUNT if the user has connected no account
     */
    String current(Target target, long user, Duration limit) throws InterruptedException;

    /**
     * Notes that the server refused a token.
     *
     * @return whether the next one is another
     */
    boolean refused(Target target, long user, String token);
}
