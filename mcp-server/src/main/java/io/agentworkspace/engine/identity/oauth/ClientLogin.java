package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.identity.signin.ClientAssertions;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * How a client proves at the token route who it is: in the body, by Basic authentication (RFC 6749, section 2.3.1), or with a
 * signature (RFC 7523, section 2.2).
 *
 * @param assertion what it signed; null if nothing
 */
record ClientLogin(
        String id, @Nullable String secret, @Nullable String assertion) {
    private static final String BASIC = "Basic ";

    /** Returns the login in the header; null if there is none. */
    static @Nullable ClientLogin basic(Request request) {
        var headers = request.getHeaders().getFields(HttpHeader.AUTHORIZATION);
        if (headers.isEmpty()) {
            return null;
        }
        var text = String.valueOf(headers.getFirst().getValue());
        if (headers.size() > 1 || !text.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            throw OAuthError.client("Authorization must be Basic, with client_id and client_secret");
        }
        try {
            var pair = new String(
                            Base64.getDecoder()
                                    .decode(text.substring(BASIC.length()).strip()),
                            StandardCharsets.UTF_8)
                    .split(":", 2);
            if (pair.length == 2) {
                var secret = decoded(pair[1]);
                return new ClientLogin(decoded(pair[0]), secret.isEmpty() ? null : secret, null);
            }
        } catch (IllegalArgumentException e) {
            // Refused below, like a pair without a colon.
        }
        throw OAuthError.client("Authorization must be Basic, with client_id and client_secret");
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    static ClientLogin of(Parameters parameters, @Nullable ClientLogin basic) {
        var id = parameters.find("client_id");
        var secret = parameters.find("client_secret");
        var assertion = parameters.find("client_assertion");
        if (assertion != null || parameters.find("client_assertion_type") != null) {
            return signed(parameters, basic != null || secret != null, assertion, id);
        }
        if (basic != null) {
            if (secret != null || id != null && !id.equals(basic.id())) {
                throw OAuthError.request("the client proves who it is in the header or in the body, not in both");
            }
            return basic;
        }
        if (id == null) {
            throw OAuthError.client("client_id is missing");
        }
        return new ClientLogin(id, secret, null);
    }

    /** The id may be left out: it is also in what the client signed. */
    private static ClientLogin signed(
            Parameters parameters, boolean hasSecret, @Nullable String assertion, @Nullable String id) {
        if (assertion == null || !ClientAssertions.TYPE.equals(parameters.find("client_assertion_type"))) {
            throw OAuthError.client(
                    "client_assertion must be a JWT, and client_assertion_type " + ClientAssertions.TYPE);
        }
        if (hasSecret) {
            throw OAuthError.request("the client proves who it is with a secret or with a signature, not with both");
        }
        var subject = UnverifiedToken.read(assertion)
                .map(token -> token.claims().path("sub").asString(""))
                .orElse("");
        if (subject.isEmpty() || id != null && !id.equals(subject)) {
            throw OAuthError.client("the sub of client_assertion must be the client_id");
        }
        return new ClientLogin(subject, null, assertion);
    }
}
