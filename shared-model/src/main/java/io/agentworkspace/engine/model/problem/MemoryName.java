package io.agentworkspace.engine.model.problem;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The name of a memory in its bank: like a {@link Name}, but up to 255 characters long, and with {@code /} between
 * its parts, as in a path. No part is {@code .} or {@code ..}.
 */
public record MemoryName(@JsonValue String text) {
    public static final int MAX = 255;

    private static final String RULE =
            "must be 1–%d characters: letters, digits, space, '_', '-', '.', and '/' between parts".formatted(MAX);

    public MemoryName {
        text = Name.normal(text);
    }

    @JsonCreator
    public static MemoryName of(String text) {
        return new MemoryName(text);
    }

    /** Returns the key that names are compared by. */
    public String key() {
        return Name.key(text);
    }

    /** Returns the rule that the raw text violates, if any. */
    public static Optional<String> broken(String raw) {
        if (raw.length() > 4 * MAX) {
            return Optional.of(RULE);
        }
        var text = Name.normal(raw);
        var length = text.codePointCount(0, text.length());
        if (length < 1 || length > MAX) {
            return Optional.of("%s; it has %d".formatted(RULE, length));
        }
        return Stream.of(text.split("/", -1))
                .flatMap(part -> brokenPart(part).stream())
                .findFirst();
    }

    private static Optional<String> brokenPart(String part) {
        if (part.isEmpty() || part.equals(".") || part.equals("..") || !part.equals(part.strip())) {
            return Optional.of(
                    "%s; a part is neither empty, '.' or '..', nor begins or ends with a space".formatted(RULE));
        }
        return Name.brokenCharacter(part, RULE);
    }

    @Override
    public String toString() {
        return text;
    }
}
