package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.function.Supplier;

/**
 * The steps that one piece of work may take, where a caller, a client or another server decides how much there is to do: text to
 * parse, patterns to compare, archives, schemas, answers. A step is a fixed amount of work, such as a character or a state. The work
 * also ends when its client has gone, and lets other requests run in between. Each piece of work has its own, used by one thread.
 */
public final class StepAllowance {
    private static final int STEPS_BETWEEN_CHECKS = 8_192;

    private final Supplier<? extends RuntimeException> refusal;
    private long left;
    private int untilCheck = STEPS_BETWEEN_CHECKS;

    /** @param refusal what is thrown when the steps are used up; for a caller's input, {@link Problem#invalid}, which is 422 */
    public StepAllowance(long steps, Supplier<? extends RuntimeException> refusal) {
        this.left = steps;
        this.refusal = refusal;
    }

    /** Takes one step. */
    public void take() {
        take(1);
    }

    /**
     * Takes this many steps. Call it before the work, and often enough that the work between two calls is short.
     *
     * @throws RuntimeException the refusal, if fewer are left
     * @throws Problem {@code unavailable} if the client has closed its connection
     */
    public void take(long steps) {
        left -= steps;
        if (left < 0) {
            throw refusal.get();
        }
        untilCheck -= (int) Math.min(steps, untilCheck);
        if (untilCheck <= 0) {
            untilCheck = STEPS_BETWEEN_CHECKS;
            Cancellation.checkCurrent();
            Thread.yield(); // Virtual threads share a few others, and a thread that only computes would keep one to
            // its end.
        }
    }
}
