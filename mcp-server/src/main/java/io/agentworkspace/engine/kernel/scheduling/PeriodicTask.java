package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.problem.Problem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is attempted repeatedly in the background, whether or not the previous attempt failed. Repeated failures
 * are logged at the third, thirtieth, three hundredth time, and so on. A defect is also logged the first time.
 */
final class PeriodicTask {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);
    private static final long TOLD_FIRST = 3;

    private final String name;
    private long failures;
    private long toldNext = TOLD_FIRST;

    PeriodicTask(String name) {
        this.name = name;
    }

    synchronized void attempt(Runnable work) {
        try {
            work.run();
            if (failures >= TOLD_FIRST) {
                LOG.info("{}: works again after {} failures", name, failures);
            }
            failures = 0;
            toldNext = TOLD_FIRST;
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void failed(RuntimeException e) {
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
