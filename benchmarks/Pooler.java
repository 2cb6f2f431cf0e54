import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;

/** The engine behind PgBouncer, which restarts while writes go on. */
final class Pooler implements Bench.Benchmark {
    private static final Pattern QUERY = Pattern.compile("connect_query='([^\\n]*)'\\n");

    @Override
    public String words() {
        return "PgBouncer in between restarts [--mode session|transaction --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var mode = options.text("mode", "transaction");
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var port = Servers.freePort();
        try (var servers = Servers.alone()) {
            var direct = servers.url();
            var documented = QUERY.matcher(Files.readString(Path.of("docs/operations.md")));
            var query = documented.find() && mode.equals("transaction") ? "connect_query='%s'".formatted(documented.group(1)) : "";
            var folder = Files.createTempDirectory("pgbouncer");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            var file = Files.writeString(folder.resolve("pgbouncer.ini"), """
                    [databases]
                    postgres = host=127.0.0.1 port=%d user=engine %s
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = any
                    pool_mode = %s
                    default_pool_size = 40
                    """.formatted(servers.port(), query, port, mode));
            var bouncer = start(file);
            try {
                var environment = new HashMap<>(Servers.engine(direct.replace(":" + servers.port() + "/", ":" + port + "/"), key));
                if (mode.equals("transaction")) {
                    environment.put("ENGINE_DATABASE_NOTIFY_URL", direct);
                }
                try (var engine = Engine.startIn(environment)) {
                    var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                    writes.awaitMore(500);
                    writes.mark();
                    bouncer.destroyForcibly().waitFor();
                    Thread.sleep(1_000);
                    bouncer = start(file);
                    writes.awaitMore(500);
                    writes.close();
                    writes.report("pool_mode = %s, down for a second".formatted(mode));
                    writes.check(direct);
                    writes.limit(100, 10);
                }
            } finally {
                bouncer.destroyForcibly().waitFor();
            }
        }
    }

    private static Process start(Path file) throws Exception {
        var isRoot = System.getProperty("user.name").equals("root");
        var command = isRoot
                ? List.of("/usr/sbin/pgbouncer", "-q", "-u", "nobody", file.toString())
                : List.of("/usr/sbin/pgbouncer", "-q", file.toString());
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(file.resolveSibling("log").toFile())
                .start();
        Thread.sleep(300);
        if (!process.isAlive()) {
            throw new IllegalStateException(Files.readString(file.resolveSibling("log")));
        }
        return process;
    }
}
