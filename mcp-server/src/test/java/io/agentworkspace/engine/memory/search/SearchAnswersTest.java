package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What MB_Search returns as an answer, and what it leaves out. */
class SearchAnswersTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    @BeforeEach
    void thereIsABank() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
    }

    private Reply store(String text, String more) {
        return ann.call("MB_Store", "{'target':{'bank':'b'},'content':%s%s}".formatted(json(text), more))
                .ok();
    }

    private void storeAll(String... texts) {
        for (var text : texts) {
            store(text, "");
        }
    }

    private static String json(String text) {
        return Json.text(text).replace("'", "\\u0027");
    }

    private Reply search(String query) {
        return search(query, "");
    }

    private Reply search(String query, String more) {
        return ann.call("MB_Search", "{'target':{'bank':'b'},'content':%s%s}".formatted(json(query), more))
                .ok();
    }

    private static List<String> texts(Reply reply) {
        return reply.at("/content")
                .valueStream()
                .map(hit -> hit.path("text").asString(""))
                .toList();
    }

    private static final List<String> IDENTIFIERS = List.of(
            "crew:run starts the workers",
            "agent-crew is the new name",
            "ADR-0005 chooses PostgreSQL",
            "the link does 12 GB/s",
            "getShippingMethodIdFromCheckout is slow",
            "MultiAgentV2 is off",
            "GE reports on Tuesday",
            "feature_flag.new-ui=true",
            "C# builds differ from others",
            "C++ and C# builds differ",
            "C++ needs the new compiler",
            "HTTPSConnection is pooled",
            "use --flag to start",
            "the flag of the ship is red",
            "Grade 1: Week 4 Update",
            "Grade 4: Week 11 Update",
            "Grade 4: Week 1 Update");

    @Test
    void identifiersAreFoundAsTheyAreWritten() {
        storeAll(IDENTIFIERS.toArray(String[]::new));
        var expected = new LinkedHashMap<String, String>();
        expected.put("crew:run", "crew:run");
        expected.put("agent-crew", "agent-crew");
        expected.put("ADR 5", "ADR-0005");
        expected.put("adr-5", "ADR-0005");
        expected.put("ADR-0005", "ADR-0005");
        expected.put("GB/s", "the link");
        expected.put("checkout", "getShipping");
        expected.put("shipping method", "getShipping");
        expected.put("getShippingMethodIdFromCheckout", "getShipping");
        expected.put("multi agent v2", "MultiAgentV2");
        expected.put("multiagentv2", "MultiAgentV2");
        expected.put("GE", "GE reports");
        expected.put("new-ui", "feature_flag");
        expected.put("feature flag new ui", "feature_flag");
        expected.put("C++", "C++");
        expected.put("HTTPSConnection", "HTTPSConnection");
        expected.put("https connection", "HTTPSConnection");
        expected.put("--flag", "use --flag");
        expected.put("Grade 4 Week 1", "Grade 4: Week 1 ");
        expected.put("Grade 1 Week 4", "Grade 1: Week 4 ");
        expected.put("week 11", "Grade 4: Week 11");
        expected.forEach((query, text) ->
                assertThat(texts(search(query))).as(query).first().asString().startsWith(text));
        assertThat(texts(search("C#"))).first().asString().contains("C#");
    }

    /** The right one is first, and the scores are in order. */
    @Test
    void misspeltWordsAreFoundInTheOrderOfTheScores() {
        storeAll("The mechanic comes on Thursday.", "The music starts on Tuesday.", "Thirsty plants need water.");
        var found = search("mechnic Thursdy", ",'min_score':0");
        assertThat(texts(found).getFirst()).startsWith("The mechanic");
        assertThat(found.at("/content")
                        .valueStream()
                        .map(hit -> -hit.path("score").asDouble())
                        .toList())
                .isSorted();
        assertThat(texts(search("mechnic Thursdy"))).containsExactly("The mechanic comes on Thursday.");
    }

    @Test
    void nearlyEqualLinesOfALogDoNotBuryTheRule() {
        for (var i = 0; i < 30; i++) {
            storeAll(
                    "2026-05-%02d 11:0%d worker-%d exited with code 137 and was restarted".formatted(1 + i, i % 10, i));
        }
        storeAll("When a worker exited with code 137 it had too little memory: raise its limit.");
        var found = search("worker exited with code 137");
        assertThat(texts(found))
                .anyMatch(text -> text.startsWith("When a worker"))
                .hasSizeLessThan(6);
        assertThat(found.at("/content")
                        .valueStream()
                        .mapToInt(hit -> hit.path("also").size())
                        .sum())
                .isEqualTo(27);
    }

    @Test
    void whatIsNearlyTheSameIsOneHit() {
        var first = store("The deploy of the shop runs on Friday at noon after the tests.", "")
                .text("/memory/id");
        var second = store("The deploy of the shop runs on Friday at noon, after the tests!", "")
                .text("/memory/id");
        store("The deploy of the shop runs on Monday at noon after the tests.", "");
        var found = search("When does the deploy of the shop run on Friday?", ",'min_score':0");
        assertThat(texts(found)).hasSize(2);
        assertThat(List.of(
                        found.text("/content/0/id"),
                        found.at("/content/0/also/0").asString()))
                .containsExactlyInAnyOrder(first, second);
        assertThat(found.at("/content/1/also").isMissingNode()).isTrue();
    }

    @Test
    void storingShowsWhatIsNearlyTheSame() {
        var first = store("The deploy of the shop runs on Friday at noon.", ",'vx':{'name':'deploys'}");
        assertThat(first.at("/similar").isMissingNode()).isTrue();
        var second = store("The deploy of the shop runs on Friday at four.", "");
        assertThat(second.at("/similar").size()).isEqualTo(1);
        assertThat(second.text("/similar/0/id")).isEqualTo(first.text("/memory/id"));
        assertThat(second.text("/similar/0/name")).isEqualTo("deploys");
        assertThat(second.text("/similar/0/text")).startsWith("The deploy of the shop");
        assertThat(second.text("/note")).contains("deploys", "supersedes", "append");
        assertThat(second.at("/changed").asBoolean()).isTrue();
        assertThat(store("The cat sleeps in the shop.", "").at("/similar").isMissingNode())
                .isTrue();
        var replaced = store("The deploy of the shop runs on Friday at five.", ",'vx':{'name':'deploys'}");
        assertThat(replaced.at("/similar")
                        .valueStream()
                        .map(each -> each.path("id").asString())
                        .toList())
                .containsExactly(second.text("/memory/id"));
        bob.call("MB_Create", "{'vx':{'name':'own','access':'public'}}").ok();
        var elsewhere = bob.call(
                "MB_Store", "{'target':{'bank':'own'},'content':'The deploy of the shop runs on Friday at noon.'}");
        assertThat(elsewhere.ok().at("/similar").isMissingNode()).isTrue();
    }

    @Test
    void onlyHitsThatReachTheThresholdAreReturned() {
        storeAll("The deploy of the shop runs on Friday.", "The shop sells tea.", "The cat sleeps in the shop.");
        var query = "When does the deploy of the shop run?";
        assertThat(texts(search(query))).hasSize(1);
        var all = search(query, ",'min_score':0");
        assertThat(texts(all)).hasSize(3);
        assertThat(all.at("/near").isMissingNode()).isTrue();
        var best = all.at("/best_score").asDouble();
        assertThat(texts(search(query, ",'min_score':%s".formatted(best)))).hasSize(1);
        var none = search(query, ",'min_score':1");
        assertThat(none.at("/abstain").asBoolean()).isTrue();
        assertThat(texts(none)).isEmpty();
        assertThat(none.at("/near").size()).isEqualTo(3);
        assertThat(none.text("/near/0/text")).isEqualTo("The deploy of the shop runs on Friday.");
        assertThat(none.at("/near/0/score").asDouble()).isEqualTo(best);
        ann.call("MB_Search", "{'target':{'bank':'b'},'content':'x','min_score':1.5}")
                .refused(1004, "min_score must be between 0 and 1");
    }
}
