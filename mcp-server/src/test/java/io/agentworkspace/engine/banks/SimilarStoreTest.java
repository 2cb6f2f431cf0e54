package io.agentworkspace.engine.banks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.memory.search.TextAnalysis;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which memories storing finds to be nearly the same, by their sketches. */
class SimilarStoreTest {
    private static final String TEXT = "The nightly backup of the shop ended at four without errors.";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    SimilarStoreTest() {
        for (var bank : List.of("log", "other")) {
            ann.call("MB_Create", "{'vx':{'name':'%s'}}".formatted(bank)).ok();
        }
    }

    private Reply store(String bank, String text, String more) {
        return ann.call("MB_Store", "{'target':{'bank':'%s'},'content':'%s'%s}".formatted(bank, text, more))
                .ok();
    }

    private static List<String> similar(Reply stored) {
        return stored.texts("/similar", "id");
    }

    private Statement sql(String statement) {
        return TestDatabase.db().sql(statement).set("tenant", tenant.id(ClientApi.REST));
    }

    private long count(String condition) {
        return sql("SELECT count(*) AS n FROM memory WHERE tenant_id = :tenant AND " + condition)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    @Test
    void onlyMemoriesOfTheSameBankAreFoundWhateverTheirNumbers() {
        var first = store("log", TEXT, "");
        assertThat(similar(first)).isEmpty();
        assertThat(similar(store("other", TEXT, ""))).isEmpty();
        var second = store("log", TEXT.replace("four", "4:15"), "");
        assertThat(similar(second)).containsExactly(first.text("/memory/id"));
        assertThat(similar(store("log", "Something else was said about the harbour.", "")))
                .isEmpty();
    }

    /** So looking stays quick in a bank of equal lines, and three of them are found all the same. */
    @Test
    void ofManyEqualLinesOnlySomeHaveSketches() {
        var last = IntStream.range(0, 30)
                .mapToObj(n -> store("log", TEXT + " Run " + n + ".", ""))
                .toList()
                .getLast();
        assertThat(similar(last)).hasSize(3);
        assertThat(count("sketch <> '{}'")).isEqualTo(16);
        assertThat(count("sketch = '{}'")).isEqualTo(14);
    }

    /** As of memories that are loaded, imported or appended to, or come from an earlier version. */
    @Test
    void missingSketchesAreMadeAndNothingElseChanges() {
        store("log", "Another text.", ",'vx':{'name':'note'}");
        store("log", TEXT, ",'vx':{'name':'note'},'mode':'append'");
        var id = store("log", TEXT, "").text("/memory/id");
        var before = changes();
        sql("UPDATE memory SET sketch = NULL WHERE tenant_id = :tenant AND sketch IS NOT NULL")
                .quiet()
                .run();
        await().until(() -> {
            new SimilarStore(TestDatabase.db(), TextAnalysis::likeness).complete(Instant.now());
            return count("sketch IS NULL") == 0; // The engine of the tests may be making them, too.
        });
        assertThat(similar(store("log", TEXT.replace("four", "five"), ""))).contains(id);
        assertThat(changes()).containsAll(before);
    }

    private List<String> changes() {
        return sql("SELECT id || ' ' || change AS change FROM memory WHERE tenant_id = :tenant")
                .list(row -> row.text("change"));
    }
}
