package io.agentworkspace.engine.db;

import java.util.function.Supplier;

/** Several calls in one transaction: the last statement of each does not commit, and a failure undoes all of them. */
public final class CombinedCalls {
    private CombinedCalls() {}

    public static <T> T run(Db db, Supplier<T> work) {
        return db.transaction(() -> Db.CURRENT.get().keptOpen(work));
    }
}
