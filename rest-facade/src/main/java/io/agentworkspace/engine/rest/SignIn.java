package io.agentworkspace.engine.rest;

import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.server.Request;
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

    /** What to answer. */
    record Outcome(int status, JsonNode body, Map<String, String> headers) {
        public static Outcome of(int status, JsonNode body) {
            return new Outcome(status, body, Map.of());
        }

        public Outcome with(String header, String value) {
            var all = new LinkedHashMap<>(headers);
            all.put(header, value);
            return new Outcome(status, body, all);
        }
    }
}
