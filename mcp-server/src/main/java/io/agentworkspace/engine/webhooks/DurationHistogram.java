package io.agentworkspace.engine.webhooks;

import java.util.Arrays;
import java.util.stream.LongStream;

/** A histogram of how long attempts take, in classes that each reach a quarter further than the one before. */
public final class DurationHistogram {
    private static final long LONGEST = 20_000;

    /** The upper bounds of the classes, in milliseconds; the last holds what is longer, too. */
    public static final long[] CLASSES = LongStream.iterate(1, ms -> ms <= LONGEST, ms -> Math.max(ms + 1, ms * 5 / 4))
            .toArray();

    private DurationHistogram() {}

    /** The class of a duration. */
    public static int classOf(long millis) {
        var found = Arrays.binarySearch(CLASSES, Math.max(1, millis));
        return Math.min(found < 0 ? -found - 1 : found, CLASSES.length - 1);
    }

    /** The duration, in milliseconds, that the share q of them did not exceed: the bound of its class; 0 where there are none. */
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
