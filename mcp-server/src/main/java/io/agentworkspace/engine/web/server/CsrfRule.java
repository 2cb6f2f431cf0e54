package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.kernel.http.OwnPages;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.Set;
import org.eclipse.jetty.server.Request;

/**
 * Refuses requests that another site's page could have made a browser send. A request that changes something and is
 * authenticated by the cookie needs two things: the session's CSRF token, and a browser header that shows that a page
 * of this server sent it (decisions, section 7).
 */
final class CsrfRule {
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

    private final OwnPages own;
    private final GateRules.Posts posts;

    CsrfRule(OwnPages own, GateRules.Posts posts) {
        this.own = own;
        this.posts = posts;
    }

    /**
     * Checks a request. A POST that only reads is as safe as a GET. If only the body determines whether it does, the
     * route decides about the refusal.
     *
     * @throws Problem {@code not_permitted}
     */
    void check(Request request, SessionSecret session) {
        // The path as sent: another spelling of the same path is not a route that is known to read.
        var path = request.getHttpURI().getPath();
        if (SAFE.contains(request.getMethod()) || posts.isReading(path)) {
            return;
        }
        try {
            checkToken(request, session);
        } catch (Problem problem) {
            if (!posts.isUndecided(path)) {
                throw problem;
            }
            RequestContext.of(request::getAttribute).suspect(problem);
        }
    }

    private void checkToken(Request request, SessionSecret session) {
        var tokens = request.getHeaders().getFields(SessionSecret.CSRF);
        var token = tokens.size() == 1 ? tokens.getFirst().getValue() : null;
        if (token == null || !session.fitsCsrf(token)) {
            throw Problem.notPermitted("""
                    a change with the session's cookie requires the header X-CSRF-Token, once, with the csrf_token of \
                    GET /api/auth/session. A program sends its API key in X-Api-Key instead\
                    """);
        }
        if (!own.sent(request)) {
            throw Problem.notPermitted("""
                    a change with the session's cookie must come from a page of this server, as Sec-Fetch-Site: same-origin or Origin \
                    shows. A program sends its API key in X-Api-Key instead\
                    """);
        }
    }
}
