package io.agentworkspace.engine.banks;

/**
 * The SQL conditions for which memories readers are shown. A readable one is found by its name or id; only a current one is
 * in lists, searches and working memory. They concern a memory {@code m} of the bank {@code b}.
 */
public final class MemoryVisibility {
    /** Whose part in a memory hides it: an array of the agents that are censored in the bank {@code b}. */
    public static final String CENSORED = """
            ARRAY(SELECT censor.agent_id
                    FROM bank_censor censor
                   WHERE censor.tenant_id = b.tenant_id AND censor.bank_id = b.id)
            """;

    /**
     * Whether readers are shown the memory. Where many memories are looked at, they stand in a subquery below the bank:
     * then who is censored is looked up once.
     */
    public static final String READABLE = readable(CENSORED);

    /** Whether it is readable, and neither expired nor superseded, at {@code :now}. */
    public static final String CURRENT = current(CENSORED, ":now");

    private MemoryVisibility() {}

    /** The same as {@link #READABLE} where the array {@link #CENSORED} has been made already. */
    static String readable(String censored) {
        return "(m.deleted_at IS NULL AND b.censored_at IS NULL AND NOT m.contributors && %s)".formatted(censored);
    }

    /** The same as {@link #CURRENT} for another array and another time. */
    public static String current(String censored, String at) {
        return "(%s AND (m.expires_at IS NULL OR m.expires_at > %s) AND %s IS NULL)"
                .formatted(readable(censored), at, superseder(censored));
    }

    /**
     * The id of the memory that superseded it. One that is hidden or gone supersedes nothing: who undoes it gets back what
     * was there before.
     */
    public static String superseder(String censored) {
        return """
                CASE WHEN m.superseded_by IS NOT NULL
                     THEN (SELECT n.id
                             FROM memory n
                            WHERE n.tenant_id = m.tenant_id AND n.bank_id = m.bank_id AND n.id = m.superseded_by
                              AND n.deleted_at IS NULL AND NOT n.contributors && %s) END
                """.formatted(censored);
    }
}
