package io.agentworkspace.engine.kernel.db;

import java.util.function.Supplier;

/** Several calls in one transaction: the last statement of each does not commit, and a failure undoes all of them. */
public final class CombinedCalls {
    private CombinedCalls() {}

    public static <T> T run(Db db, Supplier<T> work) {
        return db.transaction(() -> Db.CURRENT.get().keptOpen(work));
    }

    /** Returns whether the current call is one of several. Then a failed statement concerns all of them. */
    public static boolean isRunning() {
        return Db.CURRENT.isBound() && Db.CURRENT.get().isKeptOpen();
    }
}
