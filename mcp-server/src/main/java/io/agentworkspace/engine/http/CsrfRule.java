package io.agentworkspace.engine.http;

import io.agentworkspace.engine.credentials.SessionSecret;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that another site's page could have made a browser send. A request that changes something and is
 * authenticated by the cookie needs two things: the session's CSRF token, and a browser header that shows that a page
 * of this server sent it (decisions, section 7).
 */
final class CsrfRule {
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
    private static final String SITE = "Sec-Fetch-Site";

    private final Set<String> own;
    private final GateRules.Posts posts;

    CsrfRule(Set<String> own, GateRules.Posts posts) {
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
        if (!isOurs(only(request, SITE), only(request, HttpHeader.ORIGIN.asString()))) {
            throw Problem.notPermitted("""
                    a change with the session's cookie must come from a page of this server, as Sec-Fetch-Site: same-origin or Origin \
                    shows. A program sends its API key in X-Api-Key instead\
                    """);
        }
    }

    /**
     * Returns whether a page of this server sent the request. If the browser sends the page's relation to the server,
     * the origin alone is not enough.
     */
    private boolean isOurs(@Nullable String site, @Nullable String origin) {
        var isOwn = origin != null && own.contains(origin.toLowerCase(Locale.ROOT));
        return switch (site) {
            case "same-origin" -> origin == null || isOwn;
            case "same-site" -> isOwn;
            case null -> isOwn;
            default -> false;
        };
    }

    /** Returns the value of a header; null if there is none. Several headers return a value that matches nothing. */
    private static @Nullable String only(Request request, String name) {
        var fields = request.getHeaders().getFields(name);
        return fields.isEmpty() ? null : fields.size() == 1 ? fields.getFirst().getValue() : "several";
    }
}
