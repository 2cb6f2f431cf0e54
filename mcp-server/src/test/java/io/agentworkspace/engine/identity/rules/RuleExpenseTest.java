package io.agentworkspace.engine.identity.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A rule that could use up the budget of a long text is refused when it is saved, and no other fails because of the length. */
class RuleExpenseTest {
    /** Costs 158 for each character. */
    private static final String DIGITS = "matches('[0-9]{300}')";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller boss = tenant.person("boss", Role.ADMIN);

    private static String rule(String name, String appliesTo, String when) {
        var rule = Json.object().put("name", name).put("when", when);
        rule.putArray("applies_to").add(appliesTo);
        return Json.text(rule);
    }

    private Reply create(String name, String appliesTo, String when) {
        return boss.call(
                "RL_Create",
                Json.readObject(rule(name, appliesTo, when).getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }

    @Test
    void aRuleAloneIsTooExpensive() {
        for (var when : List.of(
                "document.text.matches('[0-9a-f]{600}')",
                "{'a':document.text}.a.matches('[0-9a-f]{600}')",
                "document.text.contains(document.text)",
                "document.text.lower().mentions([document.name, document.text])",
                "principal.capabilities.exists(c, document.text.contains(c))",
                "[document.text].exists(t, [1,2,3,4,5,6,7,8,9,10,11,12,13].exists(n, hasSecret(t)))")) {
            create("heavy", "documents", when)
                    .refused(1004, "when is too expensive: it may examine each character of a document's text");
            boss.call("RL_Check", Json.object().put("when", when)).refused(1004, "too expensive");
        }
        create("heavy", "MB_Store", "vx.tags.exists(t, content.mentions([t, 'x', 'y']))")
                .refused(1004, "the content of MB_Store");
        create("heavy", "agent", "vx.profile.matches('[0-9]{1000}') || vx.profile.matches('[a-z]{1000}')")
                .refused(1004, "names and descriptions");
        boss.call(
                        "RL_Create",
                        "{'name':'off','applies_to':['documents'],'when':'document.text.contains(document.text)','enabled':false}")
                .ok();
    }

    /** What other rules are about does not matter, nor do rules that are switched off. */
    @Test
    void rulesAreTooExpensiveTogether() {
        create("one", "documents", "document.text." + DIGITS).ok();
        create("two", "MB_Store", "content." + DIGITS).ok();
        create("three", "AP_Chat", "content." + DIGITS).ok();
        create("four", "documents", "document.name." + DIGITS).ok();
        create("five", "documents", "document.text.mentions(['one', 'two', 'three'])")
                .ok();
        create("six", "documents", "document.text." + DIGITS)
                .refused(1004, "159 times, and other rules 167; 250 are the limit");
        var off = Json.object()
                .put("name", "six")
                .put("when", "document.text." + DIGITS)
                .put("enabled", false);
        off.putArray("applies_to").add("documents");
        var six = boss.call("RL_Create", off).ok();
        var on = Json.object().put("enabled", true);
        boss.call("RL_Update", on.put("id", six.text("/rule/id"))).refused(1004, "when is too expensive");
        create("seven", "bank", "content." + DIGITS).refused(1004, "the content of MB_Store");
        create("eight", "domain", "content." + DIGITS).ok();
    }

    @Test
    void twoThatAreSavedAtTheSameTimeAreAddedUp() throws Exception {
        var ann = tenant.person(ClientApi.REST, "ann", Role.ADMIN);
        try (var threads = Executors.newFixedThreadPool(4)) {
            var calls = IntStream.range(0, 4)
                    .mapToObj(n -> (Callable<Integer>) () -> ann.call(
                                    "RL_Create",
                                    Json.readObject(rule("r" + n, "documents", "document.text." + DIGITS)
                                            .getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                            .code())
                    .toList();
            var codes = threads.invokeAll(calls).stream()
                    .map(call -> call.resultNow())
                    .toList();
            assertThat(codes.stream().filter(code -> code == 0)).hasSize(1);
        }
    }

    /** As many words as the template can have, and as many characters as a document can have. */
    @Test
    void theLargestRulesDecideAboutTheLongestTexts() {
        var many = IntStream.range(0, 100)
                .mapToObj(n -> "'w%02d'".formatted(n))
                .collect(Collectors.joining(",", "[", "]"));
        boss.call("RL_Create", "{'name':'many','template':'block-words','parameters':{'words':%s}}".formatted(many))
                .refused(1004, "too many parts", "shorter lists");
        var words = IntStream.range(0, 90)
                .mapToObj(n -> "\"w%02d\"".formatted(n))
                .collect(Collectors.joining(",", "[", "]"));
        boss.call(
                        "RL_Create",
                        "{'name':'words','template':'block-words','parameters':{'words':%s}}"
                                .formatted(words.replace("\"", "'")))
                .ok();
        create("digits", "documents", "document.text.matches('[0-9]{90}')").ok();
        var text = "All of these words are harmless. ".repeat(5_000_000 / 33);
        var document = new DocumentRules.CheckedDocument("a.txt", "text/plain", 5, 1, "ab", text, List.of());
        var by = new DocumentRules.Submitter("ann", "member", null, null, List.of("*"));
        var verdict =
                TestDatabase.rules().documents().check(tenant.id(ClientApi.REST), document, by, Instant.now(), "r");
        assertThat(verdict.denial()).isNull();
        assertThat(Set.copyOf(verdict.noted())).isEmpty();
        // The text of DC_Submit is the longest content of a command.
        create("submitted", "DC_Submit", "content.matches('[0-9]{400}')").ok();
        tenant.person(ClientApi.REST, "carl", Role.MEMBER)
                .call("DC_Submit", Json.object().put("name", "long.txt").put("text", text.substring(0, 900_000)))
                .ok();
    }
}
