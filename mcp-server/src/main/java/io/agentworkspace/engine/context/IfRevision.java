package io.agentworkspace.engine.context;

import io.agentworkspace.engine.model.problem.Problem;
import org.jspecify.annotations.Nullable;

/** The field {@code if_revision}: a change is made only if the thing still has the revision that the caller knows. */
public final class IfRevision {
    public static final String DOC = "Only if this is still the revision.";

    private IfRevision() {}

    /** @throws Problem {@code conflict} if the caller named another revision than the current one */
    public static void check(@Nullable Long given, long current) {
        if (given != null && given != current) {
            throw Problem.staleRevision(given, current);
        }
    }
}
