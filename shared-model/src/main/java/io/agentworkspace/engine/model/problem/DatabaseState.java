package io.agentworkspace.engine.model.problem;

import java.util.Locale;

/** The state of the database, as the health routes report it. */
public enum DatabaseState {
    REACHABLE,
    UNREACHABLE,
    /** It responds, but has recently refused a change for lack of room. */
    FULL,
    /** It responds, but accepts no changes. */
    READ_ONLY;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
