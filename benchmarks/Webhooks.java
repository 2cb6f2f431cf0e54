import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Measures the delivery of events to a receiver in this process: the rate, and the delay from each change. */
final class Webhooks implements Bench.Benchmark {
    private static final int WRITERS = 4;
    private static final int AGENTS = 100;

    @Override
    public String words() {
        return "deliveries a second, and the time from an event to its arrival"
                + " [--endpoints 20] [--events 2000] [--rate 200] [--seconds 15] [--warm 5000]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var endpoints = options.number("endpoints", 20);
        var events = options.number("events", 2_000);
        var rate = options.number("rate", 200);
        var seconds = options.number("seconds", 15);
        var warm = options.number("warm", 5_000);
        try (var engine = Engine.start("--webhooks-allow-private", "true");
                var receiver = new Receiver()) {
            var callers = new Callers(engine.url(), engine.key());
            for (var agent = 0; agent < AGENTS; agent++) {
                var vx = Map.of("name", "Agent" + agent, "description", "Changes often.");
                callers.call(new Callers.Work("AP_Create", Map.of("vx", vx)));
            }
            subscribe(callers, receiver, 0, 1);
            burst(callers, warm); // Warms up the JVM.
            receiver.await(warm);

            var times = receiver.measured(() -> pace(callers, rate, Duration.ofSeconds(seconds)), rate * seconds);
            System.out.printf("%,d events a second, one endpoint, receiver in the benchmark's own process%n", rate);
            System.out.printf(
                    "  from the event to its arrival   p50 %6.1f ms   p99 %6.1f ms   %,d arrived%n",
                    quantile(times, 0.5), quantile(times, 0.99), times.length);

            subscribe(callers, receiver, 1, endpoints);
            var began = System.nanoTime();
            receiver.measured(() -> burst(callers, events), endpoints * events);
            var took = (System.nanoTime() - began) / 1e9;
            System.out.printf("%,d events at once, %d endpoints%n", events, endpoints);
            System.out.printf(
                    "  %,.0f deliveries a second: %,d in %.1f s, the calls that made the events included%n",
                    endpoints * events / took, endpoints * events, took);
            System.out.println("  every event arrived once at every endpoint");
        }
    }

    private static void subscribe(Callers callers, Receiver receiver, int from, int to) throws Exception {
        for (var i = from; i < to; i++) {
            callers.call(new Callers.Work(
                    "WH_Create", Map.of("url", receiver.url(i), "events", List.of("agent.deployment.updated"))));
        }
    }

    private static Callers.Work change(int number) {
        return new Callers.Work(
                "AP_Modify", Map.of("target", Map.of("agent", "Agent" + number % AGENTS), "vx", Map.of("profile", "p" + System.nanoTime())));
    }

    private static void burst(Callers callers, int events) throws Exception {
        try (var writers = Executors.newFixedThreadPool(WRITERS)) {
            var all = IntStream.range(0, events)
                    .mapToObj(i -> writers.submit(() -> callers.call(change(i))))
                    .toList();
            for (var one : all) {
                one.get();
            }
        }
    }

    /**
     * Makes the given number of changes per second, evenly spaced. There are fewer if the engine is slower, since a key
     * has only a share of the calls in flight.
     */
    private static void pace(Callers callers, int rate, Duration time) throws Exception {
        var ticks = new Semaphore(0);
        var free = new Semaphore(WRITERS);
        var changes = new ArrayList<Future<?>>();
        try (var clock = Executors.newSingleThreadScheduledExecutor();
                var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            clock.scheduleAtFixedRate(ticks::release, 0, 1_000_000 / rate, TimeUnit.MICROSECONDS);
            for (var made = 0; made < rate * time.toSeconds(); made++) {
                ticks.acquire();
                free.acquire();
                var i = made;
                changes.add(writers.submit(() -> {
                    try {
                        return callers.call(change(i));
                    } finally {
                        free.release();
                    }
                }));
            }
            clock.shutdownNow();
            for (var one : changes) {
                one.get();
            }
        }
    }

    private static double quantile(long[] sorted, double quantile) {
        return sorted[(int) Math.min(sorted.length - 1, sorted.length * quantile)];
    }
}
