package io.agentworkspace.engine.oauth;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** How a client proves at the token route who it is: in the body, or by Basic authentication (RFC 6749, section 2.3.1). */
record ClientLogin(String id, @Nullable String secret) {
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
                return new ClientLogin(decoded(pair[0]), decoded(pair[1]));
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
        if (parameters.find("client_assertion") != null || parameters.find("client_assertion_type") != null) {
            throw OAuthError.client(
                    "client assertions are not supported; use none, client_secret_post or client_secret_basic");
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
        return new ClientLogin(id, secret);
    }
}
