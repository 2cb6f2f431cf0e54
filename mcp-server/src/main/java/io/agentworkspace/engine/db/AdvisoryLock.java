package io.agentworkspace.engine.db;

/** What advisory locks are taken for, each by a number of its own. Those by a hash of words begin with what they are about. */
public enum AdvisoryLock {
    /** The first start on a fresh database. */
    FIRST_START(7070),
    /** A party that speaks; the second number is the party. */
    PARTY(7071),
    /** A principal that makes tasks; the second number is the principal. */
    TASKS(7072),
    SEAL_KEYS(0x5ea1_cafe),
    SIGNING_KEYS(0x519_cafe);

    public final int number;

    AdvisoryLock(int number) {
        this.number = number;
    }
}
