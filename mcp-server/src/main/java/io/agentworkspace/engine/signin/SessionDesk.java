package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.identity.Credentials;
import io.agentworkspace.engine.identity.SessionSecret;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.rest.SignIn;
import io.agentworkspace.engine.store.BrowserSessions;
import java.time.Duration;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Where sessions begin and end, and where they are exchanged for access tokens. */
public final class SessionDesk implements SignIn {
    private static final String KEY = "key:";
    private static final String COOKIE = SessionSecret.COOKIE + "=%s; Path=/; Secure; HttpOnly; SameSite=Lax";
    private static final Duration KEYS_FRESH = Duration.ofMinutes(5);

    private final BrowserSessions sessions;
    private final AccessTokens tokens;

    public SessionDesk(BrowserSessions sessions, AccessTokens tokens) {
        this.sessions = sessions;
        this.tokens = tokens;
    }

    @Override
    public Outcome session(Request request) {
        var secret = presented(request);
        return secret == null
                ? Outcome.of(200, signedOut())
                : sessions.find(secret)
                        .map(current -> Outcome.of(200, state(secret, current)))
                        .orElseGet(() -> Outcome.of(200, signedOut()));
    }

    @Override
    public Outcome begin(Request request) {
        var caller = caller(request);
        if (!caller.principal().startsWith(KEY)) {
            throw new Problem(
                    Failure.BAD_REQUEST, "a session is begun with an API key: send yours in the header X-Api-Key");
        }
        return signedIn(request, sessions.startWithKey(caller), 201);
    }

    /** The browser's session from before ends: nobody who knew it is signed in by this. */
    private Outcome signedIn(Request request, SessionSecret secret, int status) {
        Credentials.session(request.getHeaders()).ifPresent(sessions::end);
        var current = sessions.find(secret).orElseThrow(SessionSecret::ended);
        return Outcome.of(status, state(secret, current))
                .with(HttpHeader.SET_COOKIE.asString(), COOKIE.formatted(secret.reveal()));
    }

    @Override
    public Outcome end(Request request) {
        sessions.end(required(request));
        return Outcome.of(200, signedOut())
                .with(HttpHeader.SET_COOKIE.asString(), COOKIE.formatted("") + "; Max-Age=0");
    }

    @Override
    public Outcome token(Request request) {
        var token = tokens.issue(caller(request), required(request).id());
        return Outcome.of(
                200,
                Json.object()
                        .put("access_token", token)
                        .put("token_type", "Bearer")
                        .put("expires_in", AccessTokens.LIFE.toSeconds()));
    }

    @Override
    public Outcome keys() {
        return Outcome.of(200, tokens.published())
                .with(HttpHeader.CACHE_CONTROL.asString(), "public, max-age=" + KEYS_FRESH.toSeconds());
    }

    private static Caller caller(Request request) {
        return Objects.requireNonNull((Caller) request.getAttribute(Incoming.CALLER));
    }

    private static @Nullable SessionSecret presented(Request request) {
        return (SessionSecret) request.getAttribute(Incoming.SESSION);
    }

    private static SessionSecret required(Request request) {
        var secret = presented(request);
        if (secret == null) {
            throw new Problem(
                    Failure.BAD_REQUEST,
                    "this is for the cookie of a session; keys and access tokens have nothing to sign out of or to exchange");
        }
        return secret;
    }

    private static ObjectNode signedOut() {
        return Json.object().put("signed_in", false);
    }

    private static ObjectNode state(SessionSecret secret, BrowserSessions.Current current) {
        var caller = current.caller();
        var state = Json.object()
                .put("signed_in", true)
                .put("user", caller.userName())
                .put("tenant", caller.tenantName())
                .put("role", caller.role().word())
                .put("csrf_token", secret.csrfToken());
        state.set("expires_at", Json.valueTree(current.endsAt()));
        return state;
    }
}
