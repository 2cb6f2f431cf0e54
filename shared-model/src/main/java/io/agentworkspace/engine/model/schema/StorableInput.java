package io.agentworkspace.engine.model.schema;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.StorableText;
import tools.jackson.databind.JsonNode;

/**
 * Refuses input that PostgreSQL or UTF-8 cannot hold, wherever it is in a request: NUL characters, unpaired
 * surrogates, and numbers beyond 64-bit floats. {@link Schema#read} calls it for arguments, {@code mcp.wire.Params} for
 * the params of MCP, and the REST API for paths and queries.
 */
public final class StorableInput {
    private StorableInput() {}

    /**
     * @param path the name of the value; empty for a whole request
     * @throws Problem {@code invalid_field} that names the field
     */
    public static void check(String path, JsonNode value) {
        if (value.isString()) {
            check(path, value.asString());
        } else if (value.isNumber() && !Double.isFinite(value.doubleValue())) {
            throw Problem.invalid(path, "must be a number in the range of a 64-bit float");
        }
        for (var i = 0; value.isArray() && i < value.size(); i++) {
            check("%s[%d]".formatted(path, i), value.get(i));
        }
        for (var property : value.properties()) {
            check(path.isEmpty() ? "a field's name" : "a field's name in " + path, property.getKey());
            check(Schema.join(path, Name.shortened(property.getKey())), property.getValue());
        }
    }

    /** @throws Problem {@code invalid_field} that names the field */
    public static void check(String path, String text) {
        if (!StorableText.isStorable(text)) {
            throw Problem.invalid(path, "must not contain NUL characters or unpaired surrogates");
        }
    }

    /** Returns whether the value passes the check. */
    public static boolean isStorable(JsonNode value) {
        try {
            check("", value);
            return true;
        } catch (Problem unstorable) {
            return false;
        }
    }
}
