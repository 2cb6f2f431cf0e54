package io.agentworkspace.engine.model.problem;

import java.util.Locale;

/** The state of the database, as the health routes report it. */
public enum DatabaseState {
    REACHABLE,
    UNREACHABLE,
    /** The database responds, but recently refused a change because it was full. */
    FULL,
    /** The database responds, but accepts no changes. */
    READ_ONLY;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
