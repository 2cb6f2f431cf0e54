import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/** A dump is made while writes go on, and restored into another database, on which an engine then starts. */
final class Backup implements Bench.Benchmark {
    @Override
    public String words() {
        return "a dump while writing, and its restore [--writes 3000 --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        try (var servers = Servers.alone()) {
            var file = Path.of(System.getProperty("java.io.tmpdir"), "drill-%d.dump".formatted(ProcessHandle.current().pid()));
            var port = Integer.toString(servers.port());
            try (var engine = Engine.startIn(Servers.engine(servers.url(), key))) {
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(options.number("writes", 3_000));
                var before = writes.texts();
                writes.mark();
                var start = System.nanoTime();
                servers.run("pg_dump", "-h", "127.0.0.1", "-p", port, "-U", "engine", "-Fc", "-f", file.toString(), "postgres");
                System.out.printf("pg_dump took %.1f s, %,d bytes%n", (System.nanoTime() - start) / 1e9, Files.size(file));
                writes.awaitMore(100);
                writes.close();
                writes.report("while the dump was made");
                writes.limit(0, 10);
                servers.sql("CREATE DATABASE restored TEMPLATE template0");
                start = System.nanoTime();
                servers.run(
                        "pg_restore", "-h", "127.0.0.1", "-p", port, "-U", "engine", "--no-owner", "--exit-on-error",
                        "--single-transaction", "-d", "restored", file.toString());
                System.out.printf("pg_restore took %.1f s%n", (System.nanoTime() - start) / 1e9);
                Writes.check(servers.url().replace("/postgres?", "/restored?"), before);
            } finally {
                Files.deleteIfExists(file);
            }
            try (var engine = Engine.startIn(Servers.engine(servers.url().replace("/postgres?", "/restored?"), key))) {
                var writes = new Writes(List.of(engine.url()), key, 4);
                writes.awaitMore(100);
                writes.close();
                writes.report("on the restored database");
            }
        }
    }
}
