import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * 27 hours in minutes while writes go on: the clock of the database's machine, whose time all replicas use, goes three hours ahead at a
 * time (Debian: {@code faketime}). Keys end when they should, and what is older than a day is deleted.
 */
final class Day implements Bench.Benchmark {
    private static final int STEP_HOURS = 3;
    private static final int STEPS = 9;
    private static final long PATIENCE = 240_000_000_000L;
    private static final long HOUR = 3_600;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** What is kept for a day: answers for repeated calls, and with {@code ENGINE_AUDIT_DAYS=1} the audit. */
    private static final Map<String, String> OLD = Map.of(
            "answers for repeated calls", "SELECT count(*) FROM idempotency WHERE created_at < clock_timestamp() - INTERVAL '25 hours'",
            "entries of the audit", "SELECT count(*) FROM audit WHERE at < clock_timestamp() - INTERVAL '25 hours'");

    @Override
    public String words() {
        return "27 hours in minutes: the database's clock goes ahead while writes go on; keys end, and what is old is deleted [--pause 13 --writers 4]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var offset = Files.createTempFile("drill-clock", "", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        set(offset, 0);
        try (var servers = Servers.timed(Map.of(
                "LD_PRELOAD", Clocks.library().toString(),
                "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                "FAKETIME_CACHE_DURATION", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1"))) {
            var environment = new HashMap<>(Servers.engine(servers.url(), key));
            environment.put("ENGINE_AUDIT_DAYS", "1");
            try (var engine = Engine.startIn(environment)) {
                var callers = new Callers(engine.url(), key);
                var four = create(callers, 4 * HOUR).path("api_key").asString();
                var days = create(callers, 72 * HOUR).path("api_key").asString();
                var turned = create(callers, 72 * HOUR);
                var old = turned.path("api_key").asString();
                var renewed = "";
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 4));
                writes.awaitMore(100);
                writes.mark();
                for (var hour = STEP_HOURS; hour <= STEPS * STEP_HOURS; hour += STEP_HOURS) {
                    set(offset, hour * HOUR);
                    Thread.sleep(1_000L * options.number("pause", 13)); // Replicas read the database's clock every ten seconds.
                    writes.awaitMore(20);
                    if (hour == STEP_HOURS) {
                        renewed = callers.call(new Callers.Work("AK_Rotate", Map.of("id", turned.at("/key/id").asString(), "overlap_seconds", 2 * HOUR)))
                                .path("api_key")
                                .asString();
                    }
                    works(engine, "a key of four hours", four, hour, hour < 4);
                    works(engine, "a key of three days", days, hour, true);
                    works(engine, "a rotated key's old secret, two hours after the third", old, hour, hour < STEP_HOURS + 2);
                    works(engine, "its new secret", renewed, hour, true);
                }
                writes.close();
                writes.report("%d hours in %d steps".formatted(STEPS * STEP_HOURS, STEPS));
                writes.check(servers.url());
                deleted(servers, environment);
                writes.limit(0, 15);
            }
        } finally {
            Files.delete(offset);
        }
    }

    private static void set(Path offset, long seconds) throws Exception {
        Files.writeString(offset, "%+d".formatted(seconds));
    }

    private static JsonNode create(Callers callers, long seconds) throws Exception {
        return callers.call(new Callers.Work(
                "AK_Create", Map.of("name", "drill " + System.nanoTime(), "capabilities", List.of("*"), "expires_in_seconds", seconds)));
    }

    private static void works(Engine engine, String what, String key, int hour, boolean isValid) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + "/demo/v1/Engine/tps/agent/list"))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}"))
                .build();
        var status = CLIENT.send(request, BodyHandlers.discarding()).statusCode();
        if (status != (isValid ? 200 : 401)) {
            throw new IllegalStateException("%s got %d in hour %d".formatted(what, status, hour));
        }
    }

    /** A replica deletes a minute after its start, and then every ten minutes. */
    private static void deleted(Servers servers, Map<String, String> environment) throws Exception {
        var before = new HashMap<String, Long>();
        for (var each : OLD.entrySet()) {
            before.put(each.getKey(), count(servers, each.getValue()));
        }
        System.out.println("  older than a day, before the deletion: " + before);
        if (before.containsValue(0L)) {
            throw new IllegalStateException("nothing was old: " + before);
        }
        try (var _ = Engine.startIn(environment)) {
            var end = System.nanoTime() + PATIENCE;
            for (var each : OLD.entrySet()) {
                while (count(servers, each.getValue()) > 0) {
                    if (System.nanoTime() > end) {
                        throw new IllegalStateException("not deleted: " + each.getKey());
                    }
                    Thread.sleep(1_000);
                }
            }
        }
        System.out.println("  all of them are deleted");
    }

    private static long count(Servers servers, String query) throws Exception {
        try (var connection = DriverManager.getConnection(servers.url());
                var row = connection.createStatement().executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
