package io.agentworkspace.engine.model;

import org.jspecify.annotations.Nullable;

/** Hears how far a long run is. Telling may wait for a slow client: seldom, inside a transaction. */
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
