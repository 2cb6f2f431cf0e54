import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Three replicas behind a proxy, of which one stops answering (SIGSTOP) while its connections stay open, and comes back. */
final class SlowReplica implements Bench.Benchmark {
    private static final int REPLICAS = 3;

    @Override
    public String words() {
        return "one of three replicas stops answering behind HAProxy, and comes back [--seconds 20 --writers 6 --proxy haproxy]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var proxy = options.text("proxy", "haproxy");
        var seconds = options.number("seconds", 20);
        try (var servers = Servers.alone()) {
            var replicas = new ArrayList<Engine>();
            var ports = List.of(Servers.freePort(), Servers.freePort(), Servers.freePort());
            var front = Servers.freePort();
            var url = "http://localhost:" + front;
            try (var _ = new RollingRestart.Proxy(proxy, front, ports)) {
                for (var port : ports) {
                    replicas.add(RollingRestart.start(servers, key, port));
                }
                var slow = replicas.get(REPLICAS - 1);
                RollingRestart.awaitReady(url);
                Thread.sleep(3_000); // Until the proxy has checked all of them.
                var writes = new Writes(List.of(url), key, options.number("writers", 6));
                writes.awaitMore(200);
                writes.mark();
                Drill.signal("STOP", slow.pid());
                Thread.sleep(1_000L * seconds);
                writes.report("one of %d replicas behind %s stopped for %d s".formatted(REPLICAS, proxy, seconds));
                writes.limit(0, 10);
                var before = writes.failures();
                writes.mark();
                Drill.signal("CONT", slow.pid());
                writes.awaitMore(200);
                Thread.sleep(3_000); // What it had accepted is answered, or given up.
                writes.close();
                writes.report("it came back");
                System.out.printf("  %d calls failed in all, %d of them after it came back%n", writes.failures(), writes.failures() - before);
                writes.check(servers.url());
                writes.limit(0, 10);
            } finally {
                for (var replica : replicas) {
                    if (ProcessHandle.of(replica.pid()).isPresent()) {
                        Drill.signal("CONT", replica.pid());
                    }
                    replica.close();
                }
            }
        }
    }
}
