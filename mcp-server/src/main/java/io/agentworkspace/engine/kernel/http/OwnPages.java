package io.agentworkspace.engine.kernel.http;

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
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final String SITE = "Sec-Fetch-Site";

    public OwnPages {
        origins = Set.copyOf(origins);
    }

    /** @param addresses the public addresses of this server */
    public static OwnPages of(Collection<URI> addresses) {
        var origins = new LinkedHashSet<String>();
        addresses.forEach(address -> origins.addAll(origins(address)));
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

    /**
     * Returns the origins of an address. A loopback address has three names, and a browser on this machine may use
     * any of them.
     */
    public static Set<String> origins(URI address) {
        if (!LOOPBACK.contains(address.getHost().toLowerCase(Locale.ROOT))) {
            return Set.of(origin(address));
        }
        var origins = new LinkedHashSet<String>();
        LOOPBACK.forEach(host -> origins.add(origin(address.getScheme(), host, address.getPort())));
        return origins;
    }

    /** Returns the origin of an address, as browsers send it. */
    public static String origin(URI address) {
        return origin(address.getScheme(), address.getHost(), address.getPort());
    }

    private static String origin(String scheme, String host, int port) {
        var named = scheme.toLowerCase(Locale.ROOT);
        var standard = named.equals("https") ? 443 : 80;
        var suffix = port < 0 || port == standard ? "" : ":" + port;
        return named + "://" + host.toLowerCase(Locale.ROOT) + suffix;
    }
}
