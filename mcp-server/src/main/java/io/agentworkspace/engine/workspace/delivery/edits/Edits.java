package io.agentworkspace.engine.workspace.delivery.edits;

import io.agentworkspace.engine.workspace.reservations.EditedPath;
import io.agentworkspace.engine.workspace.reservations.PathForm.Letters;
import java.util.List;

/**
 * What a tool of a coding agent is about to change.
 *
 * @param certain what it certainly writes, relative to the repository
 * @param possible what it may write
 * @param isOpen whether it may write any file of the repository
 * @param worktree the name of the git worktree that a tool runs in; empty if that is unknown
 * @param letters how the client's system compares the letters of names
 */
public record Edits(
        List<EditedPath> certain, List<EditedPath> possible, boolean isOpen, String worktree, Letters letters) {
    /** Of what changes no file. */
    public static final Edits NONE = new Edits(List.of(), List.of(), false, "", Letters.EXACT);

    public boolean isNone() {
        return certain.isEmpty() && possible.isEmpty() && !isOpen;
    }
}
