package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.kernel.http.OwnPages;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.rest.SignIn;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Starts and ends sessions, and exchanges them for access tokens. */
final class SessionSignIn implements SignIn {
    private static final String KEY = "key:";
    private static final String SET_COOKIE = HttpHeader.SET_COOKIE.asString();
    private static final String COOKIE = SessionSecret.COOKIE + "=%s; Path=/; Secure; HttpOnly; SameSite=Lax";
    private static final Duration KEYS_FRESH = Duration.ofMinutes(5);

    private final BrowserSessions sessions;
    private final AccessTokens tokens;
    private final SignInEndpoint oauth;
    private final AuditStore audit;
    private final OwnPages pages;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    public SessionSignIn(
            BrowserSessions sessions,
            AccessTokens tokens,
            SignInEndpoint oauth,
            AuditStore audit,
            OwnPages pages,
            Clock clock) {
        this.sessions = sessions;
        this.tokens = tokens;
        this.oauth = oauth;
        this.audit = audit;
        this.pages = pages;
        this.clock = clock;
    }

    @Override
    public SignInResponse session(Request request) {
        var secret = presented(request);
        return secret == null
                ? SignInResponse.of(200, signedOut())
                : sessions.find(secret)
                        .map(current -> SignInResponse.of(200, state(secret, current)))
                        .orElseGet(() -> SignInResponse.of(200, signedOut()));
    }

    @Override
    public SignInResponse begin(Request request) {
        var caller = caller(request);
        if (!caller.principal().startsWith(KEY)) {
            throw new Problem(
                    Failure.BAD_REQUEST, "a session is begun with an API key: send yours in the header X-Api-Key");
        }
        if (caller.credential().outdated()) {
            throw Problem.notPermitted(
                    "the secret of this key has been replaced: it works for other calls until the overlap ends, but"
                            + " begins no session; sign in with the key's new secret");
        }
        var key = (ApiKey) Credentials.presented(request.getHeaders()).orElseThrow();
        if (key.isToken()) {
            throw Problem.notPermitted(
                    "an access token begins no session: it is for the program that got it, at the MCP address; sign in with an API key");
        }
        endOld(request);
        var secret = SessionSecret.generate(random);
        var entry = RequestOrigin.of(request, clock).session(AuditEvent.SESSION_START, caller, secret.id());
        audit.noting(caller.tenant(), entry, () -> sessions.startWithKey(secret, caller, key, pages.sent(request)));
        var current = sessions.find(secret).orElseThrow(SessionSecret::ended);
        return SignInResponse.of(201, state(secret, current)).with(SET_COOKIE, COOKIE.formatted(secret.reveal()));
    }

    /** Ends the browser's earlier session, so that nobody who knew its secret is signed in by this (session fixation). */
    private void endOld(Request request) {
        Credentials.session(request.getHeaders()).ifPresent(sessions::end);
    }

    @Override
    public List<String> providers() {
        return oauth.names();
    }

    @Override
    public SignInResponse leave(Request request, String provider) {
        var leaving = oauth.start(request, provider);
        return SignInResponse.redirect(leaving.location()).with(SET_COOKIE, leaving.header());
    }

    @Override
    public SignInResponse arrive(Request request, String provider) {
        var arrived = oauth.finish(request, provider);
        endOld(request);
        var secret = SessionSecret.generate(random);
        var entry = RequestOrigin.of(request, clock).arrival(arrived.name(), secret.id());
        audit.noting(arrived.tenant(), entry, () -> sessions.start(secret, arrived.tenant(), arrived.user()));
        return SignInResponse.redirect(arrived.location())
                .with(SET_COOKIE, COOKIE.formatted(secret.reveal()))
                .with(SET_COOKIE, BrowserSecret.clear());
    }

    @Override
    public SignInResponse end(Request request) {
        var secret = required(request);
        var caller = caller(request);
        var entry = RequestOrigin.of(request, clock).session(AuditEvent.SESSION_END, caller, secret.id());
        audit.noting(caller.tenant(), entry, () -> sessions.end(secret));
        return SignInResponse.of(200, signedOut()).with(SET_COOKIE, COOKIE.formatted("") + "; Max-Age=0");
    }

    @Override
    public SignInResponse token(Request request) {
        var caller = caller(request);
        var session = required(request).id();
        var token = tokens.issue(caller, session);
        audit.note(
                caller.tenant(), RequestOrigin.of(request, clock).session(AuditEvent.SESSION_TOKEN, caller, session));
        return SignInResponse.of(
                200,
                Json.object()
                        .put("access_token", token)
                        .put("token_type", "Bearer")
                        .put("expires_in", AccessTokens.LIFE.toSeconds()));
    }

    @Override
    public SignInResponse keys() {
        return SignInResponse.of(200, tokens.published())
                .with(HttpHeader.CACHE_CONTROL.asString(), "public, max-age=" + KEYS_FRESH.toSeconds());
    }

    private static Caller caller(Request request) {
        return RequestContext.of(request::getAttribute).identified();
    }

    private static @Nullable SessionSecret presented(Request request) {
        var isKnown = RequestContext.of(request::getAttribute).caller() != null;
        return isKnown && Credentials.presented(request.getHeaders()).orElse(null) instanceof SessionSecret secret
                ? secret
                : null;
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
