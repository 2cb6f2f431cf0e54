package io.agentworkspace.engine.a2a.wire;

import io.agentworkspace.engine.model.json.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The fields of an object of the protocol; {@code taskId} may be written {@code task_id}, as ProtoJSON allows. Unknown ones are ignored; those of a wrong type are refused, with their path. */
public record Fields(ObjectNode object, String path) {
    /** The longest id or name that is read. */
    private static final int MOST = 2_000;

    private static final Pattern UPPER = Pattern.compile("[A-Z]");

    public static Fields of(ObjectNode object) {
        return new Fields(object, "");
    }

    private static String lower(MatchResult upper) {
        return upper.group().toLowerCase(Locale.ROOT);
    }

    private String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    public A2aError invalid(String name, String rule) {
        return A2aError.invalid(path(name), rule);
    }

    private @Nullable JsonNode find(String name) {
        var named = object.get(name);
        var value = named == null ? object.get(UPPER.matcher(name).replaceAll(upper -> "_" + lower(upper))) : named;
        return value == null || value.isNull() ? null : value;
    }

    /** Returns a text; empty if it is missing. */
    public String text(String name) {
        var value = find(name);
        if (value == null) {
            return "";
        }
        if (!value.isString() || value.asString().length() > MOST) {
            throw invalid(name, "must be a string of at most %,d characters".formatted(MOST));
        }
        return value.asString();
    }

    public String required(String name) {
        var text = text(name);
        if (text.isBlank()) {
            throw invalid(name, "is required");
        }
        return text;
    }

    /** Returns a number from {@code least}, or null; a larger one than {@code most} counts as that. */
    public @Nullable Integer number(String name, int least, int most) {
        var value = find(name);
        if (value == null) {
            return null;
        }
        try {
            var number = value.isIntegralNumber() ? value.asLong() : Long.parseLong(value.asString());
            if (number >= least) {
                return (int) Math.min(number, most);
            }
        } catch (RuntimeException notANumber) {
            // Refused below.
        }
        throw invalid(name, "must be a whole number from " + least);
    }

    public boolean flag(String name) {
        var value = find(name);
        if (value == null) {
            return false;
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        if (value.isString()
                && (value.asString().equals("true") || value.asString().equals("false"))) {
            return value.asString().equals("true"); // Of a query.
        }
        throw invalid(name, "must be true or false");
    }

    public @Nullable Instant time(String name) {
        var text = text(name);
        try {
            return text.isEmpty() ? null : DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from);
        } catch (DateTimeException e) {
            throw invalid(name, "must be a time such as 2026-11-09T10:30:00Z");
        }
    }

    /** Returns an object; an empty one if it is missing. */
    public Fields object(String name) {
        var value = find(name);
        if (value == null) {
            return new Fields(Json.object(), path(name));
        }
        if (value instanceof ObjectNode inner) {
            return new Fields(inner, path(name));
        }
        throw invalid(name, "must be an object");
    }

    public boolean has(String name) {
        return find(name) != null;
    }
}
