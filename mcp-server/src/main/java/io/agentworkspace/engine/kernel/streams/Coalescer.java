package io.agentworkspace.engine.kernel.streams;

import java.time.Duration;

/** Work that signals ask for: it runs at once, one run at a time, and once more after a pause for all signals that came meanwhile. */
final class Coalescer {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Ticker ticker;
    private final Runnable work;
    private boolean isDue;
    private boolean isScheduled;

    Coalescer(Ticker ticker, Runnable work) {
        this.ticker = ticker;
        this.work = work;
    }

    synchronized void signal() {
        isDue = true;
        if (!isScheduled) {
            isScheduled = true;
            Thread.startVirtualThread(this::run);
        }
    }

    private void run() {
        synchronized (this) {
            isDue = false;
        }
        try {
            work.run();
        } finally {
            ticker.after(PAUSE, this::again);
        }
    }

    private void again() {
        boolean isAgain;
        synchronized (this) {
            isAgain = isDue;
            isScheduled = isAgain;
        }
        if (isAgain) {
            run();
        }
    }
}
