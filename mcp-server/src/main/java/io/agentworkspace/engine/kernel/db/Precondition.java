package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.problem.Problem;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What must be true for the work of a thread, and is checked in the same round trip as its next statement, before anything that this
 * returns is read.
 */
public final class Precondition {
    private static final ScopedValue<Precondition> CURRENT = ScopedValue.newInstance();

    private @Nullable Check check;

    private Precondition() {}

    /** Returns whether the condition is true. */
    @FunctionalInterface
    public interface Condition {
        boolean isTrue(Row row) throws SQLException;
    }

    /**
     * A check that has not been made.
     *
     * @param statement returns one row
     */
    record Check(Statement statement, Condition condition) {
        void require(Row row) throws SQLException {
            if (!condition.isTrue(row)) {
                throw new Unmet(null);
            }
        }

        /** Returns the failure of a statement that ran with the check: as its results are lost, the condition may not have been true. */
        RuntimeException unless(SQLException failure) {
            return Outage.of(SqlState.of(failure).code()).isPresent() ? new SqlFailure(failure) : new Unmet(failure);
        }
    }

    /** The condition is not true, or that is not known. Nothing that was read or written since then may be used. */
    private static final class Unmet extends RuntimeException {
        Unmet(@Nullable SQLException cause) {
            super("a precondition is not met", cause, false, false);
        }
    }

    /** Runs work that can have preconditions. If one is not met, it is run again, and then has none. */
    public static <T> T retrying(Supplier<T> work) {
        try {
            return ScopedValue.where(CURRENT, new Precondition()).call(() -> checked(work));
        } catch (Unmet e) {
            return work.get();
        }
    }

    /** Runs a part of work that lasts: as a part of it while its own precondition is not checked yet, else as work of its own. */
    public static <T> T renewing(Supplier<T> part) {
        return CURRENT.isBound() && CURRENT.get().check != null ? part.get() : retrying(part);
    }

    private static <T> T checked(Supplier<T> work) {
        try {
            var result = work.get();
            complete();
            return result;
        } catch (Problem refusal) {
            complete(); // What it refuses may have been true before.
            throw refusal;
        }
    }

    /** Returns whether the current work can have preconditions. */
    public static boolean isPossible() {
        return CURRENT.isBound() && !CombinedCalls.isRunning();
    }

    /**
     * Sets a precondition.
     *
     * @param statement what to read for it: one row
     */
    public static void set(Statement statement, Condition condition) {
        CURRENT.get().check = new Check(statement, condition);
    }

    /** Returns the check that the next statement takes along, if there is one. */
    static @Nullable Check take() {
        if (!CURRENT.isBound()) {
            return null;
        }
        var taken = CURRENT.get().check;
        CURRENT.get().check = null;
        return taken;
    }

    /** Makes a check that no statement has taken along. */
    static void complete() {
        var left = take();
        if (left != null) {
            Statement.make(left);
        }
    }
}
