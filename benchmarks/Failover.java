import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;

/** The primary is killed, or hangs; the synchronous standby is promoted a second later. */
final class Failover implements Bench.Benchmark {
    @Override
    public String words() {
        return "the primary is killed or hangs, and its standby promoted [--case kill|hang --timeout 3s --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var hangs = options.text("case", "kill").equals("hang");
        var timeout = options.text("timeout", "3s");
        var key = ApiKey.generate(new SecureRandom()).reveal();
        try (var servers = Servers.withStandby()) {
            var environment = new HashMap<>(Servers.engine(servers.bothUrl(), key));
            environment.put("ENGINE_DATABASE_TIMEOUT", timeout);
            try (var engine = Engine.startIn(environment)) {
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(500);
                writes.mark();
                var start = System.nanoTime();
                servers.signalPrimary(hangs ? "STOP" : "KILL");
                Thread.sleep(1_000); // What a supervisor needs to notice, at least.
                servers.promote();
                var promoted = System.nanoTime();
                writes.awaitMore(300);
                System.out.printf(
                        "the primary %s; promoted after %.1f s%n", hangs ? "hung" : "was killed", (promoted - start) / 1e9);
                writes.close();
                writes.report("ENGINE_DATABASE_TIMEOUT=" + timeout);
                System.out.printf("  writes again %.1f s after the failure%n", seconds(writes.longestGap()));
                writes.check(servers.standbyUrl());
                writes.limit(200, 20);
            } finally {
                if (hangs) {
                    servers.signalPrimary("CONT");
                }
            }
        }
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1e3;
    }
}
