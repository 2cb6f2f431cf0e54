import io.agentworkspace.engine.credentials.ApiKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;

/** An upgrade of a database of commit 9742f53a (version 54) with many memories and messages. */
final class Upgrade implements Bench.Benchmark {
    private static final String OLD = "mcp-server/src/test/resources/db/version54.sql";

    @Override
    public String words() {
        return "a database of commit 9742f53a with many rows is upgraded [--rows 200000]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var rows = options.number("rows", 200_000);
        try (var servers = Servers.alone()) {
            fill(servers, rows);
            var start = System.nanoTime();
            try (var engine = Engine.startIn(Servers.engine(servers.url(), ApiKey.generate(new SecureRandom()).reveal()))) {
                System.out.printf("ready %.1f s after the start%n", (System.nanoTime() - start) / 1e9);
                Files.readAllLines(engine.log()).stream()
                        .filter(line -> line.contains("schema"))
                        .forEach(System.out::println);
                check(servers, "memory", rows);
                check(servers, "message", rows);
            }
        }
    }

    private static void check(Servers servers, String table, int rows) throws Exception {
        try (var connection = DriverManager.getConnection(servers.url());
                var row = connection.createStatement().executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            System.out.printf("  %s: %,d of %,d rows%n", table, row.getLong(1), rows);
            if (row.getLong(1) < rows) {
                throw new IllegalStateException("rows are lost");
            }
        }
    }

    private static void fill(Servers servers, int rows) throws Exception {
        servers.sql(Files.readString(Path.of(OLD)));
        servers.sql(Files.readString(Path.of("benchmarks/sets/version54-rows.sql")).replace("{rows}", Integer.toString(rows)));
        System.out.printf("a database of version 54 with %,d memories and %,d messages%n", rows, rows);
    }
}
