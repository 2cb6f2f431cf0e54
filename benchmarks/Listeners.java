import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/**
 * Measures many open streams of {@code subscriptions/listen} on one engine: what each costs, and
 * how they affect other clients.
 */
final class Listeners implements Bench.Benchmark {
    private static final int AGENTS = 20;
    private static final int CALLERS = 4;

    @Override
    public String words() {
        return "2,000 open streams on one engine: their memory, and the calls of others beside them"
                + " [--streams 2000] [--seconds 15]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var count = options.number("streams", 2_000);
        var time = Duration.ofSeconds(options.number("seconds", 15));
        try (var engine = Engine.start();
                var streams = new Streams(engine.url(), engine.key())) {
            var callers = new Callers(engine.url(), engine.key());
            for (var agent = 0; agent < AGENTS; agent++) {
                var vx = Map.of("name", name(agent), "description", "Is listened to.");
                callers.call(new Callers.Work("AP_Create", Map.of("vx", vx)));
            }
            callers.work(CALLERS, time.multipliedBy(2), Listeners::read); // Warms up the JVM.
            var before = callers.work(CALLERS, time, Listeners::read);
            var heap = engine.heap();
            var resident = engine.resident();

            for (var i = 0; i < count; i++) {
                streams.open("engine://agents/" + name(i % AGENTS));
            }
            streams.awaitAcknowledged();
            var with = callers.work(CALLERS, time, Listeners::read);
            var arrivals = arrivals(streams, callers);
            System.out.printf("%,d open streams of subscriptions/listen on one engine, %d callers%n", count, CALLERS);
            print("heap", heap, engine.heap(), count);
            print("resident", resident, engine.resident(), count);
            System.out.printf("  calls before             %s%n", before);
            System.out.printf("  calls with the streams   %s%n", with);
            System.out.printf(
                    "  ratio                    p50 %6.2f      p99 %6.2f%n",
                    with.millis(0.5) / before.millis(0.5), with.millis(0.99) / before.millis(0.99));
            System.out.printf(
                    "  a change reaches its %,d listeners, and no others, within %.0f ms, at most %.0f ms%n",
                    count / AGENTS, arrivals[AGENTS / 2], arrivals[AGENTS - 1]);
            streams.check();
            System.out.println("  no stream was lost");
        }
    }

    private static String name(int agent) {
        return "Agent" + agent;
    }

    private static Callers.Work read(int number) {
        return new Callers.Work("AP_Read", Map.of("target", Map.of("agent", name(number % AGENTS))));
    }

    /** Changes each agent once. Returns the times until all its listeners were notified, in milliseconds, sorted. */
    private static double[] arrivals(Streams streams, Callers callers) throws Exception {
        var times = new double[AGENTS];
        for (var agent = 0; agent < AGENTS; agent++) {
            var uri = "engine://agents/" + name(agent);
            var began = System.nanoTime();
            callers.call(new Callers.Work(
                    "AP_Modify",
                    Map.of("target", Map.of("agent", name(agent)), "vx", Map.of("description", "Has changed."))));
            streams.await("hear of a change", stream -> !stream.uri().equals(uri) || stream.isTold());
            times[agent] = (System.nanoTime() - began) / 1e6;
        }
        Arrays.sort(times);
        return times;
    }

    private static void print(String what, long before, long with, int count) {
        System.out.printf(
                "  %-24s %5.1f kB for each stream (%.1f MB, before %.1f MB)%n",
                what, (with - before) / 1e3 / count, with / 1e6, before / 1e6);
    }
}
