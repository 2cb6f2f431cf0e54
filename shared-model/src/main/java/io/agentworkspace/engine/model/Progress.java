package io.agentworkspace.engine.model;

import org.jspecify.annotations.Nullable;

/** Hears how far a long run is. It may wait for whoever it passes that on to, so nothing is told inside a transaction. */
@FunctionalInterface
public interface Progress {
    /** Where nobody listens. */
    Progress SILENT = (_, _, _) -> {};

    /**
     * @param done how much is done; what is not more than before is not passed on
     * @param total how much there is to do, where that is known
     * @param note what is being done, for a person to read
     */
    void tell(double done, @Nullable Double total, @Nullable String note);
}
