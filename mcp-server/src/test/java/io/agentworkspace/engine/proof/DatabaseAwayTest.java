package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.NetworkLine;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database that is unreachable for a while, in both ways in which that happens. */
@Tag("slow")
@Tag("crash")
class DatabaseAwayTest {
    private static final int POOL = 12;

    /** The connection that listens for changes, and the one that tests it. */
    private static final int LISTENERS = 2;

    private static NetworkLine line;
    private static Replica engine;
    private static String key;

    @BeforeAll
    static void start() {
        var database = URI.create(TestDatabase.url().substring("jdbc:".length()));
        line = new NetworkLine(database.getPort());
        engine = Replica.start(Map.of(
                "ENGINE_DATABASE_URL",
                TestDatabase.url().replace(":" + database.getPort() + "/", ":" + line.port() + "/"),
                "ENGINE_DATABASE_POOL_SIZE",
                Integer.toString(POOL)));
        key = new TestTenant().key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        create(CommandAddress.ALIAS, "Ada");
    }

    @AfterAll
    static void stop() {
        engine.close();
        line.close();
    }

    @AfterEach
    void mend() {
        line.mend();
    }

    private static Got create(CommandAddress way, String name) {
        return way.call(
                engine.url(),
                key,
                "AP_Create",
                "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name),
                Map.of());
    }

    private static Got list(CommandAddress way) {
        return way.call(engine.url(), key, "AP_List", "{}", Map.of());
    }

    private static int health(String path) {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/health" + path))
                .timeout(Duration.ofMinutes(2))
                .build();
        return ClientApi.send(request).statusCode();
    }

    /** Checks the refusal. The client waits for it until {@code HangLimit}; the database is unreachable all that time. */
    private static void assertUnavailable(CommandAddress way, Got got) {
        assertThat(got.error()).as(got.toString()).isEqualTo("unavailable");
        // Before the caller is known, the failure is one of HTTP; after that, one of the tool.
        assertThat(got.status())
                .isIn(
                        way == CommandAddress.MCP
                                ? List.of(503, 200)
                                : way == CommandAddress.INVOKE ? List.of(503, 500) : List.of(500));
        assertThat(got.response().headers().firstValue("Retry-After")).contains("1");
    }

    private static void assertAllIsWell() {
        await().until(() -> health("/ready") == 200);
        await().until(() -> list(CommandAddress.ALIAS).error().isEmpty());
        for (var way : CommandAddress.values()) {
            assertThat(list(way).error()).isEmpty();
        }
        assertThat(Concurrently.of(40, _ -> list(CommandAddress.ALIAS).error())).containsOnly("");
    }

    /** Returns the platform threads, without the JVM's own and those of the tests' HTTP clients. */
    private static List<String> platformThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.matches("HttpClient-\\d+-Worker-\\d+|ForkJoinPool.*"))
                .sorted()
                .toList();
    }

    @Test
    void aDatabaseThatIsCutOffIsToldAndItsReturnNoticed() {
        assertAllIsWell();
        var threads = platformThreads();
        for (var round = 0; round < 2; round++) {
            line.cut();
            await().until(() -> health("/ready") == 503);
            for (var way : CommandAddress.values()) {
                assertUnavailable(way, create(way, "never"));
                assertUnavailable(way, list(way));
            }
            assertThat(health("/live")).isEqualTo(200);
            assertThat(health("")).isEqualTo(200);
            line.mend();
            assertAllIsWell();
        }
        assertThat(create(CommandAddress.MCP, "never").error()).isEmpty();
        await().until(() -> line.connections() <= POOL + LISTENERS);
        await().untilAsserted(() -> assertThat(platformThreads())
                .as("the threads before were %s", threads)
                .hasSizeLessThanOrEqualTo(threads.size() + 4));
    }

    @Test
    void aDatabaseThatHangsIsToldAndItsReturnNoticed() {
        assertAllIsWell();
        line.fallSilent();
        var caught = Concurrently.of(40, i -> {
            var way = CommandAddress.values()[i % 4];
            return Map.entry(way, i % 2 == 0 ? create(way, "hung " + i) : list(way));
        });
        caught.forEach(answer -> assertUnavailable(answer.getKey(), answer.getValue()));
        assertThat(health("/ready")).isEqualTo(503);
        assertThat(health("/live")).isEqualTo(200);
        assertThat(Concurrently.of(20, _ -> health("/ready"))).containsOnly(503);
        assertUnavailable(CommandAddress.ALIAS, list(CommandAddress.ALIAS));
        line.mend();
        assertAllIsWell();
        await().until(() -> line.connections() <= POOL + LISTENERS);
    }

    @Test
    void signalsThatMayBeMissingAreReportedAgainAndAgain() {
        var late = new AtomicInteger();
        var port = ":"
                + URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()))
                        .getPort() + "/";
        var address = TestDatabase.postgres().jdbcUrl().replace(port, ":" + line.port() + "/");
        try (var db = TestDatabase.connect(address, 1);
                var watch = new CallerChanges(db);
                var signals = new DatabaseSignals(watch)) {
            signals.onSignal(new DatabaseSignals.Listener() {
                @Override
                public void received(DatabaseSignals.Signal signal) {}

                @Override
                public void gap() {}

                @Override
                public void late() {
                    late.incrementAndGet();
                }
            });
            for (Runnable loss : List.<Runnable>of(line::fallSilent, line::cut)) {
                loss.run();
                var before = late.get();
                await().until(() -> late.get() >= before + 2);
                line.mend();
            }
        }
    }
}
