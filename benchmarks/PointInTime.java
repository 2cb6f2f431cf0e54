import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The primary is lost, and a base backup with the archived log is restored to a point in time: all writes acknowledged before it
 * are there, none that began after it is.
 */
final class PointInTime implements Bench.Benchmark {
    @Override
    public String words() {
        return "a base backup and the archived log are restored to a point in time [--writes 1000 --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        try (var servers = Servers.archiving()) {
            Set<String> before;
            int after;
            String until;
            Writes writes;
            try (var engine = Engine.startIn(Servers.engine(servers.url(), key))) {
                writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(options.number("writes", 1_000));
                before = writes.texts();
                until = value(servers.url(), "SELECT clock_timestamp()");
                after = writes.next();
                writes.awaitMore(options.number("writes", 1_000));
                writes.close();
                writes.report("before the loss");
                writes.limit(0, 10);
                var file = value(servers.url(), "SELECT pg_walfile_name(pg_current_wal_lsn())");
                servers.sql("SELECT pg_switch_wal()");
                while (value(servers.url(), "SELECT count(*) FROM pg_stat_archiver WHERE last_archived_wal >= '%s'".formatted(file)).equals("0")) {
                    Thread.sleep(200);
                }
            }
            var start = System.nanoTime();
            servers.recover(until);
            while (value(servers.standbyUrl(), "SELECT count(*) WHERE pg_is_in_recovery()").equals("1")) {
                Thread.sleep(100);
            }
            System.out.printf("restored to %s in %.1f s%n", until, (System.nanoTime() - start) / 1e9);
            Writes.check(servers.standbyUrl(), before);
            later(servers.standbyUrl(), writes.texts(), after);
            try (var engine = Engine.startIn(Servers.engine(servers.standbyUrl(), key))) {
                var again = new Writes(List.of(engine.url()), key, 4);
                again.awaitMore(100);
                again.close();
                again.report("on the restored database");
                again.limit(0, 10);
            }
        }
    }

    /** Fails if a write is there that began after the point in time. */
    private static void later(String url, Set<String> all, int from) throws Exception {
        var later = new HashSet<>(all);
        later.removeIf(text -> Writes.number(text) < from);
        var found = Writes.found(url).keySet().stream().filter(text -> Writes.number(text) >= from).count();
        System.out.printf("  of %,d that began after it, %,d are there%n", later.size(), found);
        if (found > 0) {
            throw new IllegalStateException("the restore went too far");
        }
    }

    private static String value(String url, String query) throws Exception {
        try (var connection = DriverManager.getConnection(url);
                var row = connection.createStatement().executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
