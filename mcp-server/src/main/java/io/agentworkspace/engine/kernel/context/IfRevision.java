package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.model.problem.Problem;
import org.jspecify.annotations.Nullable;

/** The field {@code if_revision}: a change is made only if the thing still has this revision. */
public final class IfRevision {
    public static final String DOC = "Only at this revision.";

    private IfRevision() {}

    /** @throws Problem {@code conflict} if the given revision is not the current one */
    public static void check(@Nullable Long expected, long current) {
        if (expected != null && expected != current) {
            throw Problem.staleRevision(expected, current);
        }
    }
}
