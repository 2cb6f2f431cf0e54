package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two banks that differ only in a hidden memory give the same answers. The bank is searched before the memory is hidden, and right
 * after, when the index still has its words.
 */
class HiddenMemoriesTest {
    private static final List<String> VISIBLE = List.of(
            "apple pie with cinnamon",
            "an apple a day",
            "banana bread and apple juice",
            "cherry pie for Sunday",
            "banana split",
            "the orchard is behind the house");

    /** With words that visible memories have, words near to theirs, and words of its own. */
    private static final String SECRET =
            "apple xylophone xylograph aple banan cherrie pie pie zebra quartz die das und nicht mit auf den Straße Sunday";

    private static final List<String> QUERIES = List.of(
            "apple",
            "apple pie",
            "apple xy*",
            "xylo* banana",
            "xylophone apple",
            "xylophon banana",
            "appl banana",
            "aple pie",
            "cherrie sunday",
            "\"apple pie\" xylophone",
            "\"xylophone xylograph\" apple",
            "apple -xylophone",
            "banana -zebra* juice",
            "zebra",
            "q* apple",
            "straße apple banana",
            "tag:fruit apple",
            "tag:secret",
            "name:plan pie",
            "name:hidden",
            "-orchard");

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    enum Hiding {
        CENSORED,
        DELETED,
        DESTROYED,
        REPLACED,
        SUPERSEDED,
        EXPIRED,
        SUPERSEDED_BY_CENSORED,
        SUPERSEDED_BY_DESTROYED
    }

    @BeforeEach
    void thereAreTwoBanks() {
        ann.call("AP_Create", "{'vx':{'name':'Eve','description':'d'}}").ok();
        for (var bank : List.of("plain", "secret")) {
            ann.call("MB_Create", "{'vx':{'name':'%s'}}".formatted(bank)).ok();
        }
    }

    private String store(String bank, String text, String more) {
        return ann.call("MB_Store", "{'target':{'bank':'%s'},'content':'%s'%s}".formatted(bank, text, more))
                .ok()
                .text("/memory/id");
    }

    private String storeAsEve(String bank, String text, String more) {
        var target = "{'target':{'bank':'%s','agent':'Eve'},'content':'%s','vx':{'name':'hidden','tags':['secret']}%s}";
        return ann.call("MB_Store", target.formatted(bank, text, more)).ok().text("/memory/id");
    }

    private void storeVisible(String bank) {
        for (var text : VISIBLE) {
            store(bank, text, ",'vx':{'tags':['Fruit']}");
        }
    }

    /** Without a model, each search is by words, whatever the mode. */
    private Reply search(String bank, String query) {
        return ann.call(
                        "MB_Search",
                        "{'target':{'bank':'%s'},'content':'%s'}".formatted(bank, query.replace("\"", "\\\"")))
                .ok();
    }

    /** Returns everything of an answer that does not tell the banks apart by itself. */
    private List<String> answer(String bank, String query) {
        var found = search(bank, query);
        var hits = found.at("/content")
                .valueStream()
                .map(hit -> "%s %s %s %s %s"
                        .formatted(
                                hit.path("text"),
                                hit.path("name"),
                                hit.path("tags"),
                                hit.path("score"),
                                hit.path("why")));
        var rest = Stream.of("abstain", "best_score", "searched", "mode").map(field -> field + found.at("/" + field));
        return Stream.concat(hits, rest).toList();
    }

    /** Leaves what is visible in both banks; in one of them the secret is hidden. */
    private void hide(Hiding hiding) {
        var eve = "{'target':{'bank':'secret','agent':'Eve'}}";
        switch (hiding) {
            case CENSORED -> {
                storeAsEve("secret", SECRET, "");
                search("secret", "apple");
                ann.call("MB_Censor", eve).ok();
            }
            case DELETED -> {
                storeAsEve("secret", SECRET, "");
                search("secret", "apple");
                ann.call("MB_Delete", eve).ok();
            }
            case DESTROYED -> {
                storeAsEve("secret", SECRET, "");
                search("secret", "apple");
                ann.call("MB_Delete", eve).ok();
                ann.call("MB_Destroy", eve).ok();
            }
            case REPLACED -> {
                store("secret", SECRET, ",'vx':{'name':'plan','tags':['secret']}");
                search("secret", "apple");
                for (var bank : List.of("plain", "secret")) {
                    store(bank, "the plan is a pie", ",'vx':{'name':'plan','tags':['Fruit']}");
                }
            }
            case SUPERSEDED -> {
                var old = store("secret", SECRET, "");
                search("secret", "apple");
                store("plain", "the plan is a pie", "");
                store("secret", "the plan is a pie", ",'supersedes':'%s'".formatted(old));
            }
            case EXPIRED -> {
                store("secret", SECRET, ",'expires_at':'2999-01-01T00:00:00Z'");
                search("secret", "apple");
                for (var api : ClientApi.values()) {
                    TestDatabase.db()
                            .sql(
                                    "UPDATE memory SET expires_at = updated_at WHERE tenant_id = :tenant AND expires_at IS NOT NULL")
                            .set("tenant", tenant.id(api))
                            .run();
                }
            }
            case SUPERSEDED_BY_CENSORED -> {
                supersedeByEve();
                ann.call("MB_Censor", eve).ok();
            }
            case SUPERSEDED_BY_DESTROYED -> {
                supersedeByEve();
                ann.call("MB_Delete", eve).ok();
                ann.call("MB_Destroy", eve).ok();
            }
        }
    }

    private void supersedeByEve() {
        store("plain", "the plan is a pie", "");
        var old = store("secret", "the plan is a pie", "");
        storeAsEve("secret", SECRET, ",'supersedes':'%s'".formatted(old));
        assertThat(search("secret", "plan").at("/content").size()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aHiddenMemoryChangesNoAnswer(Hiding hiding) {
        storeVisible("plain");
        storeVisible("secret");
        hide(hiding);
        for (var query : QUERIES) {
            assertThat(answer("secret", query)).as(query).isEqualTo(answer("plain", query));
        }
    }

    @Test
    void whatIsNoLongerHiddenCountsAgain() {
        storeVisible("secret");
        storeAsEve("secret", SECRET, "");
        var before = QUERIES.stream().map(query -> answer("secret", query)).toList();
        var eve = "{'target':{'bank':'secret','agent':'Eve'}}";
        for (var undone : List.of(List.of("MB_Censor", "MB_Uncensor"), List.of("MB_Delete", "MB_Restore"))) {
            ann.call(undone.getFirst(), eve).ok();
            assertThat(search("secret", "zebra").at("/searched/memories").asInt())
                    .isEqualTo(VISIBLE.size());
            assertThat(search("secret", "zebra").at("/content").size()).isZero();
            ann.call(undone.getLast(), eve).ok();
            assertThat(QUERIES.stream().map(query -> answer("secret", query))).containsExactlyElementsOf(before);
        }
    }

    /** Otherwise hidden names would take the place of visible ones that are next to the given one in alphabetical order. */
    @Test
    void hiddenNamesAreNotAmongTheNearOnes() {
        store("secret", "visible", ",'vx':{'name':'plan aa'}");
        storeAsEve("secret", SECRET, "");
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql("""
                            INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from,
                                                created_at, updated_at)
                            SELECT tenant_id, bank_id, gen_random_uuid(), 'plan b' || n, 'plan b' || n, text, '{}', author_id, contributors,
                                   '{}', now(), now()
                              FROM memory, generate_series(1, 1001) n
                             WHERE tenant_id = :tenant AND name = 'hidden'
                            """).set("tenant", tenant.id(api)).run();
        }
        ann.call("MB_Censor", "{'target':{'bank':'secret','agent':'Eve'}}").ok();
        ann.call("MB_Read", "{'target':{'bank':'secret'},'vx':{'name':'plan c'}}")
                .refused(3001, "'plan aa'");
    }
}
