package io.agentworkspace.engine.kernel.db;

/**
 * The condition that a name begins with {@code :prefix}, as a range of an index by {@code name_key}: keys are compared byte by
 * byte, and no name has the last code point. The empty prefix matches all names.
 */
public final class NamePrefix {
    private NamePrefix() {}

    /** Returns the condition for the row with this alias. */
    public static String of(String alias) {
        return SqlTemplate.of("({row}.name_key >= :prefix AND {row}.name_key < :prefix || chr(1114111))")
                .with("row", alias)
                .sql();
    }
}
