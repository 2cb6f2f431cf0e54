package io.agentworkspace.engine.hubs;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The response to a browser.
 *
 * @param body its bytes, not to be changed; empty for a redirect
 * @param location the redirect's target, a path on this server; null for all other responses
 * @param kept whether its address changes with its content, so that browsers may cache it for a year
 */
public record PageResponse(
        int status, String mediaType, byte[] body, @Nullable String location, boolean kept) {
    private static final String HTML = "text/html; charset=utf-8";

    static PageResponse html(String html) {
        return html(200, html);
    }

    static PageResponse html(int status, String html) {
        return new PageResponse(status, HTML, html.getBytes(StandardCharsets.UTF_8), null, false);
    }

    static PageResponse markdown(String text) {
        return new PageResponse(
                200, "text/markdown; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), null, false);
    }

    static PageResponse json(byte[] body) {
        return new PageResponse(200, "application/json", body, null, false);
    }

    static PageResponse redirect(String location) {
        return new PageResponse(302, HTML, new byte[0], location, false);
    }

    static PageResponse kept(String mediaType, byte[] body) {
        return new PageResponse(200, mediaType, body, null, true);
    }
}
