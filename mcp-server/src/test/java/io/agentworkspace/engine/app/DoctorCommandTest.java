package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.integrations.webhooks.TestCa;
import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.PgBouncer;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./engine doctor} says of sound set-ups and of others. */
@Tag("slow")
class DoctorCommandTest {
    @TempDir
    private static Path folder;

    private static Main.Printed check(Map<String, String> changes) {
        return check(changes, Clock.systemUTC());
    }

    private static Main.Printed check(Map<String, String> changes, Clock clock) {
        var settings = new HashMap<>(Map.of(
                "ENGINE_DATABASE_URL", TestDatabase.url(),
                "ENGINE_DATA_DIR", folder.toString(),
                "ENGINE_BASE_URL", TestServer.url()));
        settings.putAll(changes);
        return new DoctorCommand(Settings.read(settings, List.of()), clock).run(List.of());
    }

    private static void wrong(Map<String, String> changes, String... words) {
        var printed = check(changes);
        assertThat(printed.text()).contains(words);
        assertThat(printed.code()).as(printed.text()).isEqualTo(1);
    }

    @Test
    void aSoundSetUpHasNoFailure() {
        var printed = check(Map.of());
        assertThat(printed.text())
                .contains(
                        "ok    database",
                        "ok    clock",
                        "ok    schema",
                        "ok    notifications",
                        "ok    settings",
                        "and each replica opens 14",
                        "ok    address",
                        "ok    mcp")
                .contains("warn  secrets")
                .doesNotContain("fail");
        assertThat(printed.code()).isZero();
        assertThat(printed.text()).doesNotContain("password");
    }

    /** The sample is what a sound set-up prints, with other numbers. */
    @Test
    void theDocumentedSampleIsOfThisVersion() {
        var sample = Repository.text(Repository.file("docs/operations.md"));
        for (var topic : List.of("schema", "notifications", "settings")) {
            var line = check(Map.of())
                    .text()
                    .lines()
                    .filter(each -> each.startsWith("ok    " + topic))
                    .findFirst();
            assertThat(sample).contains(line.orElseThrow());
        }
        assertThat(sample)
                .contains("each replica opens 14")
                .contains("PostgreSQL "
                        + TestDatabase.db()
                                .sql("SELECT current_setting('server_version') AS version")
                                .one(row -> row.text("version"))
                                .orElseThrow());
    }

    @Test
    void aDatabaseThatIsAwayAndAClockThatIsWrong() throws Exception {
        wrong(
                Map.of("ENGINE_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/engine?user=u&password=p"),
                "fail  database",
                "ok    address");
        var clock = new TestClock();
        clock.advance(Duration.ofHours(2));
        assertThat(check(Map.of(), clock).text()).contains("warn  clock", "ahead of the database's");
    }

    /** Citus is only in the catalogue of this database. */
    @Test
    void aClusterThatCannotBeReadHidesNothingElse() throws Exception {
        var url = TestDatabase.url("doctor_of_a_cluster");
        try (var _ = TestDatabase.empty("doctor_of_a_cluster");
                var connection = DriverManager.getConnection(url)) {
            connection.createStatement().execute("""
                    SET allow_system_table_mods = on;
                    INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
                    SELECT 65000, 'citus', extowner, extnamespace, false, '13.2' FROM pg_extension WHERE extname = 'plpgsql'
                    """);
            wrong(
                    Map.of("ENGINE_DATABASE_URL", url),
                    "ok    database",
                    "ok    notifications",
                    "fail  servers        the state of the cluster cannot be read: ");
        }
    }

    @Test
    void aPoolerOfTransactionsAndAnEmptyDatabase() throws Exception {
        var parameters = List.of("", "&prepareThreshold=0", "&prepareThreshold=1");
        for (var more : List.of("", "default_pool_size = 1", "default_pool_size = 3\nserver_round_robin = 1")) {
            // A check waits for a notification that does not come.
            Concurrently.of(parameters.size(), i -> noticesThePooler(more, parameters.get(i)));
        }
        try (var bouncer = PgBouncer.start("session")) {
            assertThat(check(Map.of("ENGINE_DATABASE_URL", bouncer.url() + "&prepareThreshold=0"))
                            .text())
                    .contains("ok    notifications");
        }
        assertThat(check(Map.of("ENGINE_DATABASE_URL", TestDatabase.url("template1")))
                        .text())
                .contains("note  schema", "the database is empty");
    }

    private static boolean noticesThePooler(String more, String parameter) {
        try (var bouncer = PgBouncer.start("transaction", LoopbackPort.free(), more)) {
            var url = bouncer.url() + parameter;
            wrong(
                    Map.of("ENGINE_DATABASE_URL", url),
                    "fail  pooler",
                    "ENGINE_DATABASE_URL leads through a pooler of transactions",
                    "pool_mode = session");
            wrong(
                    Map.of("ENGINE_DATABASE_URL", url, "ENGINE_DATABASE_NOTIFY_URL", url),
                    "fail  pooler",
                    "ENGINE_DATABASE_NOTIFY_URL leads through a pooler of transactions");
            wrong(
                    Map.of("ENGINE_DATABASE_URL", url, "ENGINE_DATABASE_NOTIFY_URL", TestDatabase.url()),
                    "ok    pooler",
                    "ok    notifications",
                    "fail  settings",
                    "connect_query='SELECT set_config(");
        }
        return true;
    }

    @Test
    void anAddressThatLeadsElsewhere() throws Exception {
        wrong(Map.of("ENGINE_BASE_URL", "http://127.0.0.1:1"), "fail  address", "no answer at http://127.0.0.1:1");
        var other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'h', 'i'});
            exchange.close();
        });
        other.start();
        try {
            var url = "http://127.0.0.1:" + other.getAddress().getPort();
            wrong(Map.of("ENGINE_BASE_URL", url), "leads to another program", "fail  mcp");
        } finally {
            other.stop(0);
        }
        wrong(
                Map.of("ENGINE_MCP_URL", TestServer.url().replace("127.0.0.1", "localhost")),
                "names another address to sign in");
    }

    @Test
    void aCertificateThatHasExpired() {
        var ca = new TestCa(folder);
        var later = new TestClock();
        later.advance(Duration.ofDays(365));
        assertThat(check(Map.of("ENGINE_WEBHOOKS_CA_FILE", ca.pem().toString()), later)
                        .text())
                .contains("fail  certificate", "expired at");
        assertThat(check(Map.of("ENGINE_WEBHOOKS_CA_FILE", ca.pem().toString())).text())
                .contains("  certificate");
    }

    @Test
    void anEmbeddedDatabaseThatCannotStart() throws Exception {
        var file = Files.createTempFile(folder, "no", "directory");
        var settings = Settings.read(
                Map.of("ENGINE_DATA_DIR", file.resolve("data").toString(), "ENGINE_BASE_URL", TestServer.url()),
                List.of());
        var printed = new DoctorCommand(settings, Clock.systemUTC()).run(List.of());
        assertThat(printed.text()).contains("fail  database", "ok    address");
        assertThat(printed.code()).isEqualTo(1);
    }

    @Test
    void wordsAfterItAreRefused() {
        var command = new DoctorCommand(Settings.read(Map.of(), List.of()), Clock.systemUTC());
        assertThatThrownBy(() -> command.run(List.of("now")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("usage: doctor");
    }
}
