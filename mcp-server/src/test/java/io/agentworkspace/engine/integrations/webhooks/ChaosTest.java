package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.webhooks.outbox.Outbox;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three replicas, each a process, are killed again and again while half of the endpoints fail in every way. All events
 * arrive at every healthy endpoint. Duplicates come only from deliveries of a killed replica, or from late responses.
 */
@Tag("slow")
class ChaosTest {
    private static final int TENANTS = 10;
    private static final int EVENTS = 1_500;
    private static final int EVENTS_WITHOUT_BAD_ONES = 300;
    private static final int WARMING_UP = 100;
    private static final String SCHEDULE = "0s,1s,2s,2s,5s,5s";
    private static final int ATTEMPTS = 6;
    private static final int RATE = 75;
    private static final int KILLS = 5;
    private static final Duration LONGEST_PEACE = Duration.ofSeconds(6);

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
        try (var replicas = new Replicas(directory, settings());
                var receivers = new ReceivedDeliveries(TENANTS)) {
            var makers = new EventProducers(db, replicas::url, TENANTS);
            makers.subscribe(receivers::url);
            var bad = makers.prepare(badOnes());
            makers.make(WARMING_UP, RATE);
            replicas.killAtRandom(new Random(42));
            var start = Instant.now();
            makers.make(EVENTS_WITHOUT_BAD_ONES / 2, RATE);
            var worse = Instant.now();
            makers.enable(bad, true);
            makers.make(EVENTS, RATE);
            var better = Instant.now();
            makers.enable(bad, false);
            // Before and after, since other work may use the machine during the test.
            makers.make(EVENTS_WITHOUT_BAD_ONES / 2, RATE);
            replicas.leaveAlone();
            receivers.await(makers.written());
            assertComplete(makers, receivers);
            Predicate<Instant> isBeside = at -> at.isAfter(worse) && at.isBefore(better);
            var beside = receivers.quantile(0.95, isBeside);
            var without = receivers.quantile(0.95, isBeside.negate().and(start::isBefore));
            System.out.printf(
                    "%,d events in %d s, %d kills, %.1f arrivals repeated for each, p95 %d ms, without bad endpoints %d ms%n",
                    makers.made(),
                    Duration.between(start, Instant.now()).toSeconds(),
                    replicas.kills(),
                    (double) receivers.repeated() / replicas.kills(),
                    beside,
                    without);
            assertThat(replicas.kills()).isGreaterThanOrEqualTo(KILLS);
            assertThat(receivers.repeated())
                    .as("duplicates: deliveries of %d killed replicas, and late responses", replicas.kills())
                    .isLessThanOrEqualTo(replicas.kills() * TENANTS * Outbox.EACH + failed(receivers));
        }
    }

    private Map<String, String> settings() {
        return Map.of(
                "ENGINE_DATABASE_URL",
                TestDatabase.url(database),
                "ENGINE_SECRETS_KEY",
                TestDatabase.SECRETS_KEY,
                "ENGINE_WEBHOOKS_ALLOW_PRIVATE",
                "true",
                "ENGINE_WEBHOOKS_RETRY_SCHEDULE",
                SCHEDULE);
    }

    private void assertComplete(EventProducers makers, ReceivedDeliveries receivers) {
        assertThat(makers.written().stream().mapToInt(Set::size).sum())
                .isBetween(makers.made(), makers.made() + makers.retried());
        for (var tenant = 0; tenant < TENANTS; tenant++) {
            assertThat(receivers.ids(tenant)).isEqualTo(makers.written().get(tenant));
            assertThat(receivers.revisions(tenant)).containsAll(makers.acknowledged(tenant));
            assertAddsUp(makers, tenant, receivers.url(tenant));
        }
    }

    /** Returns one bad endpoint for each tenant. */
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

    /** Writes a byte a second. */
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

    /** Returns the number of failed attempts at healthy endpoints. Each may have arrived. */
    private int failed(ReceivedDeliveries receivers) {
        return db.sql("""
                        SELECT COALESCE(sum(jsonb_array_length(d.attempts) - 1), 0) AS n
                          FROM webhook_delivery d JOIN webhook_endpoint w ON w.tenant_id = d.tenant_id AND w.id = d.endpoint_id
                         WHERE w.url = ANY (:urls) AND d.state = 'delivered'
                        """)
                .set(
                        "urls",
                        IntStream.range(0, TENANTS)
                                .mapToObj(i -> receivers.url(i).toString())
                                .toList())
                .one(row -> row.number("n"))
                .orElseThrow()
                .intValue();
    }

    /** Checks that the log of an endpoint's deliveries is consistent, whatever their results. */
    private void assertAddsUp(EventProducers crowd, int tenant, URI healthy) {
        await().untilAsserted(() -> assertThat(db.sql("""
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

        /** Returns the URL of any running replica. */
        synchronized String url(int turn) {
            return new ArrayList<>(running.values()).get(turn % running.size()).url();
        }

        /** Kills each now and then, until {@link #leaveAlone}. */
        void killAtRandom(Random random) {
            killer = Thread.ofPlatform().start(() -> {
                while (!left || kills < KILLS) {
                    try {
                        TimeUnit.MILLISECONDS.sleep(random.nextLong(LONGEST_PEACE.toMillis()));
                        if (!left || kills < KILLS) {
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

        /** Stops the kills, and waits until the last killed replica runs again. */
        void leaveAlone() throws InterruptedException {
            left = true;
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
