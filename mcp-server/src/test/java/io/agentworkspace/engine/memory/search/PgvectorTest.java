package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.mcp.Node;
import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Large banks in a database with pgvector. Here a bank with more than three memories is large. The database is PGlite, which is PostgreSQL
 * in WebAssembly.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PgvectorTest {
    private static final String KEY = ApiKey.generate(new SecureRandom()).reveal();
    private static final String INVOICES = "The invoice run is on the last working day of each month.";
    private static final String CAT = "Our cat sleeps on the radiator.";
    private static final String MODEL = "all-minilm-l6-v2-q/1";
    private static final String BILLS = "When do we bill our customers?";
    private static final List<String> OTHERS = List.of(
            "Bicycles belong into the cellar.",
            "The espresso machine needs descaling every eight weeks.",
            "The window in the attic does not close.");

    @TempDir
    private static Path directory;

    private static Process database;
    private static String url;
    private static Db db;
    private static App app;

    @BeforeAll
    static void start() throws Exception {
        Node.require();
        var started = Node.start("pgvector.mjs", Map.of());
        database = started.process();
        // PGlite has one session for all connections, so they must not name statements.
        url =
                "jdbc:postgresql://127.0.0.1:%s/postgres?user=postgres&password=postgres&sslmode=disable&prepareThreshold=0&preparedStatementCacheQueries=0"
                        .formatted(started.port());
        migrate();
        db = new Db(url, null, null, 1);
        app = TestServer.start(Map.of(
                "ENGINE_DATABASE_URL",
                url,
                "ENGINE_DATABASE_POOL_SIZE",
                "4",
                "ENGINE_BOOTSTRAP_KEY",
                KEY,
                "ENGINE_DATA_DIR",
                directory.toString(),
                "ENGINE_EMBEDDING",
                "builtin",
                "ENGINE_PGVECTOR_FROM",
                "3"));
        await().until(() -> call("MB_Search", "{'content':'anything','mode':'vector'}")
                .text("/mode")
                .equals("vector")); // The first one loads the model.
    }

    /** Creates the schema in one session. Flyway itself needs two, of which one would wait for the other. */
    private static void migrate() throws Exception {
        try (var files = Files.list(Path.of("src/main/resources/db/baseline"));
                var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            for (var file : files.sorted().toList()) {
                statement.execute(Files.readString(file));
            }
        }
        Flyway.configure()
                .dataSource(url, null, null)
                .baselineVersion("9999")
                .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                .load()
                .baseline();
    }

    @AfterAll
    static void stop() throws IOException {
        if (app != null) {
            app.close();
            db.close();
        }
        if (database != null) {
            database.outputWriter().close();
        }
    }

    private static Reply call(ClientApi api, String service, String arguments) {
        var json = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return api.call(app.baseUrl(), KEY, service, json).ok();
    }

    private static Reply call(String service, String arguments) {
        return call(ClientApi.REST, service, arguments);
    }

    /** Creates a bank with five memories and waits for its index. */
    private static long bank(String name) {
        call("MB_Create", "{'vx':{'name':'%s'}}".formatted(name));
        store(name, "invoices", INVOICES);
        store(name, "cat", CAT);
        OTHERS.forEach(text -> store(name, text.substring(4, 9).strip(), text));
        embedded();
        var bank = number("SELECT id FROM bank WHERE name = '%s'".formatted(name));
        await().until(() -> {
            nearest(name, "anything", 1); // Asks for the index.
            return number("SELECT count(*) FROM memory_near WHERE ready_at IS NOT NULL AND bank_id = " + bank) == 1;
        });
        return bank;
    }

    private static String store(String bank, String name, String text) {
        var stored = call(
                "MB_Store", "{'target':{'bank':'%s'},'vx':{'name':'%s'},'content':'%s'}".formatted(bank, name, text));
        embedded();
        return stored.text("/memory/id");
    }

    private static void embedded() {
        await().until(() -> number("SELECT count(*) FROM memory_vector WHERE vectors IS NULL") == 0);
    }

    private static long number(String query) {
        return db.sql(query).one(row -> row.number(1)).orElseThrow();
    }

    /** Returns the texts that are nearest by meaning. Both endpoints find the same. */
    private static List<String> nearest(String bank, String query, int limit) {
        return nearest(bank, query, limit, "");
    }

    private static List<String> nearest(String bank, String query, int limit, String more) {
        var found = new ArrayList<List<String>>();
        for (var api : ClientApi.values()) {
            var arguments = "{'target':{'bank':'%s'},'content':'%s','mode':'vector','page':{'limit':%d}%s}"
                    .formatted(bank, query, limit, more);
            found.add(call(api, "MB_Search", arguments).texts("/content", "text"));
        }
        assertThat(found.getFirst()).isEqualTo(found.getLast());
        return found.getFirst();
    }

    /** Takes a memory out of the index of pgvector, so that only a comparison of all vectors finds it. */
    private static void forget(long bank, String memory) {
        var deleted = db.sql("DELETE FROM memory_near_%d WHERE memory_id = CAST(:memory AS uuid)".formatted(bank))
                .set("memory", memory)
                .run();
        assertThat(deleted).isEqualTo(1);
    }

    @Test
    void pgvectorFindsTheNearestUnlessThereAreFiltersOrTooFewHits() {
        var bank = bank("found");
        var stored = call("MB_Read", "{'target':{'bank':'found'},'vx':{'name':'invoices'}}");
        assertThat(nearest("found", BILLS, 1)).containsExactly(INVOICES);
        forget(bank, stored.text("/content/0/id"));

        assertThat(nearest("found", BILLS, 2)).hasSize(2).doesNotContain(INVOICES);
        assertThat(nearest("found", BILLS, 10)).hasSize(5).contains(INVOICES);
        for (var filter : List.of(
                ",'since':'2020-01-01T00:00:00Z'",
                ",'until':'2120-01-01T00:00:00Z'",
                ",'as_of':'%s'"
                        .formatted(call("MB_Read", "{'target':{'bank':'found'},'vx':{'name':'cat'}}")
                                .text("/header/time")))) {
            assertThat(nearest("found", BILLS, 1, filter)).as(filter).containsExactly(INVOICES);
        }
        assertThat(nearest("found", BILLS + " -radiator", 1)).containsExactly(INVOICES);
    }

    @Test
    void whatIsStoredChangedDeletedOrHiddenIsSoInTheNextSearch() {
        var bank = bank("current");
        store("current", "fuel", "The emergency generator runs on diesel. Its tank holds fuel for two days.");
        assertThat(nearest("current", "which fuel does the backup power supply use", 1))
                .containsExactly("The emergency generator runs on diesel. Its tank holds fuel for two days.");

        store("current", "fuel", "Deploys are frozen on Fridays.");
        assertThat(nearest("current", "may we release before the weekend", 1))
                .containsExactly("Deploys are frozen on Fridays.");
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .isEqualTo(6);

        call("MB_Files", "{'target':{'bank':'current'},'command':'delete','path':'/memories/fuel'}");
        assertThat(nearest("current", "may we release before the weekend", 5))
                .hasSize(5)
                .doesNotContain("Deploys are frozen on Fridays.");

        call("MB_Store", """
                {'target':{'bank':'current'},'content':'We send bills on the last day.','supersedes':'%s','reason':'shorter'}
                """.formatted(call("MB_Read", "{'target':{'bank':'current'},'vx':{'name':'invoices'}}")
                .text("/content/0/id")));
        embedded();
        assertThat(nearest("current", BILLS, 5)).hasSize(5).doesNotContain(INVOICES);
    }

    @Test
    void eachPartOfALongTextIsInTheIndex() {
        var bank = bank("long");
        var filler = "The committee met again and talked about the colour of the new curtains in the hall. ".repeat(10);
        store(
                "long",
                "minutes",
                filler
                        + "The emergency generator runs on diesel. Its tank holds fuel for two days. ".repeat(3)
                        + filler);
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .isGreaterThan(7);
        var found = call(
                "MB_Search",
                "{'target':{'bank':'long'},'content':'which fuel does the backup power supply use','mode':'vector','page':{'limit':1}}");
        assertThat(found.text("/content/0/name")).isEqualTo("minutes");
    }

    @Test
    void hitsByWordsDoNotReplaceNeighboursThatPgvectorMisses() {
        var bank = bank("missed");
        var others = db.sql("SELECT CAST(id AS text) AS id FROM memory WHERE bank_id = :bank AND name <> 'cat'")
                .set("bank", bank)
                .list(row -> row.text("id"));
        others.forEach(memory -> forget(bank, memory));
        for (var api : ClientApi.values()) {
            var found = call(
                    api,
                    "MB_Search",
                    "{'target':{'bank':'missed'},'content':'When do we bill our customers for the attic and the cellar?','page':{'limit':2}}");
            assertThat(found.text("/mode")).isEqualTo("hybrid");
            assertThat(found.at("/content").valueStream())
                    .hasSize(2)
                    .allSatisfy(hit ->
                            assertThat(hit.at("/why/vector_rank").asInt(0)).isPositive());
        }
    }

    /** The transaction of a replica that is killed is rolled back, and another replica goes on from where the last one was. */
    @Test
    void anIndexIsFilledInPortionsWhileMemoriesAreStored() {
        call("MB_Create", "{'vx':{'name':'portions'}}");
        for (var i = 0; i < 3; i++) { // Not a large bank, so the engine does not fill it.
            store("portions", "n" + i, OTHERS.get(i));
        }
        var tenant = number("SELECT tenant_id FROM bank WHERE name = 'portions'");
        var bank = number("SELECT id FROM bank WHERE name = 'portions'");
        assertThat(fill(tenant, bank)).isEqualTo("filling");
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .isZero();
        assertThat(fill(tenant, bank)).isEqualTo("filling");
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .isEqualTo(1);

        store("portions", "n0", CAT);
        assertThat(fill(tenant, bank)).isEqualTo("filling");
        assertThat(fill(tenant, bank)).isEqualTo("filling");
        assertThat(fill(tenant, bank)).isEqualTo("ready");
        assertThat(fill(tenant, bank)).isEqualTo("ready");
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .isEqualTo(3);
        assertThat(number("""
                SELECT count(*) FROM memory_near_%d n JOIN memory m ON m.id = n.memory_id AND m.revision = n.revision
                """.formatted(bank))).isEqualTo(3);
    }

    /** A memory has up to 64 parts. */
    @Test
    void aPortionIsMeasuredInParts() {
        call("MB_Create", "{'vx':{'name':'parts'}}");
        for (var topic : List.of("curtains", "carpets")) {
            store(
                    "parts",
                    topic,
                    "The committee met again and talked about the new %s. "
                            .formatted(topic)
                            .repeat(60));
        }
        var tenant = number("SELECT tenant_id FROM bank WHERE name = 'parts'");
        var bank = number("SELECT id FROM bank WHERE name = 'parts'");
        assertThat(fill(tenant, bank, 3)).isEqualTo("filling");
        assertThat(fill(tenant, bank, 3)).isEqualTo("filling");
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .isGreaterThan(3);
        assertThat(number("SELECT count(DISTINCT memory_id) FROM memory_near_%d".formatted(bank)))
                .isEqualTo(1);
        assertThat(fill(tenant, bank, 3)).isEqualTo("filling");
        assertThat(number("SELECT count(DISTINCT memory_id) FROM memory_near_%d".formatted(bank)))
                .isEqualTo(2);
        assertThat(fill(tenant, bank, 3)).isEqualTo("ready");
    }

    private static String fill(long tenant, long bank) {
        return fill(tenant, bank, 1);
    }

    private static String fill(long tenant, long bank, int most) {
        return db.sql("SELECT memory_near_fill(:tenant, :bank, 'all-minilm-l6-v2-q/1', 384, :most) AS state")
                .set("most", most)
                .set("tenant", tenant)
                .set("bank", bank)
                .one(row -> row.text("state"))
                .orElseThrow();
    }

    @Test
    void theIndexOfADeletedBankIsDeletedAndThatOfAnotherModelIsMadeAnew() {
        var bank = bank("gone");
        var store = new PgvectorStore(db, MODEL, 3);
        store.purge();
        assertThat(tables(bank)).isEqualTo(1);

        call("MB_Delete", "{'target':{'bank':'gone'}}");
        call("MB_Destroy", "{'target':{'bank':'gone'}}");
        assertThat(number("SELECT count(*) FROM memory_near_%d".formatted(bank)))
                .as("no trigger deletes them one by one")
                .isEqualTo(5);
        store.purge();
        assertThat(tables(bank)).isZero();
        assertThat(number("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'memory_near_%d%%'".formatted(bank)))
                .isZero();

        var other = bank("kept");
        db.sql("UPDATE memory_near SET model = 'another' WHERE bank_id = " + other)
                .run();
        store.purge();
        await().until(() -> {
            nearest("kept", "anything", 1);
            return number(
                            "SELECT count(*) FROM memory_near WHERE model <> 'another' AND ready_at IS NOT NULL AND bank_id = "
                                    + other)
                    == 1;
        });
        assertThat(nearest("kept", BILLS, 1)).containsExactly(INVOICES);
    }

    @Test
    void theIndexOfABankThatIsFarFromLargeIsDeleted() {
        var bank = bank("shrunk");
        new PgvectorStore(db, MODEL, 16).purge();
        assertThat(tables(bank)).isEqualTo(1);
        new PgvectorStore(db, MODEL, 20).purge();
        assertThat(tables(bank)).isZero();
    }

    /** The last one: until its next start, the engine does not try again. */
    @Test
    @Order(Integer.MAX_VALUE)
    void ifTheExtensionIsDroppedAllVectorsAreCompared() {
        var bank = bank("dropped");
        forget(
                bank,
                call("MB_Read", "{'target':{'bank':'dropped'},'vx':{'name':'invoices'}}")
                        .text("/content/0/id"));
        assertThat(nearest("dropped", BILLS, 1)).doesNotContain(INVOICES);
        db.sql("DROP EXTENSION vector CASCADE").run();
        assertThat(nearest("dropped", BILLS, 1)).containsExactly(INVOICES);
        store("dropped", "fuel", "The emergency generator runs on diesel.");
        assertThat(nearest("dropped", "which fuel does the backup power supply use", 1))
                .containsExactly("The emergency generator runs on diesel.");
        new PgvectorStore(db, MODEL, 3).purge();
        assertThat(tables(bank)).isZero();
    }

    private static long tables(long bank) {
        return number(
                "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname = 'memory_near_%d'".formatted(bank));
    }

    /** The embedded PostgreSQL has no pgvector. */
    @Test
    void withoutTheExtensionItIsGivenUpAndNothingIsLeft() {
        var reason = TestDatabase.db()
                .sql("SELECT memory_near_fill(1, 1, 'm', 384, 1) AS state")
                .one(row -> row.text("state"));
        assertThat(reason).hasValueSatisfying(text -> assertThat(text).contains("\"vector\" is not available"));
        assertThat(TestDatabase.rows("memory_near")).isZero();
        assertThat(TestDatabase.rows("pg_class WHERE relname = 'memory_near_1'"))
                .isZero();
    }

    /** The same bits in the same order as those that the database takes from the stored bytes. */
    @Test
    void signaturesAreThoseOfTheVectors() {
        var vectors = List.of(new float[] {0.5f, -0.5f, 0, 1, -1}, new float[] {-1, 1, 1, 0.001f, 0.2f});
        var kept = db.sql("SELECT CAST(s.signature AS text) AS bits FROM memory_signatures(:packed) s ORDER BY s.part")
                .set("packed", Vectors.packed(vectors))
                .list(row -> Objects.requireNonNull(row.textOrNull("bits")));
        assertThat(kept).containsExactly("10010", "01101");
    }
}
