package io.agentworkspace.engine.integrations.webhooks;

import java.util.Arrays;
import java.util.stream.LongStream;

/** A histogram of the durations of attempts. The upper bound of each class is a quarter larger than the one before. */
public final class DurationHistogram {
    private static final long LONGEST = 20_000;

    /** The upper bounds of the classes, in milliseconds. The last class includes all longer durations. */
    public static final long[] CLASSES = LongStream.iterate(1, ms -> ms <= LONGEST, ms -> Math.max(ms + 1, ms * 5 / 4))
            .toArray();

    private DurationHistogram() {}

    /** Returns the class of a duration. */
    public static int classOf(long millis) {
        var found = Arrays.binarySearch(CLASSES, Math.max(1, millis));
        return Math.min(found < 0 ? -found - 1 : found, CLASSES.length - 1);
    }

    /**
     * Returns the upper bound of the class that contains the quantile {@code q}, in milliseconds; 0 if there are no attempts.
     */
    static long quantile(long[] counts, double q) {
        var rank = (long) Math.ceil(Arrays.stream(counts).sum() * q);
        var seen = 0L;
        for (var i = 0; i < counts.length && rank > 0; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return CLASSES[i];
            }
        }
        return 0;
    }
}
