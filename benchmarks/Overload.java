import java.util.ArrayList;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Twice as many writes come as the engine can do: each is done, or refused with {@code Retry-After}. */
final class Overload implements Bench.Benchmark {
    private static final int IN_A_ROW = 10;

    @Override
    public String words() {
        return "writes at twice the capacity [--seconds 60 --factor 2 --callers 16 --warm 2000 --calls <instead of seconds>]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        try (var engine = Engine.start();
                var attempts = new Attempts(engine.url(), engine.key())) {
            var callers = options.number("callers", 16);
            var warm = options.number("warm", 2_000);
            closed(attempts, callers, warm);
            var capacity = closed(attempts, callers, 2 * warm);
            var rate = options.number("factor", 2) * capacity;
            var calls = options.number("calls", (int) (rate * options.number("seconds", 60)));
            var before = attempts.acknowledged().size();
            var times = open(attempts, rate, calls);
            var end = System.nanoTime();
            var done = attempts.acknowledged().size() - before;
            for (var inRow = 0; inRow < IN_A_ROW; ) {
                inRow = attempts.attempt() ? inRow + 1 : 0;
            }
            System.out.printf("capacity %,.0f writes a second; %,d came at %,.0f a second%n", capacity, calls, rate);
            System.out.printf(
                    "  %,d acknowledged, %,d refused with Retry-After, %,d cut off; acknowledged after %.2f s (p50), %.2f s (p99)%n",
                    done, attempts.refused(), attempts.cut(), at(times, 0.5), at(times, 0.99));
            System.out.printf("  %d more in a row were acknowledged within %.2f s%n", IN_A_ROW, (System.nanoTime() - end) / 1e9);
            attempts.check();
            if (attempts.cut() > 0 || done + attempts.refused() != calls) {
                throw new IllegalStateException("not every call was answered");
            }
            Writes.check(engine.database(), attempts.acknowledged());
        }
    }

    /** Makes calls with a few callers, each one after the other, and returns how many a second were acknowledged. */
    private static double closed(Attempts attempts, int callers, int calls) throws InterruptedException {
        var begun = System.nanoTime();
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
        return 1e9 * calls / (System.nanoTime() - begun);
    }

    /** Makes calls at this rate, whether or not those before have ended. Returns how long the acknowledged took, in order. */
    private static long[] open(Attempts attempts, double rate, int calls) throws InterruptedException {
        var times = new ConcurrentLinkedQueue<Long>();
        var threads = new ArrayList<Thread>();
        var begun = System.nanoTime();
        for (var i = 0; i < calls; i++) {
            var due = begun + (long) (i * 1e9 / rate);
            for (var early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            threads.add(Thread.ofVirtual().start(() -> {
                var sent = System.nanoTime();
                if (attempts.attempt()) {
                    times.add(System.nanoTime() - sent);
                }
            }));
        }
        for (var thread : threads) {
            thread.join();
        }
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    private static double at(long[] sorted, double quantile) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) (sorted.length * quantile)] / 1e9;
    }
}
