package io.agentworkspace.engine.http;

import java.net.URI;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * The pages of this server, and whether one of them sent a request, as the headers of browsers show. A program can send the same
 * headers; a page of another site cannot.
 *
 * @param origins this server's own origins, in lower case
 */
public record OwnPages(Set<String> origins) {
    private static final String SITE = "Sec-Fetch-Site";

    public OwnPages {
        origins = Set.copyOf(origins);
    }

    /** @param addresses the public addresses of this server */
    public static OwnPages of(Collection<URI> addresses) {
        var origins = new LinkedHashSet<String>();
        addresses.forEach(address -> origins.addAll(GateRules.ownOrigins(address)));
        return new OwnPages(origins);
    }

    /**
     * Returns whether a page of this server sent the request. If the browser sends the page's relation to the server,
     * the origin alone is not enough.
     */
    public boolean sent(Request request) {
        var origin = only(request, HttpHeader.ORIGIN.asString());
        var isOwn = origin != null && origins.contains(origin.toLowerCase(Locale.ROOT));
        return switch (only(request, SITE)) {
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
