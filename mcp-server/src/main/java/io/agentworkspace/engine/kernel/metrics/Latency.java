package io.agentworkspace.engine.kernel.metrics;

import java.util.concurrent.atomic.LongAdder;

/** How long something took, counted in buckets from one millisecond to ten seconds. Adding a value is two additions without a lock. */
public final class Latency {
    /** The upper bounds of the buckets in nanoseconds; the last bucket has none. */
    private static final long[] BOUNDS = {
        500_000L,
        1_000_000L,
        2_500_000L,
        5_000_000L,
        10_000_000L,
        25_000_000L,
        50_000_000L,
        100_000_000L,
        250_000_000L,
        500_000_000L,
        1_000_000_000L,
        2_500_000_000L,
        5_000_000_000L,
        10_000_000_000L
    };

    private static final double NANOS = 1e9;

    private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
    private final LongAdder sum = new LongAdder();

    public Latency() {
        for (var i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    public void add(long nanos) {
        var bucket = 0;
        while (bucket < BOUNDS.length && nanos > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(nanos);
    }

    /** The upper bounds in seconds, the last one infinite. */
    static double[] bounds() {
        var bounds = new double[BOUNDS.length + 1];
        for (var i = 0; i < BOUNDS.length; i++) {
            bounds[i] = BOUNDS[i] / NANOS;
        }
        bounds[BOUNDS.length] = Double.POSITIVE_INFINITY;
        return bounds;
    }

    /** The number of values in each bucket, not cumulated. */
    long[] counts() {
        var numbers = new long[counts.length];
        for (var i = 0; i < counts.length; i++) {
            numbers[i] = counts[i].sum();
        }
        return numbers;
    }

    /** The sum of all values, in seconds. */
    double sum() {
        return sum.sum() / NANOS;
    }
}
