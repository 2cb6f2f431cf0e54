package io.agentworkspace.engine.model.problem;

import java.util.Optional;

/** E-mail addresses, as they are stored and compared. */
public final class EmailAddress {
    /** The longest path of RFC 5321, section 4.5.3.1.3, without its angle brackets. */
    static final int MAX = 254;

    private EmailAddress() {}

    /** Returns whether a text that may also be a name is meant as an address. */
    public static boolean isMeant(String text) {
        return text.strip().indexOf('@') > 0;
    }

    /**
     * Returns the key that addresses are compared by; empty if the text is not an address. Only the case of ASCII
     * letters is ignored: Unicode's rules would also treat letters that look alike as equal, such as the Kelvin sign
     * and k, which are two mailboxes.
     */
    public static Optional<String> key(String raw) {
        var text = raw.strip();
        var at = text.indexOf('@');
        if (text.length() > MAX || at < 1 || at == text.length() - 1 || text.indexOf('@', at + 1) >= 0) {
            return Optional.empty();
        }
        return text.codePoints().allMatch(EmailAddress::isVisible) ? Optional.of(lowered(text)) : Optional.empty();
    }

    private static String lowered(String text) {
        var key = new StringBuilder(text.length());
        text.chars().forEach(c -> key.append((char) (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c)));
        return key.toString();
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
