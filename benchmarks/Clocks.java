import io.agentworkspace.engine.credentials.ApiKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;

/** Two replicas, one of which has a clock that is ahead (Debian: {@code faketime}). */
final class Clocks implements Bench.Benchmark {
    @Override
    public String words() {
        return "the clock of one of two replicas is five minutes ahead [--ahead 5m --writes 2000 --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var ahead = options.text("ahead", "5m");
        try (var servers = Servers.alone();
                var right = Engine.startIn(Servers.engine(servers.url(), key))) {
            var environment = new HashMap<>(Servers.engine(servers.url(), key));
            environment.put("LD_PRELOAD", library().toString());
            environment.put("FAKETIME", "+" + ahead);
            environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            try (var wrong = Engine.startIn(environment)) {
                var writes = new Writes(List.of(right.url(), wrong.url()), key, options.number("writers", 8));
                writes.awaitMore(options.number("writes", 2_000));
                writes.close();
                writes.report("one clock is %s ahead".formatted(ahead));
                writes.check(servers.url());
            }
        }
    }

    private static Path library() throws Exception {
        try (var files = Files.walk(Path.of("/usr/lib"), 4)) {
            return files.filter(file -> file.endsWith("libfaketimeMT.so.1"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("install faketime"));
        }
    }
}
