package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.calls.runner.Runner;
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
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Searches whose indexes are closed meanwhile: because a write failed in another thread, or because there are many. */
class ClosedIndexTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final long tenant = fixture.tenant.id(ClientApi.MCP);

    @TempDir
    private Path folder;

    private IndexCache cache;
    private Runner runner;

    @BeforeEach
    void thereAreTwoBanks() {
        var db = TestDatabase.db();
        var embedder = new Embedder(new EmbeddingConfig(false, null, null, null), Clock.systemUTC());
        var queries = new IndexQueries(db, embedder.id());
        cache = new IndexCache(queries, folder, Clock.systemUTC());
        var indexes = new CurrentIndexes(
                queries,
                cache,
                new IndexBuilder(
                        queries,
                        new SearchedBankStore(db),
                        cache,
                        HeavyWork.ofMachine(),
                        Clock.systemUTC(),
                        IndexBuilder.Limits.DEFAULT));
        var searcher = new Searcher(
                indexes,
                new WordScan(new WordScanQueries(db, embedder.id()), indexes),
                new IndexedSearch(new SearchQueries(db), embedder, new Corrections(new CorrectionQueries(db))),
                embedder);
        runner = TestDatabase.runner(
                new Catalogue(new SearchTools(
                                new BankStore(db),
                                searcher,
                                new FoundCounts(new MemoryUseStore(db)),
                                new Surroundings(new NeighbourQueries(db)))
                        .tools()),
                db,
                new EventLog());
        BankFixture.bank(ann, "one");
        BankFixture.bank(ann, "two");
        store("one", "tide in one");
        store("two", "tide in two");
        assertThat(found()).containsExactlyInAnyOrder("tide in one", "tide in two");
    }

    @AfterEach
    void close() {
        cache.close();
    }

    private void store(String bank, String text) {
        ann.call("MB_Store", "{'target':{'bank':'%s'},'content':'%s'}".formatted(bank, text))
                .ok();
    }

    private BankIndex index(String bank) {
        return cache.of(
                tenant,
                TestDatabase.db()
                        .sql("SELECT id FROM bank WHERE tenant_id = :tenant AND name_key = :bank")
                        .set("tenant", tenant)
                        .set("bank", bank)
                        .one(row -> row.number("id"))
                        .orElseThrow());
    }

    /** Returns the texts that a search in all banks finds. */
    private List<String> found() {
        var user = TestDatabase.db()
                .sql("SELECT id FROM app_user WHERE tenant_id = :tenant AND name_key = 'ann'")
                .set("tenant", tenant)
                .one(row -> row.number("id"))
                .orElseThrow();
        var caller = new Caller(
                tenant,
                "t",
                user,
                "ann",
                Role.MEMBER,
                Set.of("*"),
                "session:1",
                null,
                new Credential(null, false, Toolset.EVERYTHING, false, null, false));
        var arguments = Json.readObject("{\"content\":\"tide\"}".getBytes(StandardCharsets.UTF_8));
        var answer = runner.run(new ToolRunner.Request("MB_Search", arguments, caller, "r", true, null))
                .envelope();
        assertThat(answer.at("/status/internal_code").asInt())
                .as(answer.toString())
                .isZero();
        return answer.path("content")
                .valueStream()
                .map(hit -> hit.path("text").asString())
                .toList();
    }

    /** Begins a search, and returns once it waits for the index, whose lock this thread holds. */
    private CompletableFuture<List<String>> waiting(BankIndex index) {
        var search = CompletableFuture.supplyAsync(
                this::found, task -> Thread.ofVirtual().start(task));
        await().until(() -> index.lock().hasQueuedThreads());
        return search;
    }

    @Test
    void anIndexThatFailsWhileASearchWaitsForItIsOpenedAgain() {
        var two = index("two");
        two.lock().lock();
        store("two", "another tide in two");
        var search = waiting(two);
        two.close();
        two.lock().unlock();
        assertThat(search.join()).containsExactlyInAnyOrder("tide in one", "tide in two", "another tide in two");
    }

    /** The search has taken one of the banks before it waits for the other. */
    @ParameterizedTest
    @CsvSource({"one, two", "two, one"})
    void anIndexThatIsClosedDuringASearchIsStillSearched(String closed, String awaited) {
        var other = index(awaited);
        other.lock().lock();
        store(awaited, "another tide");
        var search = waiting(other);
        index(closed).close();
        other.lock().unlock();
        assertThat(search.join()).containsExactlyInAnyOrder("tide in one", "tide in two", "another tide");
    }

    /** It was not saved, so what is listed for the former index is not all that the new one needs. */
    @Test
    void anIndexThatIsOpenedAgainHasWhatTheFormerOneHad() {
        index("two").close();
        assertThat(found()).containsExactlyInAnyOrder("tide in one", "tide in two");
    }

    @Test
    void aBuildThatFailedIsBegunAgain() throws IOException {
        index("two").close();
        index("two")
                .add(List.of(new BankIndex.IndexedMemory(
                        UUID.randomUUID(), "1", null, "tide of the failed build", List.of(), 1, Instant.EPOCH, null)));
        assertThat(found()).containsExactlyInAnyOrder("tide in one", "tide in two");
        assertThat(index("two").size()).isEqualTo(1);
    }
}
