package io.agentworkspace.engine.model;

import java.util.Locale;

/** How the database is, as health tells it. */
public enum DatabaseState {
    REACHABLE,
    UNREACHABLE,
    /** It answers, but has lately refused a change for want of room. */
    FULL,
    /** It answers, but takes no changes. */
    READ_ONLY;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
