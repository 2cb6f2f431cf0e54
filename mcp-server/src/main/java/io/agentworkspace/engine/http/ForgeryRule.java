package io.agentworkspace.engine.http;

import io.agentworkspace.engine.identity.SessionSecret;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Route;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what a foreign page could have made a browser send: whatever changes something and is proved by the cookie needs
 * the session's CSRF token, and a sign of the browser's own that a page of this server sent it (decisions, section 7).
 */
final class ForgeryRule {
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
    private static final String SITE = "Sec-Fetch-Site";

    private final Set<String> own;
    private final Set<String> reading;

    /** @param reading the paths where a POST only reads */
    ForgeryRule(Set<String> own, Set<String> reading) {
        this.own = own;
        this.reading = reading;
    }

    /**
     * What reads by POST is as safe as a GET. Of the generic command route only the body says what it does: there the refusal is
     * left for the route to decide about.
     *
     * @throws Problem {@code not_permitted}
     */
    void check(Request request, SessionSecret session) {
        // As it was sent: another spelling of the same path is no route that is known to read.
        var path = request.getHttpURI().getPath();
        if (SAFE.contains(request.getMethod()) || reading.contains(path)) {
            return;
        }
        try {
            checkToken(request, session);
        } catch (Problem problem) {
            if (!path.equals(Route.COMMANDS)) {
                throw problem;
            }
            request.setAttribute(Incoming.FORGERY, problem);
        }
    }

    private void checkToken(Request request, SessionSecret session) {
        var tokens = request.getHeaders().getFields(SessionSecret.CSRF);
        var token = tokens.size() == 1 ? tokens.getFirst().getValue() : null;
        if (token == null || !session.fitsCsrf(token)) {
            throw Problem.notPermitted("""
                    a request that the session's cookie proves and that changes something needs the header X-CSRF-Token, once, \
                    with the csrf_token of GET /api/auth/session; a program sends its API key in X-Api-Key instead\
                    """);
        }
        if (!isOurs(only(request, SITE), only(request, HttpHeader.ORIGIN.asString()))) {
            throw Problem.notPermitted("""
                    a request that the session's cookie proves and that changes something must come from a page of this server: \
                    browsers say so in Sec-Fetch-Site: same-origin, or in Origin; a program sends its API key in X-Api-Key instead\
                    """);
        }
    }

    /** Where the browser tells how the page stands to us, its origin alone is not enough. */
    private boolean isOurs(@Nullable String site, @Nullable String origin) {
        var isOwn = origin != null && own.contains(origin.toLowerCase(Locale.ROOT));
        return switch (site) {
            case "same-origin" -> origin == null || isOwn;
            case "same-site" -> isOwn;
            case null -> isOwn;
            default -> false;
        };
    }

    /** Several are told apart from none: they fit nothing. */
    private static @Nullable String only(Request request, String name) {
        var fields = request.getHeaders().getFields(name);
        return fields.isEmpty() ? null : fields.size() == 1 ? fields.getFirst().getValue() : "several";
    }
}
