package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Schema;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the params of a message. Everything here throws a {@link Problem} that names the field. */
final class Params {
    private Params() {}

    /** A text in the params. */
    static String text(ObjectNode params, String name) {
        var value = params.get(name);
        if (value == null || value.isNull()) {
            throw Problem.missing("params." + name);
        }
        if (!value.isString()) {
            throw Problem.wrongType("params." + name, "a string");
        }
        return value.asString();
    }

    /** An object in the params; empty if missing. */
    static ObjectNode object(ObjectNode params, String name) {
        var value = params.get(name);
        if (value == null || value.isNull()) {
            return Json.object();
        }
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw Problem.wrongType("params." + name, "an object");
    }

    /** The cursor in the params, if there is one. */
    static Optional<String> cursor(ObjectNode params) {
        var value = params.get("cursor");
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isString() || value.asString().length() > 4_000) {
            throw new Problem(Failure.INVALID_FIELD, "params.cursor is not a nextCursor that this list gave out");
        }
        return Optional.of(value.asString());
    }

    /** Any text in the params may be looked up; a tool's arguments are validated by its schema. */
    static void checkTexts(String method, ObjectNode params) {
        for (var param : params.properties()) {
            if (!(method.equals("tools/call") && param.getKey().equals("arguments"))) {
                checkTexts(param.getValue(), "params." + Name.shortened(param.getKey()));
            }
        }
    }

    private static void checkTexts(JsonNode value, String path) {
        if (value.isString()) {
            Schema.checkCharacters(path, value.asString());
        }
        value.propertyNames().forEach(name -> Schema.checkCharacters(path, name));
        value.forEach(part -> checkTexts(part, path));
    }
}
