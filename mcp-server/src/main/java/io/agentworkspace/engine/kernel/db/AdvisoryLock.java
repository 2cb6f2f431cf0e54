package io.agentworkspace.engine.kernel.db;

/** The purposes of advisory locks, each with its own number. Locks by a hash of words begin with their purpose. */
public enum AdvisoryLock {
    /** The first start on a fresh database. */
    FIRST_START(7070),
    /** A party that sends messages; the second number is the party. */
    PARTY(7071),
    /** A principal that creates tasks; the second number is the principal. */
    TASKS(7072),
    /** A tenant whose agents the loop guard stops; the second number is the tenant. */
    GUARD(7073),
    /** The replica that merges new entries of indexes. */
    MERGE(7074),
    SEAL_KEYS(0x5ea1_cafe),
    SIGNING_KEYS(0x519_cafe);

    public final int number;

    AdvisoryLock(int number) {
        this.number = number;
    }
}
