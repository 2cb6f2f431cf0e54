import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/**
 * Two replicas behind HAProxy are replaced one after the other by a build whose schema has one more migration, of the table that the
 * writers write to. The build is this one with the package of the schema compiled for that version.
 */
final class RollingUpgrade implements Bench.Benchmark {
    private static final Path SCHEMA = Path.of("mcp-server/src/main/java/io/agentworkspace/engine/kernel/db/migration");
    private static final String NEWEST = "static final int NEWEST = ";
    private static final String MIGRATION = """
            ALTER TABLE memory ADD COLUMN drilled bigint NOT NULL DEFAULT 0;
            CREATE INDEX memory_drilled ON memory (tenant_id, bank_id, drilled);
            """;

    private static final String FILL = """
            INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at, change)
            SELECT m.tenant_id, m.bank_id, gen_random_uuid(), 'row ' || n, '{}', m.author_id, m.contributors, '{}', now(), now(), pg_current_xact_id()
              FROM (SELECT * FROM memory LIMIT 1) m, generate_series(1, %d) n
            """;

    @Override
    public String words() {
        return "two replicas are replaced by a build with a new migration [--rows 20000 --writers 6]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var ports = List.of(Servers.freePort(), Servers.freePort());
        var rows = options.number("rows", 20_000);
        var front = Servers.freePort();
        var url = "http://localhost:" + front;
        var folder = Files.createTempDirectory("drill-upgrade");
        var replicas = new ArrayList<Engine>();
        try (var servers = Servers.alone();
                var _ = new RollingRestart.Proxy("haproxy", front, ports)) {
            try {
                for (var port : ports) {
                    replicas.add(RollingRestart.start(servers, key, port));
                }
                RollingRestart.awaitReady(url);
                Thread.sleep(3_000); // Until the proxy has checked both.
                var version = version(servers.url());
                var environment = build(folder, version + 1);
                var writes = new Writes(List.of(url), key, options.number("writers", 6));
                writes.awaitMore(50);
                servers.sql("SET session_replication_role = replica", FILL.formatted(rows)); // Without triggers and foreign keys.
                writes.awaitMore(100);
                writes.mark();
                for (var i = 0; i < ports.size(); i++) {
                    replicas.get(i).close();
                    replicas.set(i, RollingRestart.start(servers, key, ports.get(i), environment));
                    System.out.printf("after replica %d: schema %d%n", i + 1, version(servers.url()));
                    Thread.sleep(3_000);
                    writes.awaitMore(100);
                }
                writes.close();
                writes.report("two replicas replaced in turn, %,d rows migrated".formatted(rows));
                writes.check(servers.url());
                if (version(servers.url()) != version + 1) {
                    throw new IllegalStateException("the migration did not run");
                }
                writes.limit(0, 10);
            } finally {
                for (var replica : replicas) {
                    replica.close();
                }
                delete(folder);
            }
        }
    }

    /** Compiles the package of the schema with one more version, and returns what makes an engine use it. */
    private static Map<String, String> build(Path folder, int version) throws Exception {
        var arguments = new ArrayList<>(List.of("-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", System.getProperty("java.class.path"), "-d", folder.toString()));
        try (var sources = Files.list(SCHEMA)) {
            for (var source : sources.toList()) {
                var text = Files.readString(source).replace(NEWEST + (version - 1) + ";", NEWEST + version + ";");
                arguments.add(Files.writeString(folder.resolve(source.getFileName()), text).toString());
            }
        }
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the build with one more migration does not compile");
        }
        var migrations = Files.createDirectories(folder.resolve("db/migration"));
        Files.writeString(migrations.resolve("V%d__drill.sql".formatted(version)), MIGRATION);
        return Map.of("CLASSPATH", folder + File.pathSeparator + System.getProperty("java.class.path"));
    }

    private static int version(String jdbcUrl) throws Exception {
        try (var connection = DriverManager.getConnection(jdbcUrl);
                var row = connection.createStatement()
                        .executeQuery("SELECT max(CAST(version AS integer)) FROM flyway_schema_history WHERE success")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void delete(Path folder) throws Exception {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
