package io.agentworkspace.engine.documents;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Optional;

/** The name of a document: as files are called, 1–255 characters in one line, without slashes; compared without regard to case. */
record DocumentName(String text) {
    static final int MAX = 255;

    /** @throws Problem {@code invalid_field} */
    static DocumentName checked(String field, String raw) {
        broken(raw).ifPresent(rule -> {
            throw Problem.invalid(field, rule);
        });
        return new DocumentName(Name.normal(raw));
    }

    private static Optional<String> broken(String raw) {
        var text = Name.normal(raw);
        var length = text.codePointCount(0, text.length());
        if (length < 1 || length > MAX) {
            return Optional.of("must be 1–%d characters; it has %d".formatted(MAX, length));
        }
        return text.codePoints().anyMatch(DocumentName::isRefused)
                ? Optional.of("must have no slash, no line break and no invisible character")
                : Optional.empty();
    }

    private static boolean isRefused(int c) {
        return c == '/'
                || c == '\\'
                || switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.SURROGATE,
                            Character.PRIVATE_USE,
                            Character.UNASSIGNED,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR -> true;
                    default -> false;
                };
    }

    String key() {
        return Name.key(text);
    }
}
