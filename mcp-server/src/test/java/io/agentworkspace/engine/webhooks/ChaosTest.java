package io.agentworkspace.engine.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.EngineProcess;
import io.agentworkspace.engine.TestDatabase;
import io.agentworkspace.engine.store.Db;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three replicas, each a process, are killed one after the other in the middle of their work, and half of the endpoints are
 * as bad as can be: whatever was acknowledged arrives at every healthy endpoint, hardly anything twice, and hardly later
 * than without the bad ones.
 */
class ChaosTest {
    private static final int TENANTS = 10;
    private static final int EVENTS = 20_000;
    private static final int EVENTS_WITHOUT_BAD_ONES = 5_000;
    private static final String SCHEDULE = "0s,1s,2s,2s,5s,5s";
    private static final int ATTEMPTS = 6;
    private static final int RATE = 500;
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(3);

    @TempDir
    private Path directory;

    private final String database = "chaos_" + UUID.randomUUID().toString().replace("-", "");
    private final Db db = TestDatabase.fresh(database);
    private final List<AutoCloseable> bad = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (var receiver : bad) {
            receiver.close();
        }
        db.close();
    }

    @Test
    void everythingArrivesAtEveryHealthyEndpoint() throws Exception {
        var baseline = run(List.of(), EVENTS_WITHOUT_BAD_ONES);
        var chaos = run(badOnes(), EVENTS);
        assertThat(chaos.p95())
                .as("p95 in ms beside bad endpoints, and without them: %d, %d", chaos.p95(), baseline.p95())
                .isLessThanOrEqualTo(2 * baseline.p95());
    }

    /** One for each tenant. */
    private List<URI> badOnes() throws Exception {
        var urls = new ArrayList<URI>();
        urls.add(URI.create("http://127.0.0.1:%d/dead".formatted(closedPort())));
        urls.add(bad((_, out) -> {
            TimeUnit.SECONDS.sleep(8);
            say(out, RawReceiver.status(200));
        }));
        urls.add(bad((_, out) ->
                say(out, RawReceiver.status(System.nanoTime() / 5_000_000_000L % 2 == 0 ? 200 : 500))));
        urls.add(bad((socket, _) -> reset(socket)));
        urls.add(bad((_, out) -> say(out, RawReceiver.status(500))));
        urls.add(bad((_, out) -> say(out, RawReceiver.status(429, "Retry-After: 3"))));
        urls.add(bad((_, out) -> say(out, RawReceiver.status(410))));
        urls.add(bad((_, out) -> say(out, RawReceiver.status(302, "Location: http://127.0.0.1:1/"))));
        urls.add(bad((_, out) -> drip(out)));
        urls.add(bad((_, _) -> TimeUnit.MINUTES.sleep(1)));
        assertThat(urls).hasSize(TENANTS);
        return urls;
    }

    private URI bad(RawReceiver.Script script) {
        var receiver = new RawReceiver(script);
        bad.add(receiver);
        return receiver.url();
    }

    private static void say(OutputStream out, String answer) throws java.io.IOException {
        out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void reset(Socket socket) throws java.io.IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** A byte a second. */
    private static void drip(OutputStream out) throws java.io.IOException, InterruptedException {
        for (var one : RawReceiver.status(200).getBytes(StandardCharsets.ISO_8859_1)) {
            out.write(one);
            out.flush();
            TimeUnit.SECONDS.sleep(1);
        }
    }

    private static int closedPort() throws java.io.IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private record Result(long p95) {}

    private Result run(List<URI> badOnes, int events) throws Exception {
        var settings = Map.of(
                "ENGINE_DATABASE_URL",
                TestDatabase.url(database),
                "ENGINE_SECRETS_KEY",
                TestDatabase.SECRETS_KEY,
                "ENGINE_WEBHOOKS_ALLOW_PRIVATE",
                "true",
                "ENGINE_WEBHOOKS_RETRY_SCHEDULE",
                SCHEDULE);
        var replicas = new Replicas(directory, settings);
        try (replicas;
                var receivers = new Arrivals(TENANTS)) {
            var crowd = new EventMakers(db, replicas::url, TENANTS);
            crowd.subscribe(receivers::url);
            for (var tenant = 0; tenant < badOnes.size(); tenant++) {
                crowd.subscribe(tenant, badOnes.get(tenant));
            }
            replicas.killOneEvery(BETWEEN_KILLS, new Random(42));
            crowd.make(events, RATE, replicas::leaveAlone);
            replicas.awaitAll();
            receivers.await(crowd.written(), Duration.ofSeconds(60));
            for (var tenant = 0; tenant < TENANTS; tenant++) {
                assertThat(receivers.ids(tenant)).isEqualTo(crowd.written().get(tenant));
                assertThat(receivers.revisions(tenant)).containsAll(crowd.acknowledged(tenant));
                assertAddsUp(crowd, tenant, receivers.url(tenant));
            }
            assertThat(receivers.repeated()).as("of %d arrivals", events).isLessThan(events / 100);
            System.out.printf(
                    "%,d events, %d kills, %d arrivals repeated, p95 %d ms%n",
                    events, replicas.kills(), receivers.repeated(), receivers.quantile(0.95));
            return new Result(receivers.quantile(0.95));
        }
    }

    /** What the log says of an endpoint's deliveries fits together, whatever became of them. */
    private void assertAddsUp(EventMakers crowd, int tenant, URI healthy) {
        await().atMost(Duration.ofSeconds(40))
                .untilAsserted(() -> assertThat(db.sql("""
                        SELECT count(*) AS n
                          FROM webhook_delivery d JOIN webhook_endpoint w USING (tenant_id)
                         WHERE w.id = d.endpoint_id AND w.tenant_id = :tenant AND w.url = :url AND d.state <> 'delivered'
                        """)
                                .set("tenant", crowd.id(tenant))
                                .set("url", healthy.toString())
                                .one(row -> row.number("n")))
                        .contains(0L));
        var wrong = db.sql("""
                SELECT d.state, d.attempts::text AS attempts
                  FROM webhook_delivery d
                 WHERE d.tenant_id = :tenant
                   AND NOT CASE d.state
                               WHEN 'pending' THEN d.attempts = '[]' AND d.due_at IS NOT NULL
                               WHEN 'delivering' THEN d.due_at IS NOT NULL AND d.holder IS NOT NULL
                               WHEN 'failed' THEN jsonb_array_length(d.attempts) BETWEEN 1 AND :most - 1 AND d.due_at IS NOT NULL
                               WHEN 'exhausted' THEN jsonb_array_length(d.attempts) = :most AND d.due_at IS NULL
                               WHEN 'delivered' THEN d.attempts -> -1 ->> 'error' IS NULL AND d.due_at IS NULL
                           END
                """)
                .set("tenant", crowd.id(tenant))
                .set("most", ATTEMPTS)
                .list(row -> row.text("state") + " " + row.text("attempts"));
        assertThat(wrong).isEmpty();
        var gaps = db.sql("""
                SELECT w.url
                  FROM webhook_endpoint w
                  LEFT JOIN webhook_delivery d ON d.tenant_id = w.tenant_id AND d.endpoint_id = w.id
                 WHERE w.tenant_id = :tenant
                 GROUP BY w.id, w.url, w.last_sequence
                HAVING count(d.id) <> w.last_sequence OR COALESCE(max(d.sequence), 0) <> w.last_sequence
                """).set("tenant", crowd.id(tenant)).list(row -> row.text("url"));
        assertThat(gaps).isEmpty();
    }

    /** Three processes; a killed one is started again. */
    private static final class Replicas implements AutoCloseable {
        private final Map<Path, EngineProcess> running = new LinkedHashMap<>();
        private final Map<String, String> settings;
        private volatile boolean left;
        private volatile int kills;
        private Thread killer = Thread.ofPlatform().unstarted(() -> {});

        Replicas(Path directory, Map<String, String> settings) throws Exception {
            this.settings = settings;
            for (var i = 0; i < 3; i++) {
                var data = Files.createDirectories(directory.resolve("replica" + i));
                running.put(data, EngineProcess.start(data, settings));
            }
        }

        /** Of any one that runs. */
        synchronized String url(int turn) {
            return new ArrayList<>(running.values()).get(turn % running.size()).url();
        }

        void killOneEvery(Duration pause, Random random) {
            killer = Thread.ofPlatform().start(() -> {
                while (!left) {
                    try {
                        TimeUnit.MILLISECONDS.sleep(pause.toMillis());
                        if (!left) {
                            killOne(random);
                        }
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
        }

        private void killOne(Random random) {
            Path data;
            synchronized (this) {
                data = new ArrayList<>(running.keySet()).get(random.nextInt(running.size()));
                running.remove(data).kill();
            }
            kills++;
            var again = EngineProcess.start(data, settings);
            synchronized (this) {
                running.put(data, again);
            }
        }

        void leaveAlone() {
            left = true;
        }

        /** Also the one that was killed last runs again. */
        void awaitAll() throws InterruptedException {
            killer.join();
        }

        int kills() {
            return kills;
        }

        @Override
        public void close() {
            left = true;
            running.values().forEach(EngineProcess::kill);
        }
    }
}
