package io.agentworkspace.engine.banks;

/**
 * The SQL conditions for the memories that readers can see, for a memory {@code m} of the bank {@code b}. A readable
 * memory is found by its name or id. Only a current one is in lists, searches and working memory.
 */
public final class MemoryVisibility {
    /** An array of the agents that are censored in the bank {@code b}. Their contributions hide a memory. */
    public static final String CENSORED = """
            ARRAY(SELECT censor.agent_id
                    FROM bank_censor censor
                   WHERE censor.tenant_id = b.tenant_id AND censor.bank_id = b.id)
            """;

    /**
     * Whether readers can see the memory. For many memories, put them into a subquery below the bank, so that the
     * censored agents are looked up once.
     */
    public static final String READABLE = readable(CENSORED);

    /** Whether the memory is readable, and neither expired nor superseded, at {@code :now}. */
    public static final String CURRENT = current(CENSORED, ":now");

    private MemoryVisibility() {}

    /** Returns {@link #READABLE} for an array {@link #CENSORED} that already exists. */
    static String readable(String censored) {
        return "(m.deleted_at IS NULL AND b.censored_at IS NULL AND NOT m.contributors && %s)".formatted(censored);
    }

    /** Returns {@link #CURRENT} for another array and another time. */
    public static String current(String censored, String at) {
        return "(%s AND (m.expires_at IS NULL OR m.expires_at > %s) AND %s IS NULL)"
                .formatted(readable(censored), at, superseder(censored));
    }

    /**
     * Returns the id of the superseding memory. One that is hidden or deleted supersedes nothing, so undoing it
     * brings back the earlier memory.
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
