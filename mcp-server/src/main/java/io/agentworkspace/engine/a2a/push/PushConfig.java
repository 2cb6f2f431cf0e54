package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.model.json.Json;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where a client wants to be notified of a task.
 *
 * @param id the client's name for it; else one of ours
 * @param token sent in a header, for the client to recognize; empty for none
 * @param scheme the scheme of the Authorization header; empty for none
 * @param credentials what follows it
 */
record PushConfig(String id, String url, String token, String scheme, String credentials) {
    private static final int MOST = 200;

    /** What a header can hold. */
    private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7E](?:[\\x20-\\x7E]*[\\x21-\\x7E])?");

    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,49}");

    static PushConfig read(Fields config) {
        var authentication = config.object("authentication");
        var id = config.text("id");
        var read = new PushConfig(
                id.isBlank() ? UUID.randomUUID().toString() : id,
                config.required("url"),
                config.text("token"),
                authentication.text("scheme"),
                authentication.text("credentials"));
        if (read.id.length() > MOST) {
            throw config.invalid("id", "must have at most %d characters".formatted(MOST));
        }
        if (!read.token.isEmpty() && !VISIBLE.matcher(read.token).matches()) {
            throw config.invalid("token", "must be visible ASCII characters");
        }
        if (config.has("authentication") && !SCHEME.matcher(read.scheme).matches()) {
            throw authentication.invalid("scheme", "must be a scheme of the Authorization header, such as Bearer");
        }
        if (!read.credentials.isEmpty() && !VISIBLE.matcher(read.credentials).matches()) {
            throw authentication.invalid("credentials", "must be visible ASCII characters");
        }
        return read;
    }

    /** Returns it as the client gets it: without the credentials, which are told to nobody. */
    ObjectNode json(String task) {
        var json = Json.object().put("id", id).put("taskId", task).put("url", url);
        if (!token.isEmpty()) {
            json.put("token", token);
        }
        if (!scheme.isEmpty()) {
            json.putObject("authentication").put("scheme", scheme);
        }
        return json;
    }
}
