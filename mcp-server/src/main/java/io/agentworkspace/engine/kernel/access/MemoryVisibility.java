package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/**
 * The SQL conditions for the memories that readers can see. Each takes the aliases of the memory and of its bank. A
 * readable memory is found by its name or id. Only a current one is in lists, searches and working memory.
 */
public final class MemoryVisibility {
    private MemoryVisibility() {}

    /** Returns an array of the agents that are censored in the bank. Their contributions hide a memory. */
    public static String censored(String bank) {
        return SqlTemplate.of("""
                ARRAY(SELECT censor.agent_id
                        FROM bank_censor censor
                       WHERE censor.tenant_id = :tenant AND censor.bank_id = {bank}.id)
                """).with("bank", bank).sql();
    }

    /**
     * Returns whether readers can see the memory. For many memories, put them into a subquery below the bank, so that the
     * censored agents are looked up once.
     */
    public static String readable(String memory, String bank) {
        return readable(memory, bank, censored(bank));
    }

    private static String readable(String memory, String bank, String censored) {
        return SqlTemplate.of(
                        "({memory}.deleted_at IS NULL AND {bank}.censored_at IS NULL AND NOT {memory}.contributors && {censored})")
                .with("memory", memory)
                .with("bank", bank)
                .with("censored", censored)
                .sql();
    }

    /** Returns whether the memory is readable, and neither expired nor superseded, at {@code :now}. */
    public static String current(String memory, String bank) {
        return current(memory, bank, ":now");
    }

    /** @param at an expression for the time */
    public static String current(String memory, String bank, String at) {
        return current(memory, bank, at, censored(bank));
    }

    /** @param censored an array like that of {@link #censored} that already exists */
    static String current(String memory, String bank, String at, String censored) {
        return SqlTemplate.of(
                        "({readable} AND ({memory}.expires_at IS NULL OR {memory}.expires_at > {at}) AND {superseder} IS NULL)")
                .with("readable", readable(memory, bank, censored))
                .with("memory", memory)
                .with("at", at)
                .with("superseder", superseder(memory, censored))
                .sql();
    }

    /**
     * Returns the id of the superseding memory. One that is hidden or deleted supersedes nothing, so undoing it
     * brings back the earlier memory.
     *
     * @param censored the array of {@link #censored}
     */
    public static String superseder(String memory, String censored) {
        return SqlTemplate.of("""
                CASE WHEN {memory}.superseded_by IS NOT NULL
                     THEN (SELECT newer.id
                             FROM memory newer
                            WHERE newer.tenant_id = :tenant AND newer.bank_id = {memory}.bank_id
                              AND newer.id = {memory}.superseded_by
                              AND newer.deleted_at IS NULL AND NOT newer.contributors && {censored}) END
                """)
                .with("memory", memory)
                .with("censored", censored)
                .sql();
    }
}
