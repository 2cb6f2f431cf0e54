package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Request;

/**
 * Refuses browsers with pages of unknown origins. For allowed origins, CORS headers state what the page may send and
 * read.
 */
final class OriginRule {
    private static final String REQUEST_METHOD = "Access-Control-Request-Method";
    private static final HttpField EXPOSED = new PreEncodedHttpField(
            "Access-Control-Expose-Headers",
            "ETag, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed, Mcp-Session-Id,"
                    + " WWW-Authenticate, DPoP-Nonce");

    private final Set<String> allowed;

    OriginRule(Set<String> allowed) {
        this.allowed = allowed;
    }

    /**
     * @param isOpen whether the response is the same for everyone, so that every page may read it
     * @throws Problem {@code not_permitted}
     */
    void check(Request request, boolean isOpen, HttpFields.Mutable answer) {
        var origins = request.getHeaders().getValuesList(HttpHeader.ORIGIN);
        if (origins.isEmpty()) {
            return;
        }
        answer.put(HttpHeader.VARY, HttpHeader.ORIGIN.asString());
        var origin = origins.getFirst();
        if (origins.size() > 1 || !allowed.contains(origin.toLowerCase(Locale.ROOT))) {
            if (isOpen) {
                answer.put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
                answer.put(EXPOSED);
                return;
            }
            throw Problem.notPermitted(
                            "pages of this origin may not call this server; the operator can add it to ENGINE_ALLOWED_ORIGINS")
                    .because(Cause.ORIGIN);
        }
        answer.put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        answer.put(EXPOSED);
    }

    /** Returns whether the request only asks what the browser may send (Fetch standard, CORS-preflight request). */
    boolean isPreflight(Request request) {
        var headers = request.getHeaders();
        return request.getMethod().equals("OPTIONS")
                && headers.contains(HttpHeader.ORIGIN)
                && headers.contains(REQUEST_METHOD);
    }

    /** Returns the method that the page wants to use. */
    static String requestedMethod(Request request) {
        return String.valueOf(request.getHeaders().get(REQUEST_METHOD));
    }

    /** @param method the method that the page wants to use */
    void answerPreflight(String method, HttpFields.Mutable answer) {
        if ("*".equals(answer.get(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN))) {
            answer.put("Access-Control-Allow-Methods", method.equals("POST") ? "POST" : "GET");
            answer.put("Access-Control-Allow-Headers", "Content-Type, DPoP, If-None-Match, MCP-Protocol-Version");
            return;
        }
        answer.put("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE");
        answer.put(
                "Access-Control-Allow-Headers",
                "Accept, Authorization, Content-Type, DPoP, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version, Mcp-Method,"
                        + " Mcp-Name, Mcp-Session-Id, X-Api-Key, X-CSRF-Token, X-MCP-Confirm, X-MCP-Exclude-Tools,"
                        + " X-MCP-Readonly, X-MCP-Tools, X-MCP-Toolsets, X-Request-Id");
        answer.put("Access-Control-Max-Age", "600");
    }
}
