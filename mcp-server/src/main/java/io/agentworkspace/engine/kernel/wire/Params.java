package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.StorableInput;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Reads the params of a message. Each method throws a {@link Problem} that names the field. */
public final class Params {
    private Params() {}

    /** Returns a text. */
    public static String text(ObjectNode params, String name) {
        var value = params.get(name);
        if (value == null || value.isNull()) {
            throw Problem.missing("params." + name);
        }
        if (!value.isString()) {
            throw Problem.wrongType("params." + name, "a string");
        }
        return value.asString();
    }

    /** Returns an object; empty if missing. */
    public static ObjectNode object(ObjectNode params, String name) {
        var value = params.get(name);
        if (value == null || value.isNull()) {
            return Json.object();
        }
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw Problem.wrongType("params." + name, "an object");
    }

    /** Returns the cursor, if there is one. */
    public static Optional<String> cursor(ObjectNode params) {
        var value = params.get("cursor");
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isString() || value.asString().length() > 4_000) {
            throw new Problem(
                    Failure.INVALID_FIELD,
                    "params.cursor is not a nextCursor of this list: send one unchanged, or leave it out for the first page");
        }
        return Optional.of(value.asString());
    }

    /** Checks the texts, each of which may be used in a look-up. A tool's schema validates its arguments. */
    public static void checkTexts(String method, ObjectNode params) {
        for (var param : params.properties()) {
            if (!(method.equals("tools/call") && param.getKey().equals("arguments"))) {
                StorableInput.check("a field's name in params", param.getKey());
                StorableInput.check("params." + Name.shortened(param.getKey()), param.getValue());
            }
        }
    }
}
