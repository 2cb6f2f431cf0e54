package io.agentworkspace.engine.hubs;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a browser gets.
 *
 * @param body its bytes, not to be changed; empty for a redirect
 * @param location where to go instead, a path on this server; null for everything but redirects
 * @param kept whether its address changes with its content, so that browsers may keep it for a year
 */
public record Page(
        int status, String mediaType, byte[] body, @Nullable String location, boolean kept) {
    private static final String HTML = "text/html; charset=utf-8";

    static Page html(String html) {
        return html(200, html);
    }

    static Page html(int status, String html) {
        return new Page(status, HTML, html.getBytes(StandardCharsets.UTF_8), null, false);
    }

    static Page markdown(String text) {
        return new Page(200, "text/markdown; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), null, false);
    }

    static Page redirect(String location) {
        return new Page(302, HTML, new byte[0], location, false);
    }

    static Page kept(String mediaType, byte[] body) {
        return new Page(200, mediaType, body, null, true);
    }
}
