package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.StorableText;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * The address at which a client is notified of a task's states.
 *
 * @param id the client's name for it; else one made of the address
 * @param headers of each request, as a JSON object; they may contain secrets, and are never shown
 */
record PushConfig(String id, String url, String headers) {
    private static final int MOST = 200;

    /** What a header can contain. */
    private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7E](?:[\\x20-\\x7E]*[\\x21-\\x7E])?");

    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,49}");

    static PushConfig read(Fields wish, boolean allowPrivate) {
        var url = url(wish, allowPrivate);
        return new PushConfig(wish.text("id").isBlank() ? idOf(url) : id(wish), url, Json.text(headers(wish)));
    }

    static String id(Fields fields) {
        var id = fields.required("id");
        if (id.length() > MOST || !StorableText.isStorable(id)) {
            throw fields.invalid("id", "must have at most %d characters, each of them valid".formatted(MOST));
        }
        return id;
    }

    /** Returns the id of one without an id: the same for the same address, so that it is one if the request is repeated. */
    private static String idOf(String url) {
        return UUID.nameUUIDFromBytes(url.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private static String url(Fields wish, boolean allowPrivate) {
        try {
            return OutboundUrl.parse(wish.required("url"), allowPrivate).toString();
        } catch (Problem refused) {
            throw wish.invalid("url", "is no address to notify: " + refused.note());
        }
    }

    private static ObjectNode headers(Fields wish) {
        var headers = Json.object().put("Content-Type", "application/a2a+json").put("A2A-Version", "1.0");
        var token = wish.text("token");
        if (!token.isEmpty()) {
            headers.put("X-A2A-Notification-Token", visible(wish, "token", token));
        }
        if (wish.has("authentication")) {
            var authentication = wish.object("authentication");
            var scheme = authentication.text("scheme");
            if (!SCHEME.matcher(scheme).matches()) {
                throw authentication.invalid("scheme", "must be a scheme of the Authorization header, such as Bearer");
            }
            var credentials = authentication.text("credentials");
            headers.put(
                    "Authorization",
                    credentials.isEmpty()
                            ? scheme
                            : scheme + " " + visible(authentication, "credentials", credentials));
        }
        return headers;
    }

    private static String visible(Fields fields, String name, String text) {
        if (!VISIBLE.matcher(text).matches()) {
            throw fields.invalid(name, "must be visible ASCII characters");
        }
        return text;
    }
}
