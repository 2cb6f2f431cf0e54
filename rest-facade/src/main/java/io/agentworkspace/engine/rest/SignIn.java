package io.agentworkspace.engine.rest;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Signing in and out: the facade routes and documents it, the process behind it, which knows sessions, does it. */
public interface SignIn {
    /** Who is signed in by the request's cookie, and with which CSRF token; or that nobody is. */
    Outcome session(Request request);

    /** Begins a session for the user of the request's key. */
    Outcome begin(Request request);

    /** Signs out. */
    Outcome end(Request request);

    /** An access token of the request's session. */
    Outcome token(Request request);

    /** The keys that access tokens are verified with. */
    Outcome keys();

    /** The names of the providers that can be signed in at. */
    List<String> providers();

    /** Sends the browser to a provider. */
    Outcome leave(Request request, String provider);

    /** Takes the browser back from a provider. */
    Outcome arrive(Request request, String provider);

    /** What to answer. */
    record Outcome(int status, @Nullable JsonNode body, List<Header> headers) {
        /** One line of the head; a name may come again. */
        record Header(String name, String value) {}

        public static Outcome of(int status, JsonNode body) {
            return new Outcome(status, body, List.of());
        }

        /** @param location a whole address */
        public static Outcome redirect(String location) {
            return new Outcome(302, null, List.of(new Header("Location", location)));
        }

        public Outcome with(String name, String value) {
            var all = new ArrayList<>(headers);
            all.add(new Header(name, value));
            return new Outcome(status, body, List.copyOf(all));
        }
    }
}
