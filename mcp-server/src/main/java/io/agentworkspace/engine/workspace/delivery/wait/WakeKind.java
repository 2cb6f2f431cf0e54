package io.agentworkspace.engine.workspace.delivery.wait;

import java.util.Locale;

/** What wakes an agent when a message arrives, the most immediate first. Sessions with hooks are in {@code hook_session}. */
public enum WakeKind {
    /** A call that waits for messages. */
    WAIT,
    /** An open stream that its program listens to. */
    STREAM;

    /** Returns the word in responses and in the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
