package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.net.URI;
import java.net.http.HttpRequest;
import java.security.SecureRandom;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A database that responds with errors: what callers and the health check get. */
@Tag("slow")
@Tag("crash")
class DatabaseRefusesTest {
    private static final String NAME = "refusals";
    private static final String KEY = ApiKey.generate(new SecureRandom()).reveal();

    private static Db db;
    private static Replica engine;

    @BeforeAll
    static void start() {
        db = TestDatabase.empty(NAME);
        engine = Replica.start(Map.of("ENGINE_DATABASE_URL", TestDatabase.url(NAME), "ENGINE_BOOTSTRAP_KEY", KEY));
        assertThat(create("Ada").error()).isEmpty();
        // Simulates a full disk: the error and message are the database server's own.
        db.sql("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'could not extend file "base/5/16390": No space left on device'
                          USING ERRCODE = NEW.description;
                END $$
                """).run();
        db.sql("""
                CREATE TRIGGER refuse BEFORE INSERT ON agent FOR EACH ROW WHEN (NEW.name = 'refused') EXECUTE FUNCTION refuse()
                """).run();
    }

    @AfterAll
    static void stop() {
        engine.close();
        db.close();
    }

    @AfterEach
    void writable() {
        TestDatabase.db()
                .sql("ALTER DATABASE " + NAME + " RESET default_transaction_read_only")
                .run();
    }

    private static Got create(String name) {
        return create(name, "d");
    }

    private static Got create(String name, String description) {
        return CommandAddress.ALIAS.call(
                engine.url(),
                KEY,
                "AP_Create",
                "{\"vx\":{\"name\":\"%s\",\"description\":\"%s\"}}".formatted(name, description),
                Map.of("X-Request-Id", "wanted-" + description));
    }

    private static ObjectNode health(String path) {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/health" + path))
                .build();
        var answer = ClientApi.send(request);
        assertThat(answer.statusCode()).isEqualTo(200);
        return Json.readObject(answer.body());
    }

    private static void assertHealth(String database) {
        for (var path : new String[] {"", "/ready"}) {
            assertThat(health(path).path("database").asString()).isEqualTo(database);
            assertThat(health(path).path("status").asString()).isEqualTo("degraded");
        }
    }

    private static void assertRefused(Got got, String note, String retryAfter) {
        assertThat(got.error()).as(got.toString()).isEqualTo("unavailable");
        assertThat(got.status()).isEqualTo(500);
        assertThat(got.envelope().at("/status/internal_code").asInt()).isEqualTo(5002);
        assertThat(got.note()).startsWith(note).doesNotContain("base/5");
        assertThat(got.response().headers().firstValue("Retry-After")).contains(retryAfter);
        assertThat(CommandAddress.ALIAS
                        .call(engine.url(), KEY, "AP_List", "{}", Map.of())
                        .error())
                .as("reading")
                .isEmpty();
    }

    @Test
    void aFullDiskIsToldToTheCallerInTheLogAndByHealth() {
        try (var log = new CapturedLog()) {
            for (var i = 0; i < 5; i++) {
                assertRefused(create("refused", "53100"), "the database has no room left: reads work", "30");
            }
            assertThat(log.text().lines().filter(line -> line.contains("53100") && !line.contains(" request ")))
                    .singleElement()
                    .asString()
                    .contains(
                            "RefusalLog database full: ERROR: could not extend file \"base/5/16390\": No space left on device")
                    .contains("sqlstate=\"53100\"", "request_id=\"wanted-53100\"");
        }
        assertHealth("full");
    }

    @Test
    void whatEndsStatementsIsToldApart() {
        assertRefused(create("refused", "57014"), "this took the database too long", "1");
        assertRefused(create("refused", "25P03"), "this took the database too long", "1");
        assertRefused(create("refused", "53200"), "the database has run out of memory or connections", "5");
        assertRefused(create("refused", "57P03"), "the database cannot be reached", "1");
        assertRefused(create("refused", "40P01"), "others are changing the same thing", "1");
        assertThat(create("refused", "22012").error()).isEqualTo("internal");
    }

    @Test
    void whatAnotherHoldsForTooLongIsToldSo() {
        assertRefused(
                db.transaction(() -> {
                    db.sql("LOCK TABLE agent IN SHARE MODE").run();
                    return create("locked");
                }),
                "others are changing the same thing",
                "1");
        assertThat(create("locked").error()).isEmpty();
    }

    @Test
    void aReadOnlyDatabaseIsToldAndReadAndItsChangeNoticed() {
        TestDatabase.db()
                .sql("ALTER DATABASE " + NAME + " SET default_transaction_read_only = on")
                .run();
        endSessions();
        await().untilAsserted(() -> assertRefused(create("never"), "the database is read-only at the moment", "10"));
        assertHealth("read_only");
        writable();
        endSessions();
        await().until(() -> create("again").error().isEmpty());
    }

    private static void endSessions() {
        TestDatabase.db()
                .sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = :name")
                .set("name", NAME)
                .one(row -> row.number(1));
    }
}
