package io.agentworkspace.engine.workspace.chat.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageSearchToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    MessageSearchToolsTest() {
        DomainSetup.agents(ann, "Ada");
        DomainSetup.agent(bob, "Bee", "public");
        DomainSetup.domain(ann, "harbour", "private");
        DomainSetup.zone(ann, "harbour", "pier");
    }

    private static Reply search(TestCaller caller, String fields) {
        return caller.call("AP_Search", "{%s}".formatted(fields));
    }

    private static List<String> found(TestCaller caller, String content) {
        return search(caller, "'content':'%s'".formatted(content)).ok().texts("/content", "text");
    }

    private String say(String zone, String content) {
        return ann.call(
                        "AP_Chat",
                        "{'target':{'domain':'harbour','zone':'%s'},'content':'%s'}".formatted(zone, content))
                .ok()
                .text("/content/0/id");
    }

    private static void tell(TestCaller caller, String agent, String content) {
        caller.call("AP_Chat", "{'target':{'agent':'%s'},'content':'%s'}".formatted(agent, content))
                .ok();
    }

    @Test
    void aMessageIsFoundByItsWords() {
        say("main", "Low water is at six o’clock");
        say("pier", "High water, at noon");
        say("pier", "The pilot boat waits for low water");
        assertThat(found(ann, "water low"))
                .containsExactly("The pilot boat waits for low water", "Low water is at six o’clock");
        assertThat(found(ann, "\\\"low water\\\" -pilot")).containsExactly("Low water is at six o’clock");
        assertThat(found(ann, "\\\"water low\\\"")).isEmpty();
        assertThat(found(ann, "water -\\\"low water\\\"")).containsExactly("High water, at noon");
        assertThat(found(ann, "wat* noon")).containsExactly("High water, at noon");
        assertThat(found(ann, "-low")).containsExactly("High water, at noon");
        assertThat(found(ann, "When is the LOW water?")).hasSize(2);
        assertThat(found(ann, "!!!")).isEmpty();
        assertThat(found(ann, "submarine")).isEmpty();
    }

    @Test
    void aHitSaysWhereItIsAndWhyItWasFound() {
        var question = say("pier", "Who takes the pilot boat?");
        ann.call(
                        "AP_Chat",
                        "{'target':{'domain':'harbour','zone':'pier'},'content':'The boat is Ada’s','reply_to':'%s'}"
                                .formatted(question))
                .ok();
        var all = search(ann, "'content':'pilot boat'").ok();
        assertThat(all.texts("/content", "id")).containsExactly(question);
        assertThat(all.text("/content/0/from")).isEqualTo("ann");
        assertThat(all.text("/content/0/domain")).isEqualTo("harbour");
        assertThat(all.text("/content/0/zone")).isEqualTo("pier");
        assertThat(all.number("/content/0/seq")).isEqualTo(1);
        assertThat(all.at("/content/0/score").asDouble()).isEqualTo(1);
        assertThat(all.at("/content/0/why/terms").toString()).isEqualTo("[\"pilot\",\"boat\"]");
        assertThat(all.at("/content/0/why/highlights").toString()).isEqualTo("[[14,19],[20,24]]");
        var answer = search(ann, "'content':'boat','page':{'limit':1}").ok();
        assertThat(answer.text("/content/0/reply_to")).isEqualTo(question);
        assertThat(answer.at("/content/0").has("to")).isFalse();

        // No message has all three words: those with most come first.
        var some = search(ann, "'content':'pilot boat submarine'").ok();
        assertThat(some.texts("/content", "text")).containsExactly("Who takes the pilot boat?", "The boat is Ada’s");
        assertThat(some.at("/content/0/score").asDouble()).isEqualTo(0.667);
        assertThat(some.at("/content/1/score").asDouble()).isEqualTo(0.333);
        assertThat(search(ann, "'content':'\\\"the boat\\\" submarine'").ok().texts("/content", "text"))
                .containsExactly("The boat is Ada’s");
    }

    @Test
    void aLongTextIsShownInPart() {
        say("main", "Nothing here. ".repeat(400) + "The zebra is at the gate." + " Nothing there.".repeat(400));
        var hit = search(ann, "'content':'zebra','max_tokens':100").ok();
        assertThat(hit.at("/content/0").has("text")).isFalse();
        assertThat(hit.text("/content/0/snippet")).contains("zebra").hasSizeLessThanOrEqualTo(400);
    }

    @Test
    void pagesContinueUntilTheLast() {
        for (var i = 1; i <= 7; i++) {
            say(i % 2 == 0 ? "main" : "pier", "buoy " + i + (i < 4 ? " red" : ""));
        }
        for (var query : List.of("'content':'buoy'", "'since':'2000-01-01T00:00:00Z'", "'content':'-green'")) {
            assertThat(paged(query))
                    .as(query)
                    .containsExactly("buoy 7", "buoy 6", "buoy 5", "buoy 4", "buoy 3 red", "buoy 2 red", "buoy 1 red");
        }
        // Of the words, each message has one or two.
        assertThat(paged("'content':'buoy red green'"))
                .containsExactly("buoy 3 red", "buoy 2 red", "buoy 1 red", "buoy 7", "buoy 6", "buoy 5", "buoy 4");
        var cursor = search(ann, "'content':'buoy','page':{'limit':2}").ok().text("/next_cursor");
        search(ann, "'content':'red','page':{'cursor':'%s'}".formatted(cursor)).refused(1004, "page.cursor");
    }

    private List<String> paged(String query) {
        var paged = new ArrayList<String>();
        var cursor = "";
        do {
            var page = search(ann, "%s,'page':{'limit':2%s}".formatted(query, cursor))
                    .ok();
            paged.addAll(page.texts("/content", "text"));
            cursor = page.envelope().has("next_cursor") ? ",'cursor':'%s'".formatted(page.text("/next_cursor")) : "";
        } while (!cursor.isEmpty());
        return paged;
    }

    @Test
    void messagesAreListedByTime() {
        say("main", "one");
        say("pier", "two");
        tell(ann, "Ada", "three");
        var all = search(ann, "'since':'2000-01-01T00:00:00Z'").ok();
        assertThat(all.texts("/content", "text")).containsSubsequence("three", "two", "one");
        assertThat(all.at("/content/0/why/terms").isEmpty()).isTrue();
        assertThat(search(ann, "'until':'2000-01-01T00:00:00Z'").ok().texts("/content", "text"))
                .isEmpty();
        assertThat(search(ann, "'content':'one','until':'2000-01-01T00:00:00Z'")
                        .ok()
                        .texts("/content", "text"))
                .isEmpty();
        assertThat(search(ann, "'content':'one','since':'2000-01-01T00:00:00Z'")
                        .ok()
                        .texts("/content", "text"))
                .containsExactly("one");
        assertThat(search(ann, "'since':'2000-01-01T00:00:00Z','target':{'domain':'harbour','zone':'pier'}")
                        .ok()
                        .texts("/content", "text"))
                .containsExactly("two");
        search(ann, "").refused(1004, "content", "since");
        search(ann, "'content':' '").refused(1004, "content");
        search(ann, "'since':'2001-01-01T00:00:00Z','until':'2000-01-01T00:00:00Z'")
                .refused(1004, "until");
    }

    @Test
    void whatOneAgentWroteIsFoundAlone() {
        say("main", "buoy by ann");
        DomainSetup.invite(ann, "harbour", "Ada").ok();
        DomainSetup.say(ann, "Ada", "harbour", "main", "buoy by Ada").ok();
        assertThat(search(ann, "'content':'buoy','target':{'agent':'Ada'}").ok().texts("/content", "text"))
                .containsExactly("buoy by Ada");
        assertThat(search(ann, "'since':'2000-01-01T00:00:00Z','target':{'agent':'ada','domain':'harbour'}")
                        .ok()
                        .texts("/content", "text"))
                .contains("buoy by Ada")
                .doesNotContain("buoy by ann");
        search(ann, "'content':'buoy','target':{'agent':'Adda'}").refused(3001, "Adda");
        DomainSetup.agents(bob, "Bill");
        search(ann, "'content':'buoy','target':{'agent':'Bill'}").refused(3001, "Bill");
        // Who hears a private agent in a domain finds what it said there.
        DomainSetup.invite(ann, "harbour", "Bee").ok();
        DomainSetup.invite(bob, "harbour", "Bee").ok();
        search(bob, "'content':'buoy','target':{'agent':'Ada'}").ok();
        assertThat(search(bob, "'content':'buoy','target':{'agent':'Ada'}").ok().texts("/content", "text"))
                .containsExactly("buoy by Ada");
    }

    @Test
    void onlyWhatMayBeReadIsFound() {
        say("main", "secret of the harbour");
        tell(ann, "Ada", "secret for Ada");
        assertThat(found(bob, "secret")).isEmpty();
        assertThat(found(bob, "secret harbour submarine")).isEmpty();
        search(bob, "'content':'secret','target':{'domain':'harbour'}").refused(3001, "harbour");
        search(ann, "'content':'secret','target':{'domain':'harbour','zone':'pyer'}")
                .refused(3001, "pyer");
        search(ann, "'content':'secret','target':{'zone':'pier'}").refused(1006, "target.domain");
        assertThat(found(tenant.person("root", Role.ADMIN), "secret"))
                .containsExactly("secret for Ada", "secret of the harbour");
        assertThat(found(new TestTenant().member("ann"), "secret")).isEmpty();

        DomainSetup.invite(ann, "harbour", "Bee").ok();
        assertThat(found(bob, "secret")).isEmpty();
        DomainSetup.invite(bob, "harbour", "Bee").ok();
        assertThat(found(bob, "secret")).containsExactly("secret of the harbour");
        // What Bee may read, it may find by its private author, whom bob does not see.
        assertThat(search(bob, "'content':'secret','target':{'domain':'harbour'}")
                        .ok()
                        .texts("/content", "text"))
                .containsExactly("secret of the harbour");
        DomainSetup.of(ann, "DM_Ban", "harbour", "Bee").ok();
        assertThat(found(bob, "secret")).isEmpty();
        assertThat(search(bob, "'since':'2000-01-01T00:00:00Z'").ok().texts("/content", "text"))
                .doesNotContain("secret of the harbour");
    }

    @Test
    void directMessagesAreFoundByBothSides() {
        tell(ann, "Bee", "Zanzibar calling");
        assertThat(search(ann, "'content':'zanzibar'").ok().text("/content/0/to"))
                .isEqualTo("Bee");
        assertThat(found(bob, "zanzibar")).containsExactly("Zanzibar calling");
        assertThat(found(tenant.member("eve"), "zanzibar")).isEmpty();
        bob.call("AP_Destroy", "{'target':{'agent':'Bee'}}").ok();
        assertThat(found(bob, "zanzibar")).isEmpty();
        assertThat(found(ann, "zanzibar")).containsExactly("Zanzibar calling");
    }

    @Test
    void wordsOfAllScriptsAreFound() {
        var texts = List.of(
                "Größe und Straße",
                "今天天气很好。我们走吧",
                "안녕하세요 세계",
                "Привет, Ёлка",
                "مَرْحَبًا بالعالم",
                "नमस्ते दुनिया",
                "สวัสดีครับ",
                "🚀 is launched",
                "snake_case and getUserName(x) in src/main/App.java v3.14");
        texts.forEach(text -> say("main", text));
        var queries = List.of(
                "grosse STRASSE",
                "天气",
                "세계",
                "елка ПРИВЕТ",
                "مرحبا",
                "दुनिया",
                "สวัสดี",
                "🚀",
                "snake_case getusername app.java 3.14");
        for (var i = 0; i < texts.size(); i++) {
            assertThat(found(ann, queries.get(i))).as(queries.get(i)).containsExactly(texts.get(i));
        }
        assertThat(found(ann, "气天")).isEmpty();
    }

    @Test
    void noQueryIsAnError() {
        say("main", "plain");
        for (var query : List.of(
                "'",
                "\\\"",
                "\\\\",
                "-",
                "- -",
                "--",
                "*",
                "a*b*",
                "\\\"\\\"",
                "-\\\"\\\"",
                "plain:*",
                "!plain & | ( )",
                "%",
                "_",
                "x".repeat(2_000),
                "a b ".repeat(500),
                "name:plain",
                "tag:x",
                "\\u200b",
                "\\u202e",
                "'' ; DROP TABLE message",
                "𝕡𝕝𝕒𝕚𝕟",
                "ﷺ".repeat(200),
                "-" + "x".repeat(1_900),
                "x".repeat(900) + "*")) {
            assertThat(search(ann, "'content':'%s'".formatted(query.replace("'", "’")))
                            .code())
                    .as(query)
                    .isZero();
        }
        assertThat(found(ann, "𝕡𝕝𝕒𝕚𝕟")).containsExactly("plain");
        search(ann, "'content':'%s'".formatted("x".repeat(2_001))).refused(1005, "content");
        var longest = "word ".repeat(12_798) + "zenith";
        say("main", longest);
        assertThat(search(ann, "'content':'\\\"word zenith\\\"'")
                        .ok()
                        .at("/content")
                        .size())
                .isEqualTo(1);
        say("main", "y".repeat(3_000) + " " + "é".repeat(3_000));
        assertThat(search(ann, "'content':'%s'".formatted("y".repeat(1_999)))
                        .ok()
                        .at("/content")
                        .size())
                .isEqualTo(1);
    }
}
