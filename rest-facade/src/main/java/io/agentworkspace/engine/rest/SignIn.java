package io.agentworkspace.engine.rest;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Signing in and out. The facade routes and documents these operations; the server process, which knows the sessions,
 * implements them.
 */
public interface SignIn {
    /** Returns who is signed in by the request's cookie, with the CSRF token; or that nobody is. */
    SignInResponse session(Request request);

    /** Begins a session for the user of the request's key. */
    SignInResponse begin(Request request);

    /** Signs out. */
    SignInResponse end(Request request);

    /** Creates an access token for the request's session. */
    SignInResponse token(Request request);

    /** Returns the keys that access tokens are verified with. */
    SignInResponse keys();

    /** Returns the names of the identity providers that users can sign in with. */
    List<String> providers();

    /** Redirects the browser to a provider. */
    SignInResponse leave(Request request, String provider);

    /** Handles the browser's return from a provider. */
    SignInResponse arrive(Request request, String provider);

    /** The response to send. */
    record SignInResponse(int status, @Nullable JsonNode body, List<Header> headers) {
        /** One response header. A name may occur more than once. */
        record Header(String name, String value) {}

        public static SignInResponse of(int status, JsonNode body) {
            return new SignInResponse(status, body, List.of());
        }

        /** @param location an absolute URL */
        public static SignInResponse redirect(String location) {
            return new SignInResponse(302, null, List.of(new Header("Location", location)));
        }

        public SignInResponse with(String name, String value) {
            var all = new ArrayList<>(headers);
            all.add(new Header(name, value));
            return new SignInResponse(status, body, List.copyOf(all));
        }
    }
}
