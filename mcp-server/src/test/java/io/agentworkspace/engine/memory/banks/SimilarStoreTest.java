package io.agentworkspace.engine.memory.banks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.IdleTool;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which memories storing finds to be nearly the same, by their sketches. */
class SimilarStoreTest {
    private static final String TEXT = "The nightly backup of the shop ended at four without errors.";

    private static final String WORD = "translate(md5(random()::text), '0123456789', 'ghijklmnop')";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.MEMBER);

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

    /** Notes with a common form have numbers in common, too; the text that is the same comes first all the same. */
    @Test
    void theSameTextIsFoundAmongManyOfOneForm() {
        var form = "The nightly backup of the %s ended without errors on the machine of the team for %s.";
        var first = store("log", form.formatted("shop", "sales"), "").text("/memory/id");
        for (var word : List.of("mill", "barn", "port", "dock", "yard", "farm", "inn", "club", "bank", "school")) {
            store("log", form.formatted(word, word + "s"), "");
        }
        var again = store("log", form.formatted("shop", "sales"), "");
        assertThat(similar(again)).hasSize(3).startsWith(first);
        assertThat(again.at("/similar/0/score").asDouble()).isEqualTo(1);
    }

    @Test
    void textsOfNumbersAloneAreTheSameIfTheNumbersAre() {
        var first = store("log", "1.2.3 2026-11-28", "").text("/memory/id");
        assertThat(similar(store("log", "1.2.4 2026-11-28", ""))).isEmpty();
        assertThat(similar(store("log", "1.2.3 2026-11-28", ""))).containsExactly(first);
        assertThat(similar(store("log", "!", ""))).isEmpty();
        assertThat(similar(store("log", "!", ""))).isEmpty();
    }

    @Test
    void whatReadersDoNotSeeIsNotFound() {
        var first = store("log", TEXT, "").text("/memory/id");
        var second = store("log", TEXT, ",'supersedes':'%s'".formatted(first));
        assertThat(similar(second)).as("what it supersedes").isEmpty();
        ann.call("MB_Delete", "{'target':{'bank':'log'},'memory':'%s'}".formatted(second.text("/memory/id")))
                .ok();
        var third = store("log", TEXT, ",'expires_at':'2999-01-01T00:00:00Z'");
        assertThat(similar(third)).as("deleted, and what it superseded").isEmpty();
        sql("UPDATE memory SET expires_at = now() WHERE tenant_id = :tenant AND expires_at IS NOT NULL")
                .quiet()
                .run();
        assertThat(similar(store("log", TEXT, ""))).as("expired").isEmpty();
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
            new SimilarStore(TestDatabase.db(), TextAnalysis::likeness).complete();
            return count("sketch IS NULL") == 0; // The engine of the tests may be making them, too.
        });
        assertThat(similar(store("log", TEXT.replace("four", "five"), ""))).contains(id);
        assertThat(changes()).containsAll(before);
    }

    /** As an engine of the version before does, and whatever else changes a text. */
    @Test
    void aTextThatChangesWithoutItsSketchGetsANewOne() {
        var id = store("log", "Another text about the harbour.", "").text("/memory/id");
        sql("UPDATE memory SET text = :text, revision = revision + 1, updated_at = now() WHERE tenant_id = :tenant")
                .set("text", TEXT)
                .quiet()
                .run();
        new SimilarStore(TestDatabase.db(), TextAnalysis::likeness).complete();
        assertThat(similar(store("log", TEXT, ""))).containsExactly(id);
    }

    /** Of equal texts, of texts of one form and of different ones, each in a bank of its own. */
    @Test
    void whatABankRepeatsCostsNoMoreThanDifferentTexts() {
        ann.call("MB_Create", "{'vx':{'name':'form'}}").ok();
        fill("log", "'%s'".formatted(TEXT));
        fill("other", "'%s'".formatted(TEXT.replaceAll("\\w+", "%s")).replace("%s", "' || " + WORD + " || '"));
        fill("form", "'%s'".formatted(TEXT.replace("shop", "' || " + WORD + " || '")));
        var store = new SimilarStore(TestDatabase.db(), TextAnalysis::likeness);
        await().until(() -> {
            store.complete();
            return count("sketch IS NULL") == 0;
        });
        TestDatabase.db().sql("VACUUM memory").run(); // Rows that other tests have deleted cost pages, too.
        var different = pages(store, "other", 0);
        assertThat(pages(store, "log", 3)).isLessThanOrEqualTo(different * 13 / 10);
        assertThat(pages(store, "form", 3)).isLessThanOrEqualTo(different * 2);
    }

    private void fill(String bank, String text) {
        sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                SELECT b.tenant_id, b.id, gen_random_uuid(), %s, '{}', b.owner_id, ARRAY[b.owner_id], '{}', now(), now()
                  FROM bank b, generate_series(1, 1000) i
                 WHERE b.tenant_id = :tenant AND b.name_key = '%s'
                """.formatted(text, bank)).run();
    }

    /** Returns how many pages it takes to find what is similar to the text. */
    private long pages(SimilarStore store, String bank, int similar) {
        var id = sql("SELECT id FROM bank WHERE tenant_id = :tenant AND name_key = '%s'".formatted(bank))
                .one(row -> row.number("id"))
                .orElseThrow();
        var caller = new Caller(tenant.id(ClientApi.REST), "t", 1, "ann", Role.MEMBER, Set.of("*"), "key:a", null);
        var call = new Call(caller, IdleTool.named("MB_Store"), "r", Instant.now());
        return TestDatabase.db().transaction(() -> {
            var before = fetched();
            assertThat(store.find(call, id, TextAnalysis.likeness(TEXT)).similar())
                    .hasSizeGreaterThanOrEqualTo(similar);
            return fetched() - before;
        });
    }

    private long fetched() {
        return TestDatabase.db().sql("""
                SELECT sum(pg_stat_get_xact_blocks_fetched(c.oid)) AS n FROM pg_class c WHERE c.relname LIKE 'memory%'
                """).one(row -> row.number("n")).orElseThrow();
    }

    private List<String> changes() {
        return sql("SELECT id || ' ' || change AS change FROM memory WHERE tenant_id = :tenant")
                .list(row -> row.text("change"));
    }
}
