import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Many open streams over three replicas: a change made at one replica reaches its listeners at all of them. */
final class OpenStreams implements Bench.Benchmark {
    private static final int REPLICAS = 3;
    private static final int AGENTS = 20;
    private static final int MOST_MILLIS = 30_000;

    @Override
    public String words() {
        return "open streams over three replicas, in tenants of 2,000: a change reaches its listeners, and no others [--streams 10000 --tenants 5]";
    }

    /** The streams of one tenant at one replica. */
    private record Share(String key, Streams streams) {}

    @Override
    public void run(Bench.Options options) throws Exception {
        var count = options.number("streams", 10_000);
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var replicas = new ArrayList<Engine>();
        var shares = new ArrayList<Share>();
        try (var servers = Servers.alone()) {
            try {
                for (var i = 0; i < REPLICAS; i++) {
                    replicas.add(Engine.startIn(Servers.engine(servers.url(), key)));
                }
                var keys = keys(replicas.getFirst(), key, options.number("tenants", Math.max(1, count / 2_000)));
                for (var each : keys) {
                    for (var replica : replicas) {
                        shares.add(new Share(each, new Streams(replica.url(), each)));
                    }
                }
                var start = System.nanoTime();
                for (var i = 0; i < count; i++) {
                    shares.get(i % shares.size()).streams().open("engine://agents/" + name(i / shares.size() % AGENTS));
                }
                for (var share : shares) {
                    share.streams().awaitAcknowledged();
                }
                System.out.printf(
                        "%,d streams of %d tenants over %d replicas opened in %.0f s%n",
                        count, keys.size(), REPLICAS, (System.nanoTime() - start) / 1e9);
                var arrivals = arrivals(replicas, keys, shares);
                System.out.printf(
                        "  a change at one replica reached its listeners at all of them, and no others, within %.0f ms, at most %.0f ms%n",
                        arrivals[arrivals.length / 2], arrivals[arrivals.length - 1]);
                for (var replica : replicas) {
                    System.out.printf("  a replica: %.0f MB resident, %,d files%n", replica.resident() / 1e6, replica.files());
                }
                for (var share : shares) {
                    share.streams().check();
                }
                System.out.println("  no stream was lost");
                Drill.limit("until all listeners knew", arrivals[arrivals.length - 1] / 1e3, MOST_MILLIS / 1e3);
            } finally {
                for (var share : shares) {
                    share.streams().close();
                }
                for (var replica : replicas) {
                    replica.close();
                }
            }
        }
    }

    /** Creates the tenants with their agents, and returns their keys. */
    private static List<String> keys(Engine engine, String first, int tenants) throws Exception {
        var keys = new ArrayList<>(List.of(first));
        for (var i = 1; i < tenants; i++) {
            keys.add(engine.tenant("tenant" + i));
        }
        for (var key : keys) {
            var callers = new Callers(engine.url(), key);
            for (var agent = 0; agent < AGENTS; agent++) {
                callers.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", name(agent), "description", "Is listened to."))));
            }
        }
        return keys;
    }

    private static String name(int agent) {
        return "Agent" + agent;
    }

    /** Changes each agent of each tenant once, at the replicas in turn. Returns the milliseconds until all listeners knew, sorted. */
    private static double[] arrivals(List<Engine> replicas, List<String> keys, List<Share> shares) throws Exception {
        var times = new double[AGENTS * keys.size()];
        for (var i = 0; i < times.length; i++) {
            var key = keys.get(i / AGENTS);
            var uri = "engine://agents/" + name(i % AGENTS);
            var callers = new Callers(replicas.get(i % REPLICAS).url(), key);
            var began = System.nanoTime();
            callers.call(new Callers.Work(
                    "AP_Modify", Map.of("target", Map.of("agent", name(i % AGENTS)), "vx", Map.of("description", "Has changed."))));
            for (var share : shares) {
                if (share.key().equals(key)) {
                    share.streams().await("hear of a change", stream -> !stream.uri().equals(uri) || stream.isTold());
                }
            }
            times[i] = (System.nanoTime() - began) / 1e6;
        }
        Arrays.sort(times);
        return times;
    }
}
