package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.AccessToken;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.IssuedToken;
import io.agentworkspace.engine.identity.credentials.Presented;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the owner of every kind of credential: keys, sessions, the access tokens of sessions, and those of another issuer.
 */
final class CredentialResolver implements Callers {
    private static final String PRINCIPAL = SessionSecret.PRINCIPAL;

    private final Callers keys;
    private final BrowserSessions sessions;
    private final AccessTokens tokens;
    private final @Nullable IssuedTokens issued;
    private final @Nullable ProtectedResource resource;

    /**
     * @param issued null if the MCP endpoint accepts no tokens of another issuer
     * @param resource null if there is no authorization server
     */
    public CredentialResolver(
            Callers keys,
            BrowserSessions sessions,
            AccessTokens tokens,
            @Nullable IssuedTokens issued,
            @Nullable ProtectedResource resource) {
        this.keys = keys;
        this.sessions = sessions;
        this.tokens = tokens;
        this.issued = issued;
        this.resource = resource;
    }

    @Override
    public Caller authenticate(ApiKey key) {
        return keys.authenticate(key);
    }

    @Override
    public Caller authenticate(Presented credential) {
        return switch (credential) {
            case ApiKey key -> authenticate(key);
            case SessionSecret secret ->
                sessions.find(secret).orElseThrow(SessionSecret::ended).caller();
            case AccessToken token ->
                sessions.current(tokens.session(token))
                        .orElseThrow(AccessTokens::invalid)
                        .caller();
            case IssuedToken token -> issued().caller(token);
        };
    }

    /** Returns the issued tokens. Without an issuer, no credential is recognised as such a token. */
    private IssuedTokens issued() {
        return Objects.requireNonNull(issued);
    }

    @Override
    public Optional<ProtectedResource> resource() {
        return Optional.ofNullable(resource);
    }

    @Override
    public Optional<Caller> current(String principal) {
        if (principal.startsWith(Caller.OAUTH)) {
            return issued == null ? Optional.empty() : issued.current(principal);
        }
        return principal.startsWith(PRINCIPAL)
                ? sessions.current(principal.substring(PRINCIPAL.length())).map(BrowserSessions.Current::caller)
                : keys.current(principal);
    }

    /** Records a use. The use of a key's session counts as a use of the key. */
    @Override
    public void seen(Caller caller, @Nullable String client) {
        if (caller.principal().startsWith(PRINCIPAL)) {
            sessions.seen(caller.principal().substring(PRINCIPAL.length()));
        }
        keys.seen(caller, client);
    }

    @Override
    public boolean remembers(ApiKey key) {
        return keys.remembers(key);
    }

    @Override
    public boolean remembers(Presented credential) {
        return switch (credential) {
            case ApiKey key -> remembers(key);
            case SessionSecret secret -> sessions.remembers(secret.id());
            case AccessToken token -> {
                var session = tokens.remembered(token);
                yield session != null && sessions.remembers(session);
            }
            case IssuedToken token -> issued().remembers(token);
        };
    }
}
