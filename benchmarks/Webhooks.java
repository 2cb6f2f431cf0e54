import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Events on their way to a receiver in this process: how many a second, and how long each takes from its change on. */
final class Webhooks implements Bench.Benchmark {
    private static final int WRITERS = 4;

    @Override
    public String words() {
        return "deliveries a second, and the time from an event to its arrival"
                + " [--endpoints 20] [--events 2000] [--rate 200] [--seconds 15]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var endpoints = options.number("endpoints", 20);
        var events = options.number("events", 2_000);
        var rate = options.number("rate", 200);
        var seconds = options.number("seconds", 15);
        try (var engine = Engine.start("--webhooks-allow-private", "true");
                var receiver = new Receiver()) {
            var callers = new Callers(engine.url(), engine.key());
            var vx = Map.of("name", "Busy", "description", "Changes often.");
            callers.call(new Callers.Work("AP_Create", Map.of("vx", vx)));
            subscribe(callers, receiver, 1);
            pace(callers, rate, Duration.ofSeconds(seconds)); // Until the JVM is warm.
            receiver.await(rate * seconds);

            var times = receiver.measured(() -> pace(callers, rate, Duration.ofSeconds(seconds)), rate * seconds);
            System.out.printf("%,d events a second, one endpoint, receiver in the benchmark's own process%n", rate);
            System.out.printf(
                    "  from the event to its arrival   p50 %6.1f ms   p99 %6.1f ms   %,d arrived%n",
                    quantile(times, 0.5), quantile(times, 0.99), times.length);

            subscribe(callers, receiver, endpoints - 1);
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

    private static void subscribe(Callers callers, Receiver receiver, int count) throws Exception {
        for (var i = 0; i < count; i++) {
            callers.call(new Callers.Work(
                    "WH_Create", Map.of("url", receiver.url(i), "events", List.of("agent.deployment.updated"))));
        }
    }

    private static Callers.Work change() {
        return new Callers.Work(
                "AP_Modify", Map.of("target", Map.of("agent", "Busy"), "vx", Map.of("profile", "p" + System.nanoTime())));
    }

    private static void burst(Callers callers, int events) throws Exception {
        try (var writers = Executors.newFixedThreadPool(WRITERS)) {
            var all = java.util.stream.IntStream.range(0, events)
                    .mapToObj(_ -> writers.submit(() -> callers.call(change())))
                    .toList();
            for (var one : all) {
                one.get();
            }
        }
    }

    /** So many changes a second, evenly. */
    private static void pace(Callers callers, int rate, Duration time) throws Exception {
        var ticks = new Semaphore(0);
        try (var clock = Executors.newSingleThreadScheduledExecutor();
                var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            clock.scheduleAtFixedRate(ticks::release, 0, 1_000_000 / rate, TimeUnit.MICROSECONDS);
            for (var i = 0; i < rate * time.toSeconds(); i++) {
                ticks.acquire();
                writers.submit(() -> callers.call(change()));
            }
            clock.shutdownNow();
        }
    }

    private static double quantile(long[] sorted, double quantile) {
        return sorted[(int) Math.min(sorted.length - 1, sorted.length * quantile)];
    }
}
