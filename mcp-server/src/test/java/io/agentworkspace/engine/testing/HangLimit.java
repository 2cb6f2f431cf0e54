package io.agentworkspace.engine.testing;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.PollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The single time limit of the tests. It ends a hung test and measures nothing, so tests pass on a machine of any
 * speed. It is the default of Awaitility in every test class; {@code pages.mjs} has the same for browsers.
 */
public final class HangLimit implements BeforeAllCallback {
    public static final Duration TIME = Duration.ofMinutes(4);

    /** Most of what tests wait for comes at once, or after a while: they look after 10, 20, 40 and 80 ms, and then each 100 ms. */
    private static final PollInterval SOON = (count, previous) -> Duration.ofMillis(count > 4 ? 100 : 5L << count);

    /** Blocks like a server that never responds, until the test ends or the client disconnects. */
    public static void pause() throws InterruptedException {
        new CountDownLatch(1).await(10, TimeUnit.MINUTES);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(TIME);
        Awaitility.setDefaultPollInterval(SOON);
    }
}
