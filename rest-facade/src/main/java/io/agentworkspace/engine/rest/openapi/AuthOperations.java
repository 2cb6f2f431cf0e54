package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** The operations for signing in and out. */
public final class AuthOperations {
    private AuthOperations() {}

    public static Operation sessionRead() {
        return new Operation(
                        "sessionRead",
                        Tag.USER,
                        "Read the session",
                        "Who is signed in by the cookie, with the CSRF token that its changing requests need.")
                .securedBy(Operation.NOTHING, Operation.SESSION)
                .answers(200, "The session, or signed_in: false.", "Session")
                .problems(400, 403, 429, 500);
    }

    public static Operation sessionBegin() {
        return new Operation(
                        "sessionBegin",
                        Tag.USER,
                        "Sign in with a key",
                        "Begins a session for the key's user with the key's capabilities, and sets its cookie: 30 minutes"
                                + " idle, 8 hours at most, and no longer than the key.")
                .securedBy(Operation.KEY)
                .answers(201, "Signed in.", "Session")
                .returns(201, "Set-Cookie", "SessionCookie")
                .problems(400, 401, 403, 413, 415, 429, 500, 503);
    }

    public static Operation sessionEnd() {
        return changing(
                        "sessionEnd",
                        "Sign out",
                        "Ends the session everywhere within a second, and its access tokens with it.")
                .answers(200, "Signed out.", "Session")
                .returns(200, "Set-Cookie", "SessionCookie")
                .problems(400, 401, 403, 429, 500, 503);
    }

    public static Operation token() {
        return changing(
                        "tokenCreate",
                        "Get an access token",
                        "A token that does what the session may do, for 10 minutes and no longer than the session: send it"
                                + " as Authorization: Bearer.")
                .answers(200, "The token.", "AccessToken")
                .problems(400, 401, 403, 413, 415, 429, 500, 503);
    }

    public static Operation keys() {
        return new Operation(
                        "jwksRead",
                        Tag.USER,
                        "Keys of access tokens",
                        "The public keys that access tokens are signed with, as a JWK set (RFC 7517).")
                .open()
                .answers(200, "The keys.", "Jwks")
                .problems(400, 401, 429, 500, 503);
    }

    public static Operation start() {
        return provider(
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

    public static Operation callback() {
        return provider(
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

    private static Operation provider(String id, String summary, String description) {
        return new Operation(id, Tag.USER, summary, description)
                .securedBy(Operation.NOTHING)
                .parameter("path", "idp", true, "The provider's name; GET /api/config lists them in sign_in.", text())
                .suchAs("acme");
    }

    private static Operation changing(String id, String summary, String description) {
        return new Operation(id, Tag.USER, summary, description)
                .securedBy(Operation.SESSION)
                .parameter("header", "X-CSRF-Token", true, "The csrf_token of GET /api/auth/session.", text())
                .suchAs("Q3vN0mJ8tq1f…");
    }

    private static ObjectNode text() {
        return Json.object().put("type", "string");
    }
}
