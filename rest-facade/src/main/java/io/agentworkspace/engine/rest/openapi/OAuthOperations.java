package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** The operations of the authorization server, for clients that know only OAuth. Its refusals are those of RFC 6749. */
public final class OAuthOperations {
    private static final String NOTE = " Only with ENGINE_AUTHORIZATION=builtin, which is the default.";

    private OAuthOperations() {}

    public static Operation metadata() {
        return open(
                        "oauthMetadata",
                        "Read about the authorization server",
                        "Its addresses, and what it supports (RFC 8414)." + NOTE)
                .answers(
                        200,
                        "The metadata.",
                        object("issuer"),
                        Json.object().put("issuer", "https://engine.example.com"))
                .problems(400, 429, 500, 503);
    }

    public static Operation authorize() {
        return open(
                        "oauthAuthorize",
                        "Ask a user for access",
                        "The page on which a signed-in user decides about a client: authorization code with PKCE. A wrong request is a page,"
                                + " too, unless the user has given this client access before. Also at /authorize."
                                + NOTE)
                .parameter("query", "response_type", true, "Always code.", text())
                .suchAs("code")
                .parameter(
                        "query", "client_id", true, "The client's id, or the https address of its description.", text())
                .suchAs("https://client.example.com/client.json")
                .parameter(
                        "query",
                        "redirect_uri",
                        true,
                        "Where the browser goes: an address that the client registered.",
                        text())
                .suchAs("https://client.example.com/callback")
                .parameter("query", "code_challenge", true, "The SHA-256 of the verifier, in base64url.", text())
                .suchAs("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
                .parameter("query", "code_challenge_method", true, "Always S256.", text())
                .suchAs("S256")
                .parameter("query", "scope", false, "Capabilities, separated by spaces. Others are left out.", text())
                .parameter("query", "state", false, "What the client gets back unchanged.", text())
                .parameter("query", "resource", false, "The MCP address, or one below it (RFC 8707).", text())
                .parameter(
                        "query",
                        "dpop_jkt",
                        false,
                        "The thumbprint of the key that the code is bound to (DPoP).",
                        text())
                .answers(200, "The page.", "text/html", text(), Json.valueTree("<!doctype html>"))
                .answersNothing(302, "What is wrong, to the client.")
                .returns(302, "Location", "Location")
                .problems(400, 429, 500, 503);
    }

    public static Operation token() {
        return open(
                        "oauthToken",
                        "Get an access token",
                        "For a code, a refresh token, an API key of an agent (client credentials) or an identity assertion. Also at /token."
                                + NOTE)
                .parameter(
                        "header", "DPoP", false, "A proof of the key that the tokens are bound to (RFC 9449).", text())
                .form(
                        object(
                                "grant_type",
                                "client_id",
                                "client_secret",
                                "client_assertion_type",
                                "client_assertion",
                                "code",
                                "redirect_uri",
                                "code_verifier",
                                "refresh_token",
                                "assertion",
                                "scope",
                                "resource"),
                        Json.object()
                                .put("grant_type", "refresh_token")
                                .put("client_id", "client_4pQ9xT2bVn7K")
                                .put("refresh_token", "er_…"))
                .answers(
                        200,
                        "The token, for its resource only.",
                        tokens(),
                        Json.object()
                                .put("access_token", "ea_…")
                                .put("token_type", "Bearer")
                                .put("expires_in", 3600)
                                .put("scope", "agent:read bank:read")
                                .put("refresh_token", "er_…"))
                .answers(400, "The error.", error(), refusal("invalid_grant"))
                .answers(401, "The client did not prove who it is.", error(), refusal("invalid_client"))
                .problems(400, 401, 429, 500, 503);
    }

    public static Operation register() {
        return open(
                        "oauthRegister",
                        "Register a client",
                        "Dynamic client registration (RFC 7591). A client that nobody gives access to is forgotten. Also at /register."
                                + NOTE)
                .body(true, client(), clientExample())
                .answers(201, "The client.", client(), clientExample().put("client_id", "client_4pQ9xT2bVn7K"))
                .answers(400, "The error.", error(), refusal("invalid_redirect_uri"))
                .problems(400, 429, 500, 503);
    }

    public static Operation revoke() {
        return open("oauthRevoke", "End an access", "Ends the whole access that a token belongs to (RFC 7009)." + NOTE)
                .form(
                        object("token", "client_id", "client_secret", "client_assertion_type", "client_assertion"),
                        Json.object().put("token", "er_…").put("client_id", "client_4pQ9xT2bVn7K"))
                .answers(200, "It has ended, or never was.", object(), Json.object())
                .answers(400, "The error.", error(), refusal("invalid_request"))
                .answers(401, "The client did not prove who it is.", error(), refusal("invalid_client"))
                .problems(400, 401, 429, 500, 503);
    }

    private static Operation open(String id, String summary, String description) {
        return new Operation(id, Tag.USER, summary, description).securedBy(Operation.NOTHING);
    }

    private static ObjectNode text() {
        return Json.object().put("type", "string");
    }

    private static ObjectNode object(String... texts) {
        var schema = Json.object().put("type", "object");
        for (var name : texts) {
            schema.withObject("/properties").set(name, text());
        }
        return schema;
    }

    private static ObjectNode client() {
        var schema = object("client_id", "client_secret", "client_name", "token_endpoint_auth_method");
        schema.withObject("/properties")
                .putObject("redirect_uris")
                .put("type", "array")
                .set("items", text());
        return schema;
    }

    private static ObjectNode clientExample() {
        var example = Json.object().put("client_name", "Sample client");
        example.putArray("redirect_uris").add("https://client.example.com/callback");
        return example;
    }

    private static ObjectNode tokens() {
        var schema = object("access_token", "token_type", "refresh_token", "scope");
        schema.withObject("/properties").putObject("expires_in").put("type", "integer");
        return schema;
    }

    private static ObjectNode error() {
        return object("error", "error_description").put("title", "OAuthError");
    }

    private static ObjectNode refusal(String error) {
        return Json.object().put("error", error).put("error_description", "What was wrong, and what is right.");
    }
}
