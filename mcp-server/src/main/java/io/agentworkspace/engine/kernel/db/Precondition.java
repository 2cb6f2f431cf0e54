package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.problem.Problem;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What must be true for the work of a thread, which begins with what is kept in memory. The work <em>sets</em> a check. Its next statement
 * <em>takes</em> the check along, in the same round trip, and reads it first. Who ends without another statement <em>completes</em> it. If
 * the condition is false, the work ends, and {@link #retrying} runs it again, without preconditions.
 */
public final class Precondition {
    private static final ScopedValue<Precondition> CURRENT = ScopedValue.newInstance();

    private final boolean isPossible;
    private @Nullable Check check;

    /** Whether a check has failed: whoever catches that, nothing more of the work counts. */
    private boolean isUnmet;

    private Precondition(boolean isPossible) {
        this.isPossible = isPossible;
    }

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
                throw unmet(null);
            }
        }

        /** Returns the failure of a statement that ran with the check: as its results are lost, the condition may not have been true. */
        RuntimeException unless(SQLException failure) {
            return Outage.of(SqlState.of(failure)).isPresent() ? new SqlFailure(failure) : unmet(failure);
        }
    }

    private static Unmet unmet(@Nullable SQLException cause) {
        if (CURRENT.isBound()) {
            CURRENT.get().isUnmet = true;
        }
        return new Unmet(cause);
    }

    /** Ends the work if a check has failed: for code that catches every exception. */
    public static void requireMet() {
        if (CURRENT.isBound() && CURRENT.get().isUnmet) {
            throw new Unmet(null);
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
            return ScopedValue.where(CURRENT, new Precondition(true)).call(() -> checked(work));
        } catch (Unmet e) {
            return ScopedValue.where(CURRENT, new Precondition(false)).call(work::get);
        }
    }

    /** Returns whether the current work has a precondition that no statement has checked yet. */
    public static boolean isPending() {
        return CURRENT.isBound() && CURRENT.get().check != null;
    }

    private static <T> T checked(Supplier<T> work) {
        try {
            var result = work.get();
            complete();
            return result;
        } catch (RuntimeException failure) {
            if (failure instanceof Problem || isPending()) {
                complete(); // What it refuses, or stumbles over, may have been true before.
            }
            throw failure;
        }
    }

    /** Returns whether the current work can have preconditions. */
    public static boolean isPossible() {
        return CURRENT.isBound() && CURRENT.get().isPossible && !CombinedCalls.isRunning();
    }

    /**
     * Sets a precondition. Outside of a transaction, the next statement must not write: it would be committed before the check is read.
     *
     * @param statement what to read for it: one row
     */
    public static void set(Statement statement, Condition condition) {
        complete();
        CURRENT.get().check = new Check(statement, condition);
    }

    /** Returns the check that the next statement takes along, if there is one. */
    static @Nullable Check take() {
        if (!CURRENT.isBound()) {
            return null;
        }
        requireMet();
        var taken = CURRENT.get().check;
        CURRENT.get().check = null;
        return taken;
    }

    /** Makes a check that no statement has taken along. */
    public static void complete() {
        var left = take();
        if (left != null) {
            Statement.make(left);
        }
    }
}
