package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What MB_Search understands by empty phrases, punctuation, tags and the order of words. */
class QueryMeaningTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

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

    @Test
    void anEmptyPhraseIsIgnored() {
        store("plain tea", ",'vx':{'tags':['Food','Caf\u00e9'],'name':'Teas'}");
        store("other words", "");
        for (var query : List.of(
                "\"\" plain",
                "plain \"\"",
                "\" \" plain",
                "“” plain «»",
                "-\"\" plain",
                "plain name:\"\"",
                "tag:\" \" plain",
                "\"\u00a0\u200b\" plain")) {
            for (var mode : List.of("text", "hybrid")) {
                assertThat(texts(search(query, ",'mode':'%s'".formatted(mode))))
                        .as(query)
                        .containsExactly("plain tea");
            }
        }
        assertThat(texts(search("\"\" tag:food"))).containsExactly("plain tea");
        assertThat(texts(search("-other"))).containsExactly("plain tea");
    }

    @Test
    void nothingContainsPunctuation() {
        storeAll("plain tea - with (much) sugar * and milk", "other");
        for (var query : List.of(
                "-", "*", "()", "- *", "( )", "...", "🙂", "\"\"", "\"\" \"\"", "\"()\"", "- tag:x", "()*", "-\"\"")) {
            for (var mode : List.of("text", "vector", "hybrid")) {
                var found = search(query, ",'mode':'%s'".formatted(mode));
                assertThat(found.at("/content").size()).as(query).isZero();
                assertThat(found.at("/abstain").asBoolean()).isTrue();
            }
        }
        assertThat(texts(search("tea - sugar"))).containsExactly("plain tea - with (much) sugar * and milk");
    }

    @Test
    void theCaseOfATagDoesNotCount() {
        store("tea", ",'vx':{'tags':['Food','Caf\u00c9']}");
        store("coffee", ",'vx':{'tags':['drink']}");
        for (var query :
                List.of("tag:food", "tag:FOOD", "tag:\"Food\"", "tea tag:food", "tag:caf\u00e9", "tag:cafe\u0301")) {
            assertThat(texts(search(query))).as(query).containsExactly("tea");
        }
        assertThat(texts(search("tea", ",'vx':{'tags':['fOOD']}"))).containsExactly("tea");
        assertThat(texts(search("tag:foo"))).isEmpty();
    }

    @Test
    void theOrderOfWordsDecidesBetweenEquals() {
        storeAll(
                "Grade 4 Week 1",
                "Grade 1 Week 4",
                "The train from Berlin to Moscow is late.",
                "The train from Moscow to Berlin is late.",
                "Ann owes Bob ten euros.",
                "Bob owes Ann ten euros.");
        for (var mode : List.of("text", "hybrid")) {
            for (var expected : Map.of(
                            "Grade 4 Week 1", "Grade 4 Week 1",
                            "grade 1 week 4", "Grade 1 Week 4",
                            "train Berlin Moscow", "The train from Berlin to Moscow is late.",
                            "train from Moscow to Berlin", "The train from Moscow to Berlin is late.",
                            "does Ann owe Bob euros", "Ann owes Bob ten euros.",
                            "does Bob owe Ann euros", "Bob owes Ann ten euros.")
                    .entrySet()) {
                assertThat(texts(search(expected.getKey(), ",'mode':'%s'".formatted(mode)))
                                .getFirst())
                        .as(expected.getKey())
                        .isEqualTo(expected.getValue());
            }
        }
    }

    /** Many more have the same words than are compared in the end. */
    @Test
    void theOrderOfWordsIsHeardAmongMany() {
        for (var grade = 1; grade <= 8; grade++) {
            for (var week = 1; week <= 8; week++) {
                store("Week %d of grade %d: unit of week %d".formatted(grade, week, week), "");
            }
        }
        store("grade eight is full", "");
        assertThat(texts(search("grade 3 unit of week 3")).getFirst()).endsWith("of grade 3: unit of week 3");
    }
}
