package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.BusyDatabase;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MB_Search by meaning, on two replicas with the model that ships with the engine. */
@Tag("slow")
class VectorSearchTest {
    private static final String DEPLOYS = "Deploys are frozen on Fridays.";
    private static final String INVOICES = "The invoice run is on the last working day of each month.";
    private static final int LETTERS = 60;
    private static final String ESPRESSO = "The espresso machine needs descaling every eight weeks.";

    @TempDir
    private static Path directory;

    private static App app;
    private static App other;
    private static String first;

    private static TestTenant tenant;
    private static String key;

    /** All memories are stored at once and embedded together, since this is what takes long. */
    @BeforeAll
    static void start() {
        // What other tests stored waits for vectors too, and would come first.
        TestDatabase.db().sql("DELETE FROM memory_vector WHERE vectors IS NULL").run();
        app = replica("one");
        other = replica("two");
        tenant = new TestTenant();
        key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        for (var bank : List.of("b", "c")) {
            call(app, "MB_Create", "{'vx':{'name':'%s'}}".formatted(bank));
        }
        first = store("b", DEPLOYS, ",'vx':{'name':'freeze'}")
                .at("/memory/updated_at")
                .asString();
        store("b", "Bicycles belong into the cellar.", ",'vx':{'name':'freeze'}");
        store("b", INVOICES, "");
        store("b", "Our cat sleeps on the radiator.", "");
        store("b", ESPRESSO, ",'vx':{'tags':['kitchen']}");
        var filler = "The committee met again and talked about the colour of the new curtains in the hall. ".repeat(10);
        var generator = "The emergency generator runs on diesel. Its tank holds fuel for two days. ".repeat(3);
        store("b", filler + generator + filler, ",'vx':{'name':'minutes'}");
        call(app, "AP_Create", "{'vx':{'name':'Eve','description':'d'}}");
        call(app, "MB_Store", "{'target':{'bank':'c','agent':'Eve'},'content':'Passwords are printed on the wall.'}");
        store("c", "Our cat sleeps on the radiator.", "");
        embedded();
    }

    private static App replica(String name) {
        return TestServer.start(Map.of(
                "ENGINE_EMBEDDING",
                "builtin",
                "ENGINE_METRICS_LISTEN",
                "127.0.0.1:0",
                "ENGINE_DATA_DIR",
                directory.resolve(name).toString()));
    }

    @AfterAll
    static void stop() {
        app.close();
        other.close();
    }

    private static Reply call(App where, String service, String arguments) {
        return call(ClientApi.REST, where, service, arguments);
    }

    private static Reply call(ClientApi api, App where, String service, String arguments) {
        var json = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return api.call(where.baseUrl(), key, service, json).ok();
    }

    private static Reply store(String bank, String text, String more) {
        return call(app, "MB_Store", "{'target':{'bank':'%s'},'content':'%s'%s}".formatted(bank, text, more));
    }

    private static void embedded() {
        Awaitility.await()
                .until(() -> TestDatabase.db()
                                .sql(
                                        "SELECT count(*) AS n FROM memory_vector WHERE tenant_id = :tenant AND vectors IS NULL")
                                .set("tenant", tenant.id(ClientApi.REST))
                                .one(row -> row.number("n"))
                                .orElseThrow()
                        == 0);
        for (var where : List.of(app, other)) { // The model is loaded in the background of the first search.
            Awaitility.await()
                    .until(() -> call(where, "MB_Search", "{'content':'anything'}")
                            .text("/mode")
                            .equals("hybrid"));
        }
    }

    private static List<String> texts(Reply reply) {
        return reply.at("/content")
                .valueStream()
                .map(hit -> hit.path("text").asString())
                .toList();
    }

    private static Reply search(App where, String query, String more) {
        return search(where, "b", query, more);
    }

    private static List<String> hits(Reply reply) {
        return reply.at("/content")
                .valueStream()
                .map(hit -> "%s %s %s".formatted(hit.path("id"), hit.path("score"), hit.at("/why/vector_rank")))
                .toList();
    }

    /** Both endpoints find the same. */
    private static Reply search(App where, String bank, String query, String more) {
        var arguments = "{'target':{'bank':'%s'},'content':'%s'%s}".formatted(bank, query, more);
        var overRest = call(ClientApi.REST, where, "MB_Search", arguments);
        var overMcp = call(ClientApi.MCP, where, "MB_Search", arguments);
        assertThat(hits(overMcp)).isEqualTo(hits(overRest));
        assertThat(overMcp.text("/mode")).isEqualTo(overRest.text("/mode"));
        return overRest;
    }

    @Test
    void whatIsSupersededDoesNotCrowdOutWhatIsCurrent() {
        call(app, "MB_Create", "{'vx':{'name':'log'}}");
        var last = store("log", "ERR-4711 at the pump.", "").text("/memory/id");
        for (var i = 0; i < 45; i++) {
            last = store("log", "ERR-4711 at the pump.", ",'supersedes':'%s','reason':'seen again'".formatted(last))
                    .text("/memory/id");
        }
        for (var i = 0; i < 20; i++) {
            store("log", "Kitten number %d purrs.".formatted(i), "");
        }
        embedded();
        assertThat(hits(search(app, "log", "ERR-4711 feline animals", ",'min_score':0")))
                .anyMatch(found(last));
        assertThat(hits(search(app, "log", "ERR-4711 feline animals", ",'min_score':0,'mode':'text'")))
                .anyMatch(found(last));
    }

    private static Predicate<String> found(String id) {
        return hit -> hit.contains(id);
    }

    /** The first repeats a rare word, and the second has more of the words: both searches put the same one first. */
    @Test
    void whatIsFoundByWordsHasTheSameOrderWithoutAModel() {
        call(app, "MB_Create", "{'vx':{'name':'words'}}");
        for (var text : List.of(
                "Harbour, harbour, harbour, harbour, harbour, harbour, harbour, harbour.",
                "One tide report came for you and me.",
                "That harbour was painted in white and blue.",
                "We saw the tide come in and go.",
                "Her report is lost in the big cellar.",
                "A report that nobody has read until now.",
                "This report is about the roof and gutters.",
                "The cat is asleep on the warm stove.",
                "You can buy bread at the corner shop.",
                "It was a long day for the crew.")) {
            store("words", text, "");
        }
        embedded();
        var arguments = "{'target':{'bank':'words'},'min_score':0,'content':'the tide report of the harbour'%s}";
        var withModel = call(app, "MB_Search", arguments.formatted(",'mode':'text'"));
        var without = ClientApi.REST
                .call(
                        TestServer.url(),
                        key,
                        "MB_Search",
                        Json.readObject(
                                arguments.formatted("").replace('\'', '"').getBytes(StandardCharsets.UTF_8)))
                .ok();
        assertThat(without.text("/mode")).isEqualTo("text");
        assertThat(texts(withModel)).hasSize(7).isEqualTo(texts(without));
    }

    /** Each is tried again at once, and not when the lease expires: nobody counts it as a second attempt. */
    @Test
    void whatABusyDatabaseRefusesIsGivenBack() {
        var stored = new ArrayList<String>();
        BusyDatabase.refusing("memory_vector", "NEW.vectors IS NOT NULL", 4, () -> {
            for (var i = 0; i < 3; i++) {
                stored.add(store("c", "Number %d. ".formatted(i) + "The ferry leaves at noon. ".repeat(30), "")
                        .at("/memory/id")
                        .asString());
            }
            embedded();
        });
        assertThat(TestDatabase.db()
                        .sql("""
                SELECT attempts FROM memory_vector WHERE tenant_id = :tenant AND memory_id = ANY (CAST(:stored AS uuid[]))
                """)
                        .set("tenant", tenant.id(ClientApi.REST))
                        .set("stored", stored)
                        .list(row -> row.number("attempts")))
                .containsExactly(1L, 1L, 1L);
    }

    @Test
    void whatIsMeantIsFoundInOtherWordsOnEveryReplica() {
        for (var where : List.of(app, other)) {
            var found = search(where, "When do we bill our customers?", "");
            assertThat(found.at("/mode").asString()).isEqualTo("hybrid");
            assertThat(texts(found).getFirst()).isEqualTo(INVOICES);
            assertThat(found.at("/content/0/why/vector_rank").asInt()).isEqualTo(1);
            assertThat(found.at("/content/0/why/text_rank").isMissingNode()).isTrue();
            assertThat(texts(search(where, "pets at home", ",'mode':'vector'")).getFirst())
                    .startsWith("Our cat");
            assertThat(texts(search(where, "When do we bill our customers?", ",'mode':'text'")))
                    .doesNotContain(INVOICES);
        }
    }

    /** What was just stored is found by its meaning: the search waits for its vector. */
    @Test
    void whatWasJustStoredIsFoundByItsMeaning() {
        call(app, "MB_Create", "{'vx':{'name':'fresh'}}");
        for (var text : List.of(
                "Our cat sleeps on the radiator.",
                "The emergency generator runs on diesel, and its tank holds fuel for two days. ".repeat(10),
                INVOICES)) {
            store("fresh", text, "");
            store("fresh", text + " ", ",'vx':{'tags':['again']}");
        }
        var question = "{'target':{'bank':'fresh'},'content':'when do we bill our customers'}";
        Awaitility.await()
                .until(() -> call(app, "MB_Search", question).at("/pending").isMissingNode());
        var found = call(app, "MB_Search", question);
        assertThat(texts(found).getFirst()).startsWith("The invoice run");
        assertThat(found.at("/content/0/also").size()).isEqualTo(1);
    }

    @Test
    void filtersAndExclusionsHoldForMeaningToo() {
        assertThat(texts(search(app, "when do we bill", ",'min_score':0,'vx':{'tags':['kitchen']}")))
                .containsExactly(ESPRESSO);
        assertThat(texts(search(app, "when do we bill -invoice", ",'min_score':0")))
                .noneMatch(text -> text.contains("invoice"));
        assertThat(texts(search(app, "when do we bill tag:kitchen", ",'min_score':0,'mode':'vector'")))
                .hasSize(1);
    }

    @Test
    void anEarlierTextIsFoundByItsMeaningAtItsTime() {
        var now = search(app, "may we release before the weekend", ",'mode':'vector'");
        assertThat(texts(now)).doesNotContain(DEPLOYS);
        var past = search(app, "may we release before the weekend", ",'mode':'vector','as_of':'%s'".formatted(first));
        assertThat(texts(past)).containsExactly(DEPLOYS);
    }

    @Test
    void whatIsCensoredIsNotFoundByItsMeaning() {
        var query = "where are the credentials";
        assertThat(texts(search(app, "c", query, ""))).anyMatch(text -> text.startsWith("Passwords"));
        call(app, "MB_Censor", "{'target':{'bank':'c','agent':'Eve'}}");
        for (var where : List.of(app, other)) {
            assertThat(texts(search(where, "c", query, ",'min_score':0")))
                    .isNotEmpty()
                    .noneMatch(text -> text.startsWith("Passwords"));
        }
    }

    @Test
    void longTextsAreFoundByAnyOfTheirParts() {
        assertThat(search(app, "which fuel does the backup power supply use", ",'mode':'vector'")
                        .at("/content/0/name")
                        .asString())
                .isEqualTo("minutes");
    }

    @Test
    void theMetricsSayWhatWaitsAndWhetherTheModelIsLoaded() throws Exception {
        var request = HttpRequest.newBuilder(URI.create(
                "http://127.0.0.1:%d/metrics".formatted(app.metricsPort().orElseThrow())));
        try (var client = HttpClient.newHttpClient()) {
            Awaitility.await().untilAsserted(() -> {
                search(app, "anything", ""); // Uses the model, which is unloaded after two minutes without use.
                assertThat(client.send(request.build(), BodyHandlers.ofString()).body())
                        .contains("engine_embedding_model_loaded 1", "engine_embedding_waiting ")
                        .contains("at most 10,000 are counted")
                        .contains("engine_embedding_lag_seconds ");
            });
        }
    }

    /** The model gets any text that a query can be. */
    @Test
    void noScriptFails() {
        var letters = new EnumMap<Character.UnicodeScript, StringBuilder>(Character.UnicodeScript.class);
        IntStream.rangeClosed(' ' + 1, Character.MAX_CODE_POINT)
                .filter(Character::isLetter)
                .forEach(character -> {
                    var text = letters.computeIfAbsent(Character.UnicodeScript.of(character), _ -> new StringBuilder());
                    if (text.length() < LETTERS) {
                        text.appendCodePoint(character);
                    }
                });
        letters.forEach((script, text) -> {
            var found = call(app, "MB_Search", "{'target':{'bank':'b'},'content':'%s'}".formatted(text));
            assertThat(found.at("/abstain").isBoolean()).as(script.name()).isTrue();
        });
    }
}
