package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What changes of an agent replaced, as AP_Modify returns it. */
class AgentRevisionsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    private static void create(TestCaller owner, String profile) {
        owner.call("AP_Create", "{'vx':{'name':'Ada','description':'one','profile':'%s'}}".formatted(profile))
                .ok();
    }

    private static void change(TestCaller caller, String fields) {
        caller.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{%s}}".formatted(fields))
                .ok();
    }

    private static Reply revisions(TestCaller caller, String more) {
        return caller.call("AP_Modify", "{'target':{'agent':'Ada'},'revisions':true%s}".formatted(more));
    }

    private static List<String> numbers(Reply read) {
        return read.ok().texts("/revisions", "revision");
    }

    private void sql(String statement) {
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql(statement).set("tenant", tenant.id(api)).run();
        }
    }

    private long kept(ClientApi api) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS kept FROM agent_revision WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(api))
                .one(row -> row.number("kept"))
                .orElseThrow();
    }

    @Test
    void eachChangeKeepsWhatItReplaced() {
        create(ann, "You are Ada.");
        assertThat(numbers(revisions(ann, ""))).isEmpty();
        change(ann, "'profile':'You are Countess Ada.'");
        change(ann, "'profile':'You are Countess Ada.'"); // Changes nothing.
        change(ann, "'access':'public'");
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_Update", "{'vx':{'name':'Ada','description':'two'}}").ok();

        var read = ann.call("AP_Modify", "{'revisions':true}").ok();
        assertThat(numbers(read)).containsExactly("3", "2", "1");
        assertThat(read.texts("/revisions", "profile"))
                .containsExactly("You are Countess Ada.", "You are Countess Ada.", "You are Ada.");
        assertThat(read.texts("/revisions", "description")).containsOnly("one");
        assertThat(read.texts("/revisions", "name")).containsOnly("Ada");
        assertThat(read.texts("/revisions", "access")).containsExactly("public", "private", "private");
        assertThat(read.texts("/revisions", "replaced_by")).containsExactly("Ada", "ann", "ann");
        assertThat(read.texts("/revisions", "stored_at").subList(0, 2))
                .isEqualTo(read.texts("/revisions", "replaced_at").subList(1, 3));
        assertThat(read.number("/revision")).isEqualTo(4);
        assertThat(read.text("/agent/description")).isEqualTo("two");
        assertThat(read.at("/changed").isMissingNode()).isTrue();
        assertThat(read.at("/next_cursor").isMissingNode()).isTrue();
    }

    @Test
    void aRevisionOfAnAgentWithoutAPersonaHasNone() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'one'}}").ok();
        change(ann, "'profile':'p'");
        assertThat(revisions(ann, "").ok().at("/revisions/0").has("profile")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script> & <b>\\\"bold\\\"</b>",
                "# Титул\\n\\n日本語の人格 👩‍🚀 ﷽ e\\u0301",
                "{\\\"json\\\": [1, null]}\\t\\\\ %s :now {name}"
            })
    void textsComeBackAsTheyWere(String text) {
        create(ann, text);
        change(ann, "'profile':'p','description':'two'");
        var expected = Json.readObject("{\"text\":\"%s\"}".replace("%s", text).getBytes(StandardCharsets.UTF_8));
        var read = revisions(ann, "").ok();
        assertThat(read.at("/revisions/0/profile")).isEqualTo(expected.get("text"));
    }

    @Test
    void anEarlierTextCanBeRestored() {
        create(ann, "You are Ada.");
        change(ann, "'profile':'p','description':'two'");
        ann.call(
                        "AP_Modify",
                        "{'target':{'agent':'Ada'},'vx':{'description':'one','profile':'You are Ada.'},'if_revision':2}")
                .ok();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Ada'}}").ok().text("/profile/0/profile"))
                .isEqualTo("You are Ada.");
        assertThat(numbers(revisions(ann, ""))).containsExactly("2", "1");
    }

    @Test
    void readingTakesNoChange() {
        create(ann, "p");
        for (var change : List.of(
                "'vx':{'profile':'q'}",
                "'vx':{}",
                "'guard':{'hops':2}",
                "'remote':{'url':'none'}",
                "'if_revision':1")) {
            revisions(ann, "," + change)
                    .refused(
                            1004,
                            "revisions only reads: leave out vx, guard, remote and if_revision, or leave out revisions to change the agent");
        }
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'q'},'page':{'limit':1}}")
                .refused(1004, "page applies only with revisions: true");
        ann.call("AP_Modify", "{'revisions':true}").refused(1006, "no agent is given");
        ann.call("AP_Modify", "{'target':{'agent':'Adda'},'revisions':true}")
                .refused(3001, "'Adda'", "did you mean 'Ada'?");
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'q'},'revisions':false}")
                .ok();
        assertThat(numbers(revisions(ann, ""))).containsExactly("1");
    }

    @Test
    void onlyTheOwnerAndAdminsReadThem() {
        create(ann, "SECRET");
        change(ann, "'profile':'p','access':'public'");
        var bob = tenant.member("bob");
        bob.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        var refused = revisions(bob, "").refused(2003, "owner", "admins");
        assertThat(refused.envelope().toString()).doesNotContain("SECRET");
        assertThat(numbers(revisions(tenant.person("root", Role.ADMIN), ""))).containsExactly("1");
        revisions(tenant.person("vic", Role.VIEWER), "").refused(2003, "owner", "admins");
        revisions(tenant.person("rhea", Role.MEMBER, "bank:read"), "")
                .refused(2003, "agent:read", "AP_Modify with revisions: true");
        change(ann, "'access':'private'");
        revisions(bob, "").refused(3001, "'Ada'");
    }

    /** Who could change an agent once and may now only read still reads what it replaced. */
    @Test
    void anOwnerWhoMayOnlyReadReadsThem() {
        create(ann, "p");
        change(ann, "'profile':'q'");
        tenant.person("root", Role.ADMIN)
                .call("US_Update", "{'target':{'user':'ann'},'vx':{'access':'viewer'}}")
                .ok();
        // Right after a change of role, the server can refuse one call and ask to call again.
        await().untilAsserted(() -> assertThat(numbers(revisions(ann, ""))).containsExactly("1"));
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'r'}}").refused(2003, "viewer");
    }

    @Test
    void theyComeInPagesThatLoseNone() {
        create(ann, "p0");
        for (var i = 1; i <= 7; i++) {
            change(ann, "'profile':'p%d'".formatted(i));
        }
        var seen = new ArrayList<String>();
        var cursor = "";
        do {
            var page = revisions(ann, ",'page':{'limit':3%s}".formatted(cursor)).ok();
            seen.addAll(page.texts("/revisions", "profile"));
            cursor = page.text("/next_cursor").isEmpty() ? "" : ",'cursor':'%s'".formatted(page.text("/next_cursor"));
        } while (!cursor.isEmpty());
        assertThat(seen).containsExactly("p6", "p5", "p4", "p3", "p2", "p1", "p0");
        revisions(ann, ",'page':{'cursor':'zzz'}").refused(1004, "page.cursor");
    }

    /** Whole texts are returned, so that they can be restored: as many as fit into a response. */
    @ParameterizedTest
    @EnumSource
    void longTextsAreNotCut(ClientApi api) {
        var bea = tenant.person(api, "bea", Role.MEMBER);
        for (var character : List.of("\\\"", "日")) {
            var one = character.repeat(15_999);
            create(bea, one + "x");
            for (var i = 1; i <= 30; i++) {
                change(bea, "'profile':'%s%d'".formatted(one, i % 10));
            }
            var seen = 0;
            var pages = 0;
            var cursor = "";
            do {
                var page = revisions(bea, ",'page':{'limit':200%s}".formatted(cursor))
                        .ok();
                var texts = page.texts("/revisions", "profile");
                assertThat(texts)
                        .isNotEmpty()
                        .allSatisfy(text -> assertThat(text).hasSize(16_000));
                seen += texts.size();
                pages++;
                cursor = page.text("/next_cursor").isEmpty()
                        ? ""
                        : ",'cursor':'%s'".formatted(page.text("/next_cursor"));
            } while (!cursor.isEmpty());
            assertThat(seen).isEqualTo(30);
            assertThat(pages).isGreaterThan(1);
            bea.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        }
    }

    @Test
    void theLast200ChangesOfAnAgentAreKept() {
        create(ann, "p");
        change(ann, "'profile':'q'");
        sql("""
            INSERT INTO agent_revision
            SELECT r.tenant_id, r.agent_id, n, r.name, r.description, 'p' || n, r.access, r.editor_id, r.stored_at, r.replaced_at
              FROM agent_revision r, generate_series(2, 200) n
             WHERE r.tenant_id = :tenant
            """);
        sql("UPDATE agent SET revision = 201 WHERE tenant_id = :tenant");
        assertThat(numbers(revisions(ann, ",'page':{'limit':200}")))
                .hasSize(200)
                .endsWith("1");
        change(ann, "'profile':'r'");
        assertThat(numbers(revisions(ann, ",'page':{'limit':200}")))
                .hasSize(200)
                .startsWith("201", "200")
                .endsWith("2");
        for (var api : ClientApi.values()) {
            assertThat(kept(api)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theyAreReadFor30Days(ClientApi api) {
        var clock = new TestClock();
        try (var replica = Replica.start(Map.of(), clock)) {
            var key = tenant.key(api, "bea", Role.MEMBER, List.of("*"));
            TestCaller bea = (service, arguments) -> api.call(replica.url(), key, service, arguments);
            create(bea, "p");
            clock.advance(Duration.ofDays(40));
            change(bea, "'profile':'q'");
            clock.advance(Duration.ofDays(20));
            change(bea, "'profile':'r'");
            assertThat(numbers(revisions(bea, ""))).containsExactly("2", "1");
            clock.advance(Duration.ofDays(11));
            assertThat(numbers(revisions(bea, ""))).containsExactly("2");
            clock.advance(Duration.ofDays(20));
            assertThat(numbers(revisions(bea, ""))).isEmpty();
        }
    }

    @Test
    void theyAreDeletedWithTheAgent() {
        create(ann, "p");
        change(ann, "'profile':'q'");
        for (var api : ClientApi.values()) {
            assertThat(kept(api)).isEqualTo(1);
        }
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        for (var api : ClientApi.values()) {
            assertThat(kept(api)).isZero();
        }
        create(ann, "new");
        assertThat(numbers(revisions(ann, ""))).isEmpty();
    }
}
