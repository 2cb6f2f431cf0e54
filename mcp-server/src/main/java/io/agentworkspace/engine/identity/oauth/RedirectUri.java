package io.agentworkspace.engine.identity.oauth;

import java.net.URI;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The addresses that a browser may be sent back to: https, this machine, or an app's own scheme (RFC 8252, section 7). */
final class RedirectUri {
    private static final int LONGEST = 1_000;
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");

    /** Schemes of known apps, without the domain that others must have in theirs. */
    private static final Set<String> APPS = Set.of(
            "cursor",
            "vscode",
            "vscode-insiders",
            "windsurf",
            "kiro",
            "raycast",
            "zed",
            "goose",
            "warp",
            "claude",
            "chatgpt",
            "codex");

    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+-]*(?:\\.[a-z0-9+-]+)+");
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");

    private RedirectUri() {}

    /** Returns whether a client may register it. */
    static boolean isAllowed(String text) {
        try {
            var uri = URI.create(text);
            var scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if (text.length() > LONGEST
                    || uri.getRawFragment() != null
                    || text.contains("#")
                    || uri.getRawUserInfo() != null) {
                return false;
            }
            return switch (scheme) {
                case "https" -> uri.getHost() != null;
                case "http" -> isLoopback(uri);
                default ->
                    scheme.equals(uri.getScheme())
                            && (APPS.contains(scheme) || SCHEME.matcher(scheme).matches());
            };
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns whether it is one of the registered addresses, character for character; on this machine, with any port. */
    static boolean isRegistered(String text, Collection<String> registered) {
        return isAllowed(text)
                && (registered.contains(text)
                        || isLoopback(URI.create(text))
                                && registered.stream()
                                        .filter(RedirectUri::isAllowed)
                                        .anyMatch(one -> isLoopback(URI.create(one))
                                                && withoutPort(one).equals(withoutPort(text))));
    }

    /** Returns who gets what is sent there: an app or a program on the machine of the browser, or a site. */
    static String receiver(String text) {
        var uri = URI.create(text);
        return isLoopback(uri) ? "program" : "https".equalsIgnoreCase(uri.getScheme()) ? "site" : "app";
    }

    private static boolean isLoopback(URI uri) {
        return "http".equals(uri.getScheme()) && uri.getHost() != null && LOOPBACK.contains(uri.getHost());
    }

    private static String withoutPort(String text) {
        var uri = URI.create(text);
        var authority = PORT.matcher(uri.getRawAuthority()).replaceFirst("");
        return "http://" + authority
                + text.substring("http://".length() + uri.getRawAuthority().length());
    }
}
