package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.banks.BankFixture;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.use.FoundCounts;
import io.agentworkspace.engine.memory.banks.use.MemoryUseStore;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.CurrentIndexes;
import io.agentworkspace.engine.memory.search.index.IndexBuilder;
import io.agentworkspace.engine.memory.search.index.IndexCache;
import io.agentworkspace.engine.memory.search.index.IndexQueries;
import io.agentworkspace.engine.memory.search.index.SearchedBankStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.IdleTool;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Searches in a bank that is too large to be indexed while they wait; here it is one with more than three memories. */
class IndexBuilderTest {
    private static final IndexBuilder.Limits SMALL = new IndexBuilder.Limits(3, 1 << 20);

    private final TestTenant tenants = new TestTenant();
    private final TestCaller ann = tenants.person(ClientApi.MCP, "ann", Role.MEMBER);
    private final long tenant = tenants.id(ClientApi.MCP);
    private final TestClock clock = new TestClock();
    private final IndexQueries queries = new IndexQueries(TestDatabase.db(), "m");
    private final SearchedBankStore searched = new SearchedBankStore(TestDatabase.db());

    @TempDir
    private Path folder;

    private IndexCache cache;
    private IndexBuilder builder;
    private Runner runner;

    @BeforeEach
    void thereIsABank() {
        cache = new IndexCache(queries, folder, Clock.systemUTC());
        builder = new IndexBuilder(queries, searched, cache, new HeavyWork(1), clock, SMALL);
        runner = runner(TestDatabase.db());
        BankFixture.bank(ann, "b");
        store("The tide turns at seven.", "");
        store("Ferries leave before the tide turns.", ",'vx':{'name':'ferries','tags':['Harbour','ships']}");
        store("The deployment of the shop was 100% done.", "");
        store("Tea is at four.", "");
    }

    private Runner runner(Db scanned) {
        var db = TestDatabase.db();
        var embedder = new Embedder(new EmbeddingConfig(false, null, null, null), Clock.systemUTC());
        var indexes = new CurrentIndexes(queries, cache, builder);
        var searcher = new Searcher(
                indexes,
                new WordScan(new WordScanQueries(scanned, "m"), indexes),
                new IndexedSearch(new SearchQueries(db), embedder, new Corrections(new CorrectionQueries(scanned))),
                embedder);
        return TestDatabase.runner(
                new Catalogue(new SearchTools(
                                new BankStore(db),
                                searcher,
                                new FoundCounts(new MemoryUseStore(db)),
                                new Surroundings(new NeighbourQueries(db)))
                        .tools()),
                db,
                new EventLog());
    }

    @AfterEach
    void close() {
        builder.close();
        cache.close();
    }

    private void store(String text, String more) {
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'%s'%s}".formatted(text, more))
                .ok();
    }

    /** Stores a long text. */
    private void insert(String text) {
        TestDatabase.db().sql("""
                        INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                        SELECT tenant_id, id, gen_random_uuid(), :text, '{}', owner_id, '{}', '{}', now(), now()
                          FROM bank
                         WHERE tenant_id = :tenant AND name_key = 'b'
                        """).set("tenant", tenant).set("text", text).run();
    }

    private long bank() {
        return bank("b");
    }

    private long bank(String name) {
        return TestDatabase.db()
                .sql("SELECT id FROM bank WHERE tenant_id = :tenant AND name_key = :name")
                .set("tenant", tenant)
                .set("name", name)
                .one(row -> row.number("id"))
                .orElseThrow();
    }

    private JsonNode search(String query) {
        return search(query, "'vx':{}");
    }

    private JsonNode search(String query, String more) {
        var answer = answer(query, more);
        assertThat(answer.at("/status/internal_code").asInt())
                .as(answer.toString())
                .isZero();
        return answer;
    }

    private JsonNode answer(String query, String more) {
        var arguments = Json.readObject("{\"content\":%s,%s}"
                .formatted(Json.text(query), more.replace('\'', '"'))
                .getBytes(StandardCharsets.UTF_8));
        return runner.run(new ToolRunner.Request("MB_Search", arguments, caller(), "r", true, null))
                .envelope();
    }

    private Caller caller() {
        var user = TestDatabase.db()
                .sql("SELECT id FROM app_user WHERE tenant_id = :tenant AND name_key = 'ann'")
                .set("tenant", tenant)
                .one(row -> row.number("id"))
                .orElseThrow();
        return new Caller(
                tenant,
                "t",
                user,
                "ann",
                Role.MEMBER,
                Set.of("*"),
                "session:1",
                null,
                new Credential(null, false, Toolset.EVERYTHING, false, null, false));
    }

    private static List<String> texts(JsonNode answer) {
        return answer.path("content")
                .valueStream()
                .map(hit -> hit.path("text").asString())
                .toList();
    }

    private static boolean isBuilding(JsonNode answer) {
        return answer.path("index").asString("").equals("building");
    }

    /** Runs work while the index is being built. */
    private void whileBuilding(Runnable work) {
        var lock = cache.of(tenant, bank()).lock();
        lock.lock();
        try {
            builder.begin(tenant, bank());
            await().until(lock::hasQueuedThreads);
            work.run();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void aLargeBankIsSearchedByWordsUntilItsIndexIsBuilt() {
        whileBuilding(() -> {
            var found = search("when does the tide turn");
            assertThat(isBuilding(found)).isTrue();
            assertThat(texts(found))
                    .containsExactlyInAnyOrder("The tide turns at seven.", "Ferries leave before the tide turns.");
            assertThat(texts(search("deployed"))).containsExactly("The deployment of the shop was 100% done.");
            assertThat(texts(search("\"tide turns\" -ferries"))).containsExactly("The tide turns at seven.");
            for (var tag : List.of("harbour", "HARBOUR", "hArbour", "harbour tag:Ships")) {
                assertThat(texts(search("tag:" + tag))).containsExactly("Ferries leave before the tide turns.");
            }
            assertThat(texts(search("tag:harbour tag:tea"))).isEmpty();
            assertThat(texts(search("tide", "'vx':{'tags':['Harbour']}"))).hasSize(1);
            assertThat(texts(search("name:ferries"))).containsExactly("Ferries leave before the tide turns.");
            assertThat(texts(search("fer*"))).containsExactly("Ferries leave before the tide turns.");
            assertThat(texts(search("100%"))).containsExactly("The deployment of the shop was 100% done.");
            assertThat(texts(search("zebra"))).isEmpty();
            store("Another tide.", "");
            assertThat(texts(search("tide"))).contains("Another tide.");
        });
        await().until(() -> !isBuilding(search("tide")));
        assertThat(texts(search("tide")))
                .containsExactlyInAnyOrder(
                        "The tide turns at seven.", "Ferries leave before the tide turns.", "Another tide.");
    }

    @Test
    void theFirstSearchBeginsToBuildAndASmallBankIsIndexedAtOnce() {
        assertThat(isBuilding(search("tide"))).isTrue();
        await().until(() -> !isBuilding(search("tide")));
        for (var i = 0; i < 3; i++) {
            store("low water " + i, "");
        }
        assertThat(isBuilding(search("water"))).isFalse();
        assertThat(texts(search("water"))).hasSize(3);
    }

    @Test
    void whatACallerMayNotSeeIsNotFoundMeanwhile() {
        for (var hidden : List.of("deleted", "expired", "superseded")) {
            store(hidden + " tide", "");
        }
        hide("deleted_at = now()", "deleted tide");
        hide("expires_at = now() - interval '1 day'", "expired tide");
        hide(
                "superseded_by = (SELECT n.id FROM memory n WHERE n.tenant_id = m.tenant_id AND n.text = 'Tea is at four.')",
                "superseded tide");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("MB_Store", "{'target':{'bank':'b','agent':'Ada'},'content':'censored tide'}")
                .ok();
        ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        var bob = tenants.person(ClientApi.MCP, "eve", Role.MEMBER);
        bob.call("MB_Create", "{'vx':{'name':'private','access':'private'}}").ok();
        bob.call("MB_Store", "{'target':{'bank':'private'},'content':'private tide'}")
                .ok();
        whileBuilding(() -> assertThat(texts(search("tide")))
                .containsExactlyInAnyOrder("The tide turns at seven.", "Ferries leave before the tide turns."));
    }

    private void hide(String change, String text) {
        TestDatabase.db()
                .sql("UPDATE memory m SET " + change + " WHERE m.tenant_id = :tenant AND m.text = :text")
                .set("tenant", tenant)
                .set("text", text)
                .run();
    }

    /** A file where the folder of the index is to be: nothing can be written below it, as on a full disk. */
    @Test
    void aSearchGoesOnWhileTheIndexCannotBeWritten() throws IOException {
        storeManyWords();
        cache.of(tenant, bank());
        var home = home();
        deleteAll(home);
        Files.createFile(home);
        assertThat(isBuilding(search("tide"))).isTrue();
        await().until(() -> builder.waiting() == 0);
        var found = search("tide");
        assertThat(isBuilding(found)).isTrue();
        assertThat(texts(found)).hasSize(2);
        assertThat(texts(search("tea"))).containsExactly("Tea is at four.");
        Files.delete(home);
        clock.advance(Duration.ofMinutes(1));
        await().until(() -> !isBuilding(search("tide")));
        assertThat(texts(search("tide"))).hasSize(2);
    }

    private void storeManyWords() {
        for (var i = 0; i < 20; i++) {
            var number = i;
            insert(IntStream.range(0, 6_000)
                    .mapToObj(word -> Integer.toString(number * 6_000 + word, 36) + "water")
                    .collect(Collectors.joining(" ")));
        }
    }

    private Path home() throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(file -> file.endsWith(tenant + "-" + bank()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void deleteAll(Path home) throws IOException {
        try (var files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aPortionHasAtMostAMillionBytesOfText() {
        for (var i = 0; i < 20; i++) {
            insert("water ".repeat(10_600) + i);
        }
        var read = 0;
        var after = BankIndex.IndexChange.before(0);
        while (true) {
            var portion = queries.memories(tenant, bank(), after);
            read += portion.entries().size();
            assertThat(portion.entries()).hasSizeLessThanOrEqualTo(21);
            if (portion.isLast()) {
                break;
            }
            after = portion.entries().getLast().toChange();
        }
        assertThat(read).isEqualTo(24);
        assertThat(queries.changes(tenant, bank(), BankIndex.IndexChange.before(0))
                        .isLast())
                .isFalse();
        assertThat(isBuilding(search("water"))).isTrue();
        await().until(() -> !isBuilding(search("water")));
        assertThat(search("water").at("/searched/memories").asInt()).isEqualTo(24);
    }

    @Test
    void indexesOfBanksThatWereSearchedLatelyAreBuiltAfterTheStart() {
        assertThat(isBuilding(search("tide"))).isTrue();
        await().until(() -> !isBuilding(search("tide")));
        builder.record();
        assertThat(searched.since(clock.instant().minus(Duration.ofHours(1)), 10_000))
                .contains(new SearchedBankStore.SearchedBank(tenant, bank()));
        try (var other = new IndexCache(queries, folder, Clock.systemUTC());
                var started = new IndexBuilder(queries, searched, other, new HeavyWork(1), clock, SMALL)) {
            started.start();
            await().until(() -> other.positions(tenant).getOrDefault(bank(), 0L) > 0);
            assertThat(other.used()).isEmpty();
        }
    }

    /** The small one comes after the large one. */
    @Test
    void othersAreSearchedByTheirIndexesWhileALargeOneIsBuiltAfterTheStart() {
        BankFixture.bank(ann, "small");
        ann.call("MB_Store", "{'target':{'bank':'small'},'content':'A small tide.'}")
                .ok();
        var small = new SearchedBankStore.SearchedBank(tenant, bank("small"));
        searched.record(List.of(small), clock.instant().minus(Duration.ofMinutes(1)));
        searched.record(List.of(new SearchedBankStore.SearchedBank(tenant, bank())), clock.instant());
        var lock = cache.of(tenant, bank()).lock();
        lock.lock();
        try {
            builder.start();
            await().until(lock::hasQueuedThreads);
            assertThat(isBuilding(search("tide"))).isTrue();
            var found = search("tide", "'target':{'bank':'small'}");
            assertThat(isBuilding(found)).isFalse();
            assertThat(texts(found)).containsExactly("A small tide.");
        } finally {
            lock.unlock();
        }
        await().until(() -> !isBuilding(search("tide")));
    }

    /** The words are looked for in a database that does not answer: another answer would claim that there is nothing. */
    @Test
    void nothingIsClaimedOfABankThatCouldNotBeCompared() {
        var now = Duration.ofMillis(250);
        var limits = new TimeLimits(now, now, now, now);
        BankFixture.bank(ann, "small");
        ann.call("MB_Store", "{'target':{'bank':'small'},'content':'A small tide.'}")
                .ok();
        try (var none = new Db("jdbc:postgresql://127.0.0.1:1/none", "u", "p", 1, limits)) {
            runner = runner(none);
            whileBuilding(() -> {
                var refused = answer("tide", "'target':{'bank':'b'}");
                assertThat(refused.at("/status/internal_code").asInt()).isEqualTo(5002);
                assertThat(refused.at("/status/note").asString())
                        .contains("the index of one bank is still being built", "search again in 5 seconds");

                var found = search("small tide last week", "'min_score':0");
                assertThat(texts(found)).containsExactly("A small tide.");
                assertThat(found.at("/abstain").asBoolean()).isFalse();
                assertThat(isBuilding(found)).isTrue();
                assertThat(found.at("/searched/banks").asInt()).isEqualTo(1);
                assertThat(found.has("time")).isFalse();
            });
        }
    }

    /** Half of the bytes that one search compares are in the other of two such banks. */
    @Test
    void aBankOfWhichOnlyTheNewestAreComparedIsNotComparedWhole() {
        var scan = new WordScanQueries(TestDatabase.db(), "m");
        var call = new Call(caller(), IdleTool.named("MB_Search"), "r", clock.instant());
        assertThat(scan.isWhole(call, bank(), 1)).isTrue();
        assertThat(scan.isWhole(call, bank(), 100_000)).isFalse();
    }

    @Test
    void afterItIsClosedBanksAreSearchedByWords() {
        builder.close();
        var found = search("tide");
        assertThat(isBuilding(found)).isTrue();
        assertThat(texts(found)).hasSize(2);
    }
}
