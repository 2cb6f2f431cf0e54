package io.agentworkspace.engine.kernel.http;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.util.URIUtil;
import org.jspecify.annotations.Nullable;

/**
 * The path of the public address, below which everything is published: {@code /engine} of {@code https://host/engine}. Inside,
 * nothing knows of it. Requests may come with it or without it, since some proxies strip it. What a browser gets contains it.
 *
 * @param own the path of the base URL; empty for none
 * @param accepted the paths of both addresses, the longest first
 */
public record PublicPath(String own, List<String> accepted) {
    /** The first segments of this server's paths. A public path that begins with one would be ambiguous. */
    private static final List<String> ROOTS = List.of(
            ".well-known",
            "a2a",
            "api",
            "assets",
            "console",
            "demo",
            "docs",
            "join",
            "llms.txt",
            "mcp",
            "mcp-hub",
            "metrics",
            "oauth",
            "search",
            "search.json",
            "skills-hub");

    private static final Pattern PATH = Pattern.compile("(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+");
    private static final Pattern WELL_KNOWN = Pattern.compile("(/\\.well-known/[^/]+)(/.*)");
    private static final Pattern ATTRIBUTE = Pattern.compile("(\\s(?:href|src|action)=\")/(?!/)");
    private static final Pattern LITERAL = Pattern.compile("(['\"`])/(?=(?:%s)(?:['\"`/?#]|\\$\\{))"
            .formatted(String.join("|", ROOTS.stream().map(Pattern::quote).toList())));

    /** Only with this prefix do browsers accept a cookie for the whole host, and with the other one for a path. */
    private static final String WHOLE_HOST = "__Host-";

    private static final String ONE_PATH = "__Secure-";

    public static PublicPath of(String baseUrl, String mcpUrl) {
        var own = path(baseUrl);
        return new PublicPath(
                own,
                Stream.of(own, path(mcpUrl))
                        .filter(path -> !path.isEmpty())
                        .distinct()
                        .sorted(Comparator.comparing(String::length).reversed())
                        .toList());
    }

    private static String path(String address) {
        var path = URI.create(address).getRawPath();
        return path == null ? "" : path;
    }

    /** Returns whether a public address may have this path. */
    public static boolean isAllowed(String path) {
        return path.isEmpty()
                || PATH.matcher(path).matches() && !ROOTS.contains(path.split("/", 3)[1].toLowerCase(Locale.ROOT));
    }

    public boolean isEmpty() {
        return accepted.isEmpty();
    }

    /** Returns the address that is asked for inside. Metadata of other addresses are where RFC 8414 and RFC 9728 put them, too. */
    public HttpURI inside(HttpURI address) {
        var path = address.getPath();
        if (path == null) {
            return address;
        }
        for (var prefix : accepted) {
            var rest = rest(path, prefix);
            if (rest != null) {
                if (URIUtil.canonicalPath(rest) == null) {
                    return address; // Its dots lead out of the path.
                }
                return HttpURI.build(address).path(rest.isEmpty() ? "/" : rest).asImmutable();
            }
            var discovery = WELL_KNOWN.matcher(path);
            if (discovery.matches()) {
                var below = rest(discovery.group(2), prefix);
                if (below != null) {
                    return HttpURI.build(address)
                            .path(discovery.group(1) + below)
                            .asImmutable();
                }
            }
        }
        return address;
    }

    private static @Nullable String rest(String path, String prefix) {
        return path.equals(prefix) ? "" : path.startsWith(prefix + "/") ? path.substring(prefix.length()) : null;
    }

    /** Returns the headers with the names that cookies have inside. */
    public HttpFields inside(HttpFields headers) {
        if (own.isEmpty() || !headers.contains(HttpHeader.COOKIE)) {
            return headers;
        }
        var changed = HttpFields.build();
        for (var field : headers) {
            var value = field.getValue();
            changed.add(
                    field.getHeader() == HttpHeader.COOKIE && value != null
                            ? new HttpField(
                                    HttpHeader.COOKIE,
                                    value.replaceAll("(^|;\\s*)" + WHOLE_HOST, "$1x-")
                                            .replaceAll("(^|;\\s*)" + ONE_PATH, "$1" + WHOLE_HOST))
                            : field);
        }
        return changed.asImmutable();
    }

    /** Adds the path to the addresses and cookies of a response. */
    public void outside(HttpFields.Mutable headers) {
        for (var name : List.of(HttpHeader.LOCATION, HttpHeader.CONTENT_LOCATION)) {
            var place = headers.get(name);
            if (place != null && place.startsWith("/") && !place.startsWith("//")) {
                headers.put(name, own + place);
            }
        }
        var cookies = headers.getValuesList(HttpHeader.SET_COOKIE);
        if (!cookies.isEmpty()) {
            headers.remove(HttpHeader.SET_COOKIE);
            cookies.forEach(cookie -> headers.add(
                    HttpHeader.SET_COOKIE,
                    cookie.startsWith(WHOLE_HOST)
                            ? ONE_PATH
                                    + cookie.substring(WHOLE_HOST.length()).replace("; Path=/;", "; Path=" + own + ";")
                            : cookie));
        }
    }

    /** Returns a page or a script with the path in its links. */
    public byte[] outside(String mediaType, byte[] body) {
        var pattern = mediaType.startsWith("text/html")
                ? ATTRIBUTE
                : mediaType.startsWith("text/javascript") ? LITERAL : null;
        if (own.isEmpty() || pattern == null) {
            return body;
        }
        var text = new String(body, StandardCharsets.UTF_8);
        return pattern.matcher(text)
                .replaceAll("$1" + Matcher.quoteReplacement(own + "/"))
                .getBytes(StandardCharsets.UTF_8);
    }
}
