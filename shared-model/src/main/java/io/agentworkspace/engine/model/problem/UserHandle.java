package io.agentworkspace.engine.model.problem;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;

/**
 * How a request names a user: by name, or by the verified e-mail address that the user signs in with. No name
 * contains an {@code @}, so a text is never both. An {@code @} at the start, as in {@code @maria}, is ignored.
 */
public record UserHandle(@JsonValue String text) {
    public static final int MAX = EmailAddress.MAX;

    public UserHandle {
        text = text.strip();
        text = EmailAddress.isMeant(text) ? text : Name.normal(unmarked(text));
    }

    @JsonCreator
    public static UserHandle of(String text) {
        return new UserHandle(text);
    }

    /** @throws Problem {@code invalid_field} naming the field and the rule */
    public static UserHandle checked(String field, String raw) {
        broken(raw).ifPresent(rule -> {
            throw Problem.invalid(field, rule);
        });
        return new UserHandle(raw);
    }

    /** Returns the rule that the raw text violates, if any. */
    static Optional<String> broken(String raw) {
        if (EmailAddress.isMeant(raw)) {
            return EmailAddress.key(raw).isPresent()
                    ? Optional.empty()
                    : Optional.of(
                            "must be a user's name or an e-mail address, like maria@example.org, of at most %d characters"
                                    .formatted(MAX));
        }
        return Name.broken(unmarked(raw));
    }

    /** Returns the text without the {@code @} of a mention. */
    public static String unmarked(String raw) {
        var text = raw.strip();
        return text.startsWith("@") ? text.substring(1) : text;
    }

    public boolean isAddress() {
        return EmailAddress.isMeant(text);
    }

    /** Returns the key that handles are compared by. Only the key of an address contains an {@code @}. */
    public String key() {
        return isAddress() ? EmailAddress.key(text).orElse(text) : Name.key(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
