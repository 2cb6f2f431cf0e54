package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Checks that a change of a credential or a rule is in force everywhere within a second. A slow machine cannot make this
 * fail. What is measured is when the last request <em>began</em> that the change did not affect, not when the first one was
 * affected. And the second is a lease: a replica uses what it has cached only while a heartbeat that it sent less than
 * 900 ms ago has returned ({@code CallerChanges}). A heartbeat that was sent after the change returns after its signal. So a
 * slow machine makes replicas read more often, and never use anything for longer.
 */
public final class ChangeInForce {
    private static final Duration BOUND = Duration.ofSeconds(1);

    private ChangeInForce() {}

    /**
     * Makes the change, then sends requests until it affects each.
     *
     * @param what the change, for the output
     * @param unaffected sends a request, for instance to one of several replicas, and returns whether the result is as before
     */
    public static void assertInForce(String what, Runnable change, List<BooleanSupplier> unaffected) {
        assertThat(unaffected).allMatch(BooleanSupplier::getAsBoolean);
        change.run();
        var changed = System.nanoTime();
        var last = new ArrayList<Duration>();
        for (var request : unaffected) {
            var lastBegan = changed;
            for (var began = System.nanoTime(); request.getAsBoolean(); began = System.nanoTime()) {
                lastBegan = began;
            }
            last.add(Duration.ofNanos(lastBegan - changed));
        }
        System.out.printf("%s: the last unaffected requests began after %s%n", what, last);
        assertThat(last).allMatch(after -> after.compareTo(BOUND) < 0);
    }
}
