package io.agentworkspace.engine.workspace.domains;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whether the git worktrees of a repository share the reservations of a domain. */
enum Worktrees {
    /** A reserved path is reserved in each of them. */
    SHARED,
    /** Each has reservations of its own. */
    SEPARATE;

    @JsonValue
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
