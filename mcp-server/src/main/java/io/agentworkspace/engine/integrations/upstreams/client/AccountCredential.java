package io.agentworkspace.engine.integrations.upstreams.client;

import java.time.Duration;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;

/** The token of the calling user's own account. It is read for each request: an account can end at any time, on any replica. */
record AccountCredential(UserTokens tokens, Target target, long user) implements CredentialSource {
    private static final String AUTHORIZATION = "Authorization";
    private static final String BEARER = "Bearer ";

    @Override
    public Map<String, String> headers(Duration limit) throws InterruptedException {
        return Map.of(AUTHORIZATION, BEARER + tokens.current(target, user, limit));
    }

    @Override
    public boolean refused(int status, Map<String, String> sent) {
        return status == HttpStatus.UNAUTHORIZED_401
                && tokens.refused(
                        target, user, sent.getOrDefault(AUTHORIZATION, BEARER).substring(BEARER.length()));
    }
}
