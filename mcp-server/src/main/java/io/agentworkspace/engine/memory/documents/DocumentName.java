package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Optional;

/**
 * The name of a document: a file name of 1–255 characters on one line, without slashes. Names are
 * compared without regard to case.
 */
@Titled
public record DocumentName(String text) {
    public static final int MAX = 255;

    /** The word that an address of the REST API has in the place of a document's name. */
    private static final String QUEUE = "queue";

    /** @throws Problem {@code invalid_field} */
    public static DocumentName checked(String field, String raw) {
        broken(raw).ifPresent(rule -> {
            throw Problem.invalid(field, rule);
        });
        return new DocumentName(Name.normal(raw));
    }

    /** Returns the rule that the raw text violates, if any. */
    public static Optional<String> broken(String raw) {
        var text = Name.normal(raw);
        if (Name.key(text).equals(QUEUE)) {
            return Optional.of(
                    "must not be 'queue', since /api/documents/queue is the queue: add an ending, such as queue.txt");
        }
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

    public String key() {
        return Name.key(text);
    }
}
