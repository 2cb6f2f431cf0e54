package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeAs;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A correction that replaces several memories, finds those that still say the same, and comes before them in a search. */
class CorrectionTest {
    private static final String OLD = "The billing database listens on port 5432.";
    private static final String NEW = "The billing database listens on port 5433.";
    private static final String COPY = "Remember: billing database port 5432 for the nightly export.";
    private static final String DAY = "2026-01-02T03:04:05Z";
    private static final String QUESTION = "billing database port 5432 export";

    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    @BeforeEach
    void thereAreTwoAgentsAndABank() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
    }

    private static String id(Reply stored) {
        return stored.ok().text("/memory/id");
    }

    private static Reply correct(TestCaller who, String bank, String text, Object ids) {
        return who.call(
                "MB_Store",
                "{'target':{'bank':'%s'},'content':'%s','supersedes':%s}"
                        .formatted(bank, text, ids instanceof List<?> list ? quoted(list) : "'" + ids + "'"));
    }

    private static String quoted(List<?> ids) {
        return ids.stream().map(each -> "'" + each + "'").toList().toString();
    }

    private static Reply search(TestCaller who, String more) {
        return who.call("MB_Search", "{'content':'%s'%s}".formatted(QUESTION, more))
                .ok();
    }

    private static List<String> all(JsonNode ids) {
        return ids.valueStream().map(JsonNode::asString).toList();
    }

    private Reply read(String id) {
        return ann.call("MB_Read", "{'target':{'bank':'b'},'id':'%s'}".formatted(id))
                .ok();
    }

    @Test
    void oneMemoryReplacesSeveralOrNone() {
        var first = id(store(ann, "b", OLD));
        var second = id(store(ann, "b", "Billing DB: port 5432."));
        var third = id(store(ann, "b", "Something about the harbour."));
        assertThat(correct(ann, "b", NEW, List.of(first, "00000000-0000-4000-8000-000000000000"))
                        .code())
                .isEqualTo(3001);
        assertThat(correct(ann, "b", NEW, List.of()).code()).isEqualTo(1004);
        assertThat(correct(ann, "b", NEW, Collections.nCopies(21, first)).code())
                .isEqualTo(1005);
        assertThat(read(first).at("/content/0/superseded_by").isMissingNode()).isTrue();

        var corrected = correct(ann, "b", NEW, List.of(second, first, second)).ok();
        var by = corrected.text("/memory/id");
        assertThat(corrected.text("/memory/supersedes")).isEqualTo(second);
        assertThat(all(corrected.at("/memory/supersedes_all"))).containsExactly(second, first);
        assertThat(all(read(by).at("/content/0/supersedes_all"))).containsExactly(second, first);
        assertThat(read(first).text("/content/0/superseded_by")).isEqualTo(by);
        assertThat(read(second).text("/content/0/superseded_by")).isEqualTo(by);
        assertThat(correct(ann, "b", NEW, List.of(third, first)).code()).isEqualTo(3003);
        assertThat(read(third).at("/content/0/superseded_by").isMissingNode()).isTrue();

        var alone =
                correct(ann, "b", "Something else about the harbour.", third).ok();
        assertThat(alone.text("/memory/supersedes")).isEqualTo(third);
        assertThat(alone.at("/memory/supersedes_all").isMissingNode()).isTrue();
        assertThat(read(alone.text("/memory/id"))
                        .at("/content/0/supersedes_all")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void whatStillSaysTheSameIsNamedInBanksThatTheCallerMayWrite() {
        bank(ann, "mine");
        bank(bob, "theirs", "public");
        var copy = id(store(ann, "b", COPY));
        var elsewhere = id(store(ann, "mine", "billing DB port = 5432"));
        store(ann, "b", "The orders database listens on port 6000.").ok();
        store(ann, "b", "The billing database moved to port 5433 today.").ok();
        store(bob, "theirs", OLD).ok();
        var first = id(store(ann, "b", OLD));
        assertThat(store(ann, "b", "A word.").ok().at("/still_said").isMissingNode())
                .isTrue();

        var corrected = correct(ann, "b", NEW, first).ok();
        assertThat(corrected.texts("/still_said", "id")).containsExactlyInAnyOrder(copy, elsewhere);
        assertThat(corrected.texts("/still_said", "bank")).containsExactlyInAnyOrder("b", "mine");
        assertThat(corrected.at("/still_said/0/score").asDouble()).isBetween(0.6, 1.0);
        assertThat(corrected.text("/note")).contains("still say what was replaced");
        var again =
                correct(ann, "b", "The billing port is 5433.", List.of(copy)).ok();
        assertThat(again.texts("/still_said", "id")).doesNotContain(copy, first);
    }

    @Test
    void aCopyOfTheLastSentenceOfALongTextIsFound() {
        var log = "The harbour log tells of the weather, the ferries and the guests of the day. ".repeat(20);
        for (var i = 0; i < 35; i++) {
            store(ann, "b", "Log %d: the weather, the ferries and the guests of the day.".formatted(i))
                    .ok();
        }
        var copy = id(store(ann, "b", COPY));
        var old = id(store(ann, "b", log + OLD));
        assertThat(correct(ann, "b", log + NEW, old).ok().texts("/still_said", "id"))
                .containsExactly(copy);
    }

    @Test
    void aCorrectionComesBeforeWhatStillSaysTheOldValue() {
        var cleo = fixture.tenant.person(ClientApi.REST, "cleo", Role.MEMBER); // Times are hers alone.
        bank(cleo, "c");
        var copy = id(store(cleo, "c", COPY));
        var first = id(store(cleo, "c", OLD));
        assertThat(search(cleo, "").text("/content/0/id")).isEqualTo(copy);
        var before = cleo.call("MB_Read", "{'target':{'bank':'c'},'id':'%s'}".formatted(first))
                .ok()
                .text("/content/0/created_at");
        var by = id(correct(cleo, "c", NEW, first));
        var found = search(cleo, "");
        assertThat(found.texts("/content", "id")).startsWith(by, copy);
        assertThat(found.text("/content/1/why/replaced_by")).isEqualTo(by);
        assertThat(found.at("/content/0/why/replaced_by").isMissingNode()).isTrue();
        assertThat(search(cleo, ",'page':{'limit':1}").texts("/content", "id")).containsExactly(by);
        var then = search(cleo, ",'as_of':'%s'".formatted(before));
        assertThat(then.text("/content/0/id")).as("as it was then").isEqualTo(copy);
        assertThat(then.at("/content/0/why/replaced_by").isMissingNode()).isTrue();
        cleo.call("MB_Delete", "{'target':{'bank':'c'},'memory':'%s'}".formatted(by))
                .ok();
        assertThat(search(cleo, "").at("/content/0/why/replaced_by").isMissingNode())
                .isTrue();
    }

    /** Who does not see a correction is not shown that there is one. A copy that is hidden or expired is not named either. */
    @Test
    void whatIsCensoredOrExpiredNeitherCorrectsNorIsACopy() {
        var copy = id(store(ann, "b", COPY));
        var by = id(correct(ann, "b", NEW, id(store(ann, "b", OLD))));
        assertThat(search(ann, "").texts("/content", "id")).startsWith(by, copy);
        ann.call("MB_Censor", "{'target':{'bank':'b'},'memory':'%s'}".formatted(by))
                .ok();
        var censored = search(ann, "");
        assertThat(censored.texts("/content", "id")).contains(copy).doesNotContain(by);
        assertThat(censored.at("/content/0/why/replaced_by").isMissingNode()).isTrue();
        ann.call("MB_Uncensor", "{'target':{'bank':'b'},'memory':'%s'}".formatted(by))
                .ok();
        assertThat(search(ann, "").texts("/content", "id")).startsWith(by, copy);
        expire("5433");
        var expired = search(ann, "");
        assertThat(expired.text("/content/0/id")).isEqualTo(copy);
        assertThat(expired.at("/content/0/why/replaced_by").isMissingNode()).isTrue();

        expire("nightly");
        var censoredCopy = id(store(ann, "b", "Note: the billing database uses port 5432."));
        ann.call("MB_Censor", "{'target':{'bank':'b'},'memory':'%s'}".formatted(censoredCopy))
                .ok();
        var again = correct(ann, "b", NEW, id(store(ann, "b", OLD))).ok();
        assertThat(again.at("/still_said").isEmpty() || again.at("/still_said").isMissingNode())
                .isTrue();
    }

    private static void expire(String word) {
        TestDatabase.db()
                .sql("UPDATE memory SET expires_at = now() - INTERVAL '1 hour' WHERE text LIKE '%' || :word || '%'")
                .set("word", word)
                .run();
    }

    @Test
    void aReplayAnswersTheSameAndSupersedesNothing() {
        var copy = id(store(ann, "b", COPY));
        var old = id(store(ann, "b", OLD));
        var request =
                "{'target':{'bank':'b'},'content':'%s','supersedes':'%s','idempotency_key':'once'}".formatted(NEW, old);
        var first = ann.call("MB_Store", request).ok();
        assertThat(first.texts("/still_said", "id")).containsExactly(copy);
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memory':'%s'}".formatted(copy))
                .ok();
        var replayed = ann.call("MB_Store", request).ok();
        assertThat(replayed.text("/memory/id")).isEqualTo(id(first));
        assertThat(replayed.at("/still_said")).isEqualTo(first.at("/still_said"));
        assertThat(search(ann, ",'min_score':0").texts("/content", "id")).containsExactly(id(first));
    }

    /** Bo may only add. What he supersedes of his own says nothing about Ada's memory, in this bank or from another. */
    @Test
    void whoMayNotReplaceAMemoryDoesNotLowerIt() {
        grant(ann, "b", "Bo", "append").ok();
        bank(bob, "theirs", "public");
        var copy = id(storeAs(ann, "b", "Ada", COPY));
        var own = id(storeAs(bob, "b", "Bo", OLD));
        var by = id(bob.call(
                "MB_Store",
                "{'target':{'bank':'b','agent':'Bo'},'content':'%s','supersedes':'%s'}".formatted(NEW, own)));
        var other = id(store(bob, "theirs", OLD));
        correct(bob, "theirs", NEW, other).ok();
        assertThat(search(ann, "").text("/content/0/id")).isEqualTo(copy);
        assertThat(search(ann, "").at("/content/0/why/replaced_by").isMissingNode())
                .isTrue();
        grant(ann, "b", "Bo", "write").ok();
        assertThat(search(ann, ",'target':{'bank':'b'}").text("/content/0/id"))
                .as("now he may replace it")
                .isEqualTo(by);
    }

    /** The first correction in turn says what the second one superseded. */
    @Test
    void theLastOfTwoCorrectionsComesFirst() {
        var cleo = fixture.tenant.person(ClientApi.REST, "cleo", Role.MEMBER);
        bank(cleo, "c");
        var copy = id(store(cleo, "c", COPY));
        var one = id(correct(cleo, "c", NEW, id(store(cleo, "c", OLD))));
        var newer = id(store(cleo, "c", "The billing database listens on the port 5433 now."));
        var other = id(correct(cleo, "c", "The billing database listens on port 5434.", newer));
        assertThat(search(cleo, "").texts("/content", "id")).startsWith(other, one, copy);
    }

    /** Emil may only add. */
    @Test
    void anImportDoesNotLowerTheMemoryOfAnother() {
        var cleo = fixture.tenant.person(ClientApi.REST, "cleo", Role.MEMBER);
        var emil = fixture.tenant.person(ClientApi.REST, "emil", Role.MEMBER);
        agent(emil, "Em1", "public");
        agent(emil, "Em2");
        bank(cleo, "c");
        grant(cleo, "c", "Em1", "append").ok();
        var copy = id(store(cleo, "c", COPY));
        var old = UUID.randomUUID();
        var by = UUID.randomUUID();
        var both = line(old, "Em1", OLD, ",'superseded_by':'%s','superseded_at':'%s'".formatted(by, DAY)) + "\n"
                + line(by, "Em2", NEW, ",'supersedes':'%s'".formatted(old));
        assertThat(importing(emil, both).number("/stored")).isEqualTo(2);
        assertThat(search(cleo, "").text("/content/0/id")).isEqualTo(copy);

        var known = id(correct(cleo, "c", "The tide is high.", id(store(cleo, "c", "The tide is low."))));
        for (var id : List.of(known, known.toUpperCase(Locale.ROOT))) {
            var report = importing(emil, line(UUID.randomUUID(), "Em1", COPY, ",'superseded_by':'%s'".formatted(id)));
            assertThat(report.number("/stored")).isZero();
            assertThat(report.text("/refusals/0/note")).contains("write");
        }
        assertThat(importing(emil, line(UUID.randomUUID(), "Em1", COPY, ",'superseded_by':'x'"))
                        .number("/refused"))
                .isEqualTo(1);
        assertThat(importing(cleo, line(UUID.randomUUID(), "cleo", COPY, ",'superseded_by':'%s'".formatted(known)))
                        .number("/stored"))
                .isEqualTo(1);
    }

    private static String line(UUID id, String author, String text, String more) {
        return "{'id':'%1$s','revision':1,'author':'%2$s','text':'%3$s','tags':[],'created_at':'%4$s','updated_at':'%4$s'%5$s}"
                .formatted(id, author, text, DAY, more)
                .replace('\'', '"');
    }

    private static Reply importing(TestCaller who, String lines) {
        var input = Json.object().put("format", "engine").put("data", lines);
        input.putObject("target").put("bank", "c");
        return who.call("MB_Import", input).ok();
    }

    @Test
    void whoMayNotReadGetsNoTextsOfOtherBanks() {
        var dan = fixture.tenant.person("dan", Role.MEMBER, "bank:write");
        bank(dan, "d");
        bank(dan, "elsewhere");
        var copy = id(store(dan, "d", COPY));
        store(dan, "elsewhere", COPY).ok();
        var corrected = correct(dan, "d", NEW, id(store(dan, "d", OLD))).ok();
        assertThat(corrected.texts("/still_said", "id")).containsExactly(copy);
    }

    @Test
    void whatIsAppendedCountsWithTheTextBefore() {
        var copy = id(store(ann, "b", "Billing database port: 5432, owner Ada."));
        storeNamed(ann, "b", "", "billing", "The owner of the billing database is Ada.")
                .ok();
        var old = id(store(ann, "b", "Billing database: owner Ada, port 5432."));
        var appended = ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b'},'vx':{'name':'billing'},'mode':'append','content':'%s','supersedes':'%s'}"
                                .formatted(NEW, old))
                .ok();
        assertThat(appended.texts("/still_said", "id")).containsExactly(copy);
    }

    @Test
    void ofTwoCallsAtOnceOneSupersedes() {
        var cleo = fixture.tenant.person(ClientApi.REST, "cleo", Role.MEMBER);
        bank(cleo, "c");
        var old = id(store(cleo, "c", OLD));
        var calls = new ArrayList<CompletableFuture<Reply>>();
        TestDatabase.db().transaction(() -> {
            var _ = TestDatabase.db()
                    .sql("SELECT id FROM memory WHERE tenant_id = :tenant AND id = :id FOR UPDATE")
                    .set("tenant", fixture.tenant.id(ClientApi.REST))
                    .set("id", UUID.fromString(old))
                    .one(row -> row.uuid("id"));
            for (var text : List.of(NEW, "The billing database has port 5434.")) {
                calls.add(CompletableFuture.supplyAsync(() -> correct(cleo, "c", text, old)));
            }
            await().until(() -> TestDatabase.db()
                    .sql(
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE OF m%'")
                    .one(row -> row.number(1) == 2)
                    .orElse(false));
            return true;
        });
        assertThat(calls.stream().map(call -> call.join().code())).containsExactlyInAnyOrder(0, 3003);
    }
}
