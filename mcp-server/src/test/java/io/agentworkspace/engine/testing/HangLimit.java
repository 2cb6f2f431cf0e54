package io.agentworkspace.engine.testing;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The single time limit of the tests. It ends a hung test and measures nothing, so tests pass on a machine of any
 * speed. It is the default of Awaitility in every test class; {@code pages.mjs} has the same for browsers.
 */
public final class HangLimit implements BeforeAllCallback {
    public static final Duration TIME = Duration.ofMinutes(4);

    /** Blocks like a server that never responds, until the test ends or the client disconnects. */
    public static void pause() throws InterruptedException {
        new CountDownLatch(1).await(10, TimeUnit.MINUTES);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(TIME);
    }
}
