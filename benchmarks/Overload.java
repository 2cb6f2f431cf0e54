import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Twice as many writes come with one key as the engine can do: each is done, or refused with {@code Retry-After}. Meanwhile another
 * tenant makes one call after the other.
 */
final class Overload implements Bench.Benchmark {
    private static final int IN_A_ROW = 10;
    private static final int ALONE = 200;
    private static final long SECOND = 1_000_000_000;

    @Override
    public String words() {
        return "writes at twice the capacity [--seconds 60 --factor 2 --callers 16 --clients 10000 --warm 2000 --limit 60 --calls <instead of seconds>]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        try (var engine = Engine.start();
                var attempts = new Attempts(engine.url(), engine.key());
                var others = new Attempts(engine.url(), engine.tenant("other"))) {
            var callers = options.number("callers", 16);
            var warm = options.number("warm", 2_000);
            closed(attempts, callers, warm);
            var capacity = closed(attempts, callers, 2 * warm);
            var rate = options.number("factor", 2) * capacity;
            var calls = options.number("calls", (int) (rate * options.number("seconds", 60)));
            var times = new ConcurrentLinkedQueue<Long>();
            var alone = inARow(others, () -> true, ALONE);
            var isOver = new AtomicBoolean();
            var beside = CompletableFuture.supplyAsync(() -> inARow(others, () -> !isOver.get(), Integer.MAX_VALUE));
            var threads = open(attempts, rate, calls, new Semaphore(options.number("clients", 10_000)), times);
            isOver.set(true);
            var recovered = recovered(attempts);
            for (var thread : threads) {
                thread.join();
            }
            var done = times.size();
            var sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
            System.out.printf("capacity %,.0f writes a second; %,d came at %,.0f a second%n", capacity, calls, rate);
            System.out.printf(
                    "  %,d acknowledged, %,d refused with Retry-After, %,d cut off; acknowledged after %.2f s (p50), %.2f s (p99)%n",
                    done, attempts.refused(), attempts.cut(), at(sorted, 0.5), at(sorted, 0.99));
            System.out.printf(
                    "  another tenant, one call after the other: %,d acknowledged, %,d refused; after %.2f s (p50), %.2f s (p99); alone %.2f s (p50), %.2f s (p99)%n",
                    beside.get().length, others.refused(), at(beside.get(), 0.5), at(beside.get(), 0.99), at(alone, 0.5), at(alone, 0.99));
            System.out.printf("  %.2f s after the last had come, %d in a row were acknowledged within a second each%n", recovered, IN_A_ROW);
            attempts.check();
            others.check();
            if (attempts.cut() > 0) {
                throw new IllegalStateException("not every call was answered");
            }
            Writes.check(engine.database(), attempts.acknowledged());
            Drill.limit("recovered after", recovered, options.number("limit", 60));
        }
    }

    /** Makes calls one after the other, and returns how long each acknowledged one took, sorted. */
    private static long[] inARow(Attempts attempts, BooleanSupplier goesOn, int calls) {
        var times = new ArrayList<Long>();
        for (var i = 0; i < calls && goesOn.getAsBoolean(); i++) {
            var sent = System.nanoTime();
            if (attempts.attempt()) {
                times.add(System.nanoTime() - sent);
            }
        }
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /** Makes calls with a few callers, each one after the other, and returns how many a second were acknowledged. */
    private static double closed(Attempts attempts, int callers, int calls) throws InterruptedException {
        var start = System.nanoTime();
        var threads = new ArrayList<Thread>();
        for (var i = 0; i < callers; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (var k = 0; k < calls / callers; k++) {
                    attempts.attempt();
                }
            }));
        }
        for (var thread : threads) {
            thread.join();
        }
        return 1e9 * calls / (System.nanoTime() - start);
    }

    /**
     * Makes calls at this rate, whether or not those before have ended, and returns when the last has begun.
     *
     * @param clients one for each call that is open; without one, a call waits before it is sent
     * @param times takes how long each acknowledged call took
     */
    private static List<Thread> open(Attempts attempts, double rate, int calls, Semaphore clients, Collection<Long> times)
            throws InterruptedException {
        var threads = new ArrayList<Thread>();
        var start = System.nanoTime();
        for (var i = 0; i < calls; i++) {
            var due = start + (long) (i * 1e9 / rate);
            for (var early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            clients.acquire();
            threads.add(Thread.ofVirtual().start(() -> {
                var sent = System.nanoTime();
                if (attempts.attempt()) {
                    times.add(System.nanoTime() - sent);
                }
                clients.release();
            }));
        }
        return threads;
    }

    /** Returns after how many seconds some calls in a row were fast again. */
    private static double recovered(Attempts attempts) {
        var start = System.nanoTime();
        for (var inRow = 0; inRow < IN_A_ROW; ) {
            var sent = System.nanoTime();
            inRow = attempts.attempt() && System.nanoTime() - sent < SECOND ? inRow + 1 : 0;
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private static double at(long[] sorted, double quantile) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) (sorted.length * quantile)] / 1e9;
    }
}
