import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;

/** Two replicas, of which one has a clock that is ahead or behind (Debian: {@code faketime}). */
final class Clocks implements Bench.Benchmark {
    private static final Pattern CREATED = Pattern.compile("\"api_key\":\"(\\w+)\"");
    /** Less than the clocks are apart. */
    private static final int KEY_SECONDS = 240;

    private static final int KEYS = 3;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Override
    public String words() {
        return "the clock of one of two replicas is ahead, then behind [--apart 300 --writes 1000 --writers 8]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var apart = options.number("apart", 300);
        for (var seconds : List.of(apart, -apart)) {
            run(seconds, options);
        }
    }

    private static void run(int seconds, Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var environment = new HashMap<>(Servers.engine("", key));
        environment.put("LD_PRELOAD", library().toString());
        environment.put("FAKETIME", "%+ds".formatted(seconds));
        environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        try (var servers = Servers.alone();
                var right = Engine.startIn(Servers.engine(servers.url(), key))) {
            environment.put("ENGINE_DATABASE_URL", servers.url());
            try (var wrong = Engine.startIn(environment)) {
                if (Files.readAllLines(wrong.log()).stream().noneMatch(line -> line.contains("this machine's clock is"))) {
                    throw new IllegalStateException("the clock of the second replica is not wrong");
                }
                var writes = new Writes(List.of(right.url(), wrong.url()), key, options.number("writers", 8));
                writes.awaitMore(100);
                keys(key, right.url(), wrong.url());
                keys(key, wrong.url(), right.url());
                writes.awaitMore(options.number("writes", 1_000));
                writes.close();
                writes.report("one clock is %d s %s".formatted(Math.abs(seconds), seconds > 0 ? "ahead" : "behind"));
                writes.check(servers.url());
                order(servers.url());
                writes.limit(0, 10);
            }
        }
    }

    /** Creates keys with a short life at one replica, and uses them at the other. */
    private static void keys(String key, String here, String there) throws Exception {
        for (var i = 0; i < KEYS; i++) {
            var made = CREATED.matcher(call(
                    here,
                    key,
                    "/api/keys",
                    "{\"name\":\"short\",\"capabilities\":[\"agent:read\"],\"expires_in_seconds\":%d}".formatted(KEY_SECONDS)));
            if (!made.find()) {
                throw new IllegalStateException("no key was created");
            }
            call(there, made.group(1), "/demo/v1/Engine/tps/agent/list", "{}");
        }
    }

    private static String call(String url, String key, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        var response = CLIENT.send(request, BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException("%s: %d %s".formatted(path, response.statusCode(), response.body()));
        }
        return response.body();
    }

    /** Compares the times of the writes with the order in which they began. */
    private static void order(String jdbcUrl) throws Exception {
        try (var connection = DriverManager.getConnection(jdbcUrl);
                var row = connection.createStatement().executeQuery("""
                        SELECT max(extract(epoch FROM newest - created_at))
                          FROM (SELECT created_at, max(created_at) OVER (ORDER BY CAST(split_part(text, ' ', 3) AS integer)) AS newest FROM memory WHERE text LIKE 'drill %') a
                        """)) {
            row.next();
            System.out.printf("  %d keys of %d s of each worked at the other; times are out of order by at most %.3f s%n", KEYS, KEY_SECONDS, row.getDouble(1));
            if (row.getDouble(1) > 60) { // A write may wait in between, though not as long as the clocks are apart.
                throw new IllegalStateException("times are those of the wrong clock");
            }
        }
    }

    /** Returns the library that gives a process another clock. */
    static Path library() throws Exception {
        try (var files = Files.walk(Path.of("/usr/lib"), 4)) {
            return files.filter(file -> file.endsWith("libfaketimeMT.so.1"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("install faketime"));
        }
    }
}
