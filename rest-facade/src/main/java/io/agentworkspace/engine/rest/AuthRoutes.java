package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The routes for signing in and out. */
final class AuthRoutes {
    private static final String SESSION = "/api/auth/session";
    private static final String TOKEN = "/api/auth/token";
    private static final String START = "/api/auth/oauth/{idp}/start";
    private static final String CALLBACK = "/api/auth/oauth/{idp}/callback";
    private static final String KEYS = "/.well-known/jwks.json";

    private final SignIn signIn;

    AuthRoutes(SignIn signIn) {
        this.signIn = signIn;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(SESSION, _ -> session(), AuthRoutes::ofSession),
                GatewayRoute.post(SESSION, this::begin, AuthRoutes::ofBegin),
                GatewayRoute.delete(SESSION, _ -> end(), AuthRoutes::ofEnd),
                GatewayRoute.post(TOKEN, this::token, AuthRoutes::ofToken),
                GatewayRoute.get(KEYS, _ -> keys(), AuthRoutes::ofKeys).withAnyQuery(),
                GatewayRoute.get(START, this::leave, AuthRoutes::ofStart).withAnyQuery(),
                GatewayRoute.get(CALLBACK, this::arrive, AuthRoutes::ofCallback).withAnyQuery());
    }

    private Response session() {
        return answer(signIn.session(RestExchange.current().request()));
    }

    /** Begins a session. A body is optional and must have no fields. */
    private Response begin(ContainerRequestContext context) {
        JsonBody.none(context);
        return answer(signIn.begin(RestExchange.current().request()));
    }

    private Response end() {
        return answer(signIn.end(RestExchange.current().request()));
    }

    private Response token(ContainerRequestContext context) {
        JsonBody.none(context);
        return answer(signIn.token(RestExchange.current().request()));
    }

    private Response leave(ContainerRequestContext context) {
        return answer(signIn.leave(RestExchange.current().request(), provider(context)));
    }

    private Response arrive(ContainerRequestContext context) {
        return answer(signIn.arrive(RestExchange.current().request(), provider(context)));
    }

    private static String provider(ContainerRequestContext context) {
        return context.getUriInfo().getPathParameters().getFirst("idp");
    }

    private Response keys() {
        return answer(signIn.keys());
    }

    private static Response answer(SignIn.SignInResponse outcome) {
        var body = outcome.body();
        var response = body == null
                ? Response.status(outcome.status())
                : Response.fromResponse(RestResponse.json(outcome.status(), body));
        outcome.headers().forEach(header -> response.header(header.name(), header.value()));
        return response.build();
    }

    private static Operation ofSession() {
        return new Operation(
                        "sessionRead",
                        Tag.USER,
                        "Read the session",
                        "Who is signed in by the cookie, with the CSRF token that its changing requests need.")
                .securedBy(Operation.NOTHING, Operation.SESSION)
                .answers(200, "The session, or signed_in: false.", Session.class)
                .problems(400, 403, 429, 500);
    }

    private static Operation ofBegin() {
        return new Operation(
                        "sessionBegin",
                        Tag.USER,
                        "Sign in with a key",
                        "Begins a session for the key's user with the key's capabilities, and sets its cookie: 30 minutes"
                                + " idle, 8 hours at most, and no longer than the key.")
                .securedBy(Operation.KEY)
                .answers(201, "Signed in.", Session.class)
                .returns(201, "Set-Cookie", "SessionCookie")
                .problems(400, 401, 403, 413, 415, 429, 500, 503);
    }

    private static Operation ofEnd() {
        return ofChange(
                        "sessionEnd",
                        "Sign out",
                        "Ends the session everywhere within a second, and its access tokens with it.")
                .answers(200, "Signed out.", Session.class)
                .returns(200, "Set-Cookie", "SessionCookie")
                .problems(400, 401, 403, 429, 500, 503);
    }

    private static Operation ofToken() {
        return ofChange(
                        "tokenCreate",
                        "Get an access token",
                        "A token that does what the session may do, for 10 minutes and no longer than the session: send it"
                                + " as Authorization: Bearer.")
                .answers(200, "The token.", AccessToken.class)
                .problems(400, 401, 403, 413, 415, 429, 500, 503);
    }

    private static Operation ofKeys() {
        return new Operation(
                        "jwksRead",
                        Tag.USER,
                        "Keys of access tokens",
                        "The public keys that access tokens are signed with, as a JWK set (RFC 7517).")
                .open()
                .answers(200, "The keys.", Jwks.class)
                .problems(400, 401, 429, 500, 503);
    }

    private static Operation ofStart() {
        return ofProvider(
                        "oauthStart",
                        "Sign in at a provider",
                        "Sends the browser to the provider, by OpenID Connect with PKCE.")
                .parameter("query", "surface", true, "Where it begins; one of those that the operator allows.", text())
                .suchAs("hub")
                .parameter(
                        "query",
                        "return_to",
                        false,
                        "Where the browser goes afterwards: a path on this server with one leading slash.",
                        text())
                .suchAs("/mcp-hub")
                .answersNothing(302, "To the provider.")
                .returns(302, "Location", "Location")
                .returns(302, "Set-Cookie", "SignInCookie")
                .problems(400, 404, 429, 500, 503);
    }

    private static Operation ofCallback() {
        return ofProvider(
                        "oauthCallback",
                        "Come back from a provider",
                        "Where providers send the browser; nothing for programs.")
                .parameter("query", "state", true, "As it was given to the provider.", text())
                .suchAs("9xK2…")
                .parameter("query", "code", false, "What the provider exchanges for tokens.", text())
                .parameter("query", "error", false, "Why the provider did not sign anybody in.", text())
                .parameter("query", "iss", false, "Who the provider is (RFC 9207).", text())
                .answersNothing(302, "Signed in, to return_to.")
                .returns(302, "Location", "Location")
                .returns(302, "Set-Cookie", "SessionCookie")
                .problems(400, 403, 404, 429, 500, 503);
    }

    private static Operation ofProvider(String id, String summary, String description) {
        return new Operation(id, Tag.USER, summary, description)
                .securedBy(Operation.NOTHING)
                .parameter("path", "idp", true, "The provider's name; GET /api/config lists them in sign_in.", text())
                .suchAs("acme");
    }

    private static Operation ofChange(String id, String summary, String description) {
        return new Operation(id, Tag.USER, summary, description)
                .securedBy(Operation.SESSION)
                .parameter("header", "X-CSRF-Token", true, "The csrf_token of GET /api/auth/session.", text())
                .suchAs("Q3vN0mJ8tq1f…");
    }

    private static ObjectNode text() {
        return Json.object().put("type", "string");
    }

    record Session(
            @Doc("Whether the cookie signs anybody in; without, the rest is missing.")
            boolean signedIn,

            @Doc("The user's name.") @Nullable String user,
            @Doc("The tenant's name.") @Nullable String tenant,

            @Doc(
                    value = "The user's role.",
                    oneOf = {"viewer", "member", "admin", "owner"})
            @Nullable
            String role,

            @Doc("What changing requests send in X-CSRF-Token.") @Nullable
            String csrfToken,

            @Doc("When the session ends if it is not used.") @Nullable
            Instant expiresAt) {}

    record AccessToken(
            @Doc("The token, a JWT.") String accessToken,

            @Doc(value = "How to send it.", oneOf = "Bearer")
            String tokenType,

            @Doc("In so many seconds it expires.") int expiresIn) {}

    record Jwks(@Doc("The keys, the one in use first.") List<Jwk> keys) {}

    record Jwk(
            @Doc("The kind of key.") String kty,
            @Doc("Its curve.") String crv,
            @Doc("What it is for.") String use,
            @Doc("The algorithm.") String alg,
            @Doc("Its id, as tokens name it.") String kid,
            @Doc("The point's first coordinate, base64url.") String x,

            @Doc("The point's second coordinate, base64url.")
            String y) {}
}
