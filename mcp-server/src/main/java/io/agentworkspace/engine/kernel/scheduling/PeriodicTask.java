package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is attempted repeatedly in the background, whether or not the previous attempt failed. Repeated failures
 * are logged at the third, thirtieth, three hundredth time, and so on. A defect is also logged the first time.
 */
public final class PeriodicTask {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);
    private static final long TOLD_FIRST = 3;

    private final String name;
    private long failures;
    private long toldNext = TOLD_FIRST;

    /** @param name names the work in the log */
    public PeriodicTask(String name) {
        this.name = name;
    }

    /** Runs the work. A failure is only logged. */
    public void attempt(Runnable work) {
        attempt(() -> {
            work.run();
            return true;
        });
    }

    /** Runs the work, and returns what it returned; false after a failure, which is only logged. */
    synchronized boolean attempt(BooleanSupplier work) {
        try {
            var result = work.getAsBoolean();
            if (failures >= TOLD_FIRST) {
                LOG.info("{}: works again after {} failures", name, failures);
            }
            failures = 0;
            toldNext = TOLD_FIRST;
            return result;
        } catch (RuntimeException | Error e) { // Whatever happens in one attempt, there is a next one.
            failed(e);
            return false;
        }
    }

    private void failed(Throwable e) {
        failures++;
        if (failures >= toldNext || failures == 1 && !(e instanceof Problem)) {
            toldNext = failures < toldNext ? toldNext : failures * 10;
            LOG.warn(
                    "{}: failed {} in a row; trying again",
                    name,
                    failures == 1 ? "once, the first" : failures + " times",
                    e);
        } else {
            LOG.debug("{}: postponed: {}", name, e.getMessage());
        }
    }
}
