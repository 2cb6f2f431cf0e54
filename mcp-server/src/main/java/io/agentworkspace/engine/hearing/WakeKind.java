package io.agentworkspace.engine.hearing;

import java.util.Locale;

/** What wakes an agent when a message arrives, the most immediate first. */
public enum WakeKind {
    /** A call that waits for messages. */
    WAIT,
    /** An open stream that its program listens to. */
    STREAM,
    /** A hook of its program: the agent hears at the latest when its turn ends. */
    HOOK;

    /** Returns the word in responses and in the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
