import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The leader of two servers that Patroni runs is lost: it is killed with its Patroni, hangs with it, is cut off from the others, from
 * etcd and from the clients, or is killed while its clock is ahead or its only standby is far behind.
 */
final class Patroni implements Bench.Benchmark {
    private static final Duration PROMOTION = Duration.ofMinutes(2);
    /** Longer than the leader's key lives in etcd. */
    private static final Duration NO_PROMOTION = Duration.ofSeconds(40);

    private static final int REFUSED = 400;

    /** What happens to the leader. */
    private enum Case {
        KILL,
        HANG,
        CUT,
        CLOCK,
        BEHIND
    }

    @Override
    public String words() {
        return "Patroni's leader is lost, and Patroni promotes the other one [--case kill|hang|cut|clock|behind --timeout 3s --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var lost = Case.valueOf(options.text("case", "kill").toUpperCase(java.util.Locale.ROOT));
        try (var cluster = new PatroniCluster(lost == Case.CUT, lost == Case.CLOCK ? clock() : Map.of())) {
            var environment = new HashMap<>(Servers.engine(cluster.url(), key));
            environment.put("ENGINE_DATABASE_TIMEOUT", options.text("timeout", "3s"));
            try (var engine = Engine.startIn(environment)) {
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(300);
                if (lost == Case.BEHIND) {
                    behind(cluster, writes);
                } else {
                    lose(lost, cluster, writes);
                }
            }
        }
    }

    /** A clock that is five minutes ahead. */
    private static Map<String, String> clock() throws Exception {
        return Map.of("LD_PRELOAD", Clocks.library().toString(), "FAKETIME", "+300s", "FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    private static void lose(Case lost, PatroniCluster cluster, Writes writes) throws Exception {
        writes.mark();
        var start = System.nanoTime();
        switch (lost) {
            case HANG -> cluster.one().signal("STOP");
            case CUT -> cluster.silence();
            default -> cluster.one().kill();
        }
        cluster.await(cluster.two(), "primary", PROMOTION);
        var promotion = seconds(start);
        writes.awaitMore(200);
        var pause = writes.longestGap().toMillis() / 1e3;
        if (lost == Case.HANG || lost == Case.CUT) {
            comesBack(lost, cluster, writes);
        }
        writes.close();
        System.out.printf("case %s; Patroni promoted the other one after %.1f s%n", lost, promotion);
        writes.report("ttl 20 s, synchronous_mode");
        writes.check(cluster.two().url());
        Drill.limit("writes again after the promotion:", pause - promotion, 10);
        writes.limit(REFUSED, 60);
    }

    /** The old leader must not take writes, and becomes the standby of the new one. */
    private static void comesBack(Case lost, PatroniCluster cluster, Writes writes) throws Exception {
        var start = System.nanoTime();
        if (lost == Case.HANG) {
            cluster.one().signal("CONT");
        } else {
            cluster.mend();
        }
        cluster.await(cluster.one(), "sync", PROMOTION);
        System.out.printf("the old leader was a synchronous standby again %.1f s after it came back%n", seconds(start));
        writes.awaitMore(200);
    }

    /** The standby was away while the leader took writes: it must not be promoted, and the leader's return ends the pause. */
    private static void behind(PatroniCluster cluster, Writes writes) throws Exception {
        cluster.two().kill();
        writes.awaitMore(500);
        writes.report("without the standby");
        writes.limit(REFUSED, 30);
        writes.mark();
        cluster.one().kill();
        cluster.two().start();
        var end = System.nanoTime() + NO_PROMOTION.toNanos();
        while (System.nanoTime() < end) {
            if (cluster.is(cluster.two(), "primary")) {
                throw new IllegalStateException("a standby that lacks acknowledged writes was promoted");
            }
            Thread.sleep(200);
        }
        System.out.printf("a standby that was far behind was not promoted for %d s%n", NO_PROMOTION.toSeconds());
        cluster.one().start();
        var start = System.nanoTime();
        cluster.await(cluster.one(), "primary", PROMOTION);
        var led = seconds(start);
        writes.awaitMore(200);
        System.out.printf("the leader led again %.1f s after its start%n", led);
        writes.close();
        writes.report("ttl 20 s, synchronous_mode");
        writes.check(cluster.one().url());
        writes.limit(2 * REFUSED, NO_PROMOTION.toSeconds() + 60);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }
}
