package io.agentworkspace.engine.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Person;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules are made, tried, changed and deleted; each call over both endpoints. */
class RuleToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final Person owner = tenant.owner();
    private final Person admin = tenant.person("boss", Role.ADMIN);
    private final Person ann = tenant.member("ann");

    /** The endpoint is in each entry. */
    private final Person audit = tenant.person(Door.MCP, "audit", Role.ADMIN);

    private Reply create(String fields) {
        return admin.call("RL_Create", "{'name':'no',%s}".formatted(fields)).ok();
    }

    private static final String NO_CHAT =
            "'applies_to':['AP_Chat'],'when':'content.contains(\\'no\\')','message':'say it otherwise'"
                    .replace("\\'", "`");

    /** In the conditions of these tests a backquote is a quotation mark of CEL. */
    private static String cel(String fields) {
        return fields.replace("`", "\\\"");
    }

    private void haveAgents() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
    }

    private Reply chat(String text) {
        return ann.call("AP_Chat", "{'target':{'agent':'Ada','context':'x'},'content':'%s'}".formatted(text));
    }

    @Test
    void aDenyRuleRefusesWithItsNameAndMessage() {
        haveAgents();
        create(cel(NO_CHAT));
        chat("no").refused(3004, "refused by the rule 'no': say it otherwise");
        chat("yes").ok();
        await().untilAsserted(() -> assertThat(audit.call("AC_Audit", "{'result':'rule_refused'}")
                        .at("/entries/0/rules/0")
                        .asString())
                .isEqualTo("no"));
    }

    @Test
    void elsewhereItIsForbidden() {
        var key = tenant.key(Door.REST, "hook", Role.ADMIN, List.of("*"));
        create("'applies_to':['webhook'],'when':'command.name == `WH_Create`'".replace("`", "\\\""));
        var body = "{\"url\":\"https://localhost/x\",\"events\":[\"*\"]}";
        var answer = Door.post(TestServer.url() + "/api/webhooks/endpoints", key, body);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("rule_refused", "'no'");
    }

    @Test
    void aRuleInShadowCountsWhatItWouldHaveDenied() {
        haveAgents();
        var id = create(cel(NO_CHAT) + ",'mode':'shadow'").text("/rule/id");
        chat("no").ok();
        chat("no, no").ok();
        await().untilAsserted(() ->
                assertThat(ann.call("RL_List").number("/rules/0/matches/count")).isEqualTo(2));
        assertThat(audit.call("AC_Audit", "{'tool':'AP_Chat'}")
                        .at("/entries/0/rules")
                        .isMissingNode())
                .isTrue();
        var enforced = admin.call("RL_Update", "{'id':'%s','mode':'enforce'}".formatted(id))
                .ok();
        assertThat(enforced.number("/rule/matches/count"))
                .as("what it does is another")
                .isZero();
        chat("no").refused(3004);
    }

    @Test
    void anAuditRuleIsNotedOfWritesAndReads() {
        haveAgents();
        create("'applies_to':['agent'],'when':'target.agent == `Ada`','effect':'audit'".replace("`", "\\\""));
        chat("hello").ok();
        assertThat(audit.call("AC_Audit", "{'tool':'AP_Chat'}")
                        .at("/entries/0/rules/0")
                        .asString())
                .isEqualTo("no");
        ann.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        await().untilAsserted(() -> assertThat(audit.call("AC_Audit", "{'tool':'AP_Read'}")
                        .at("/entries/0/rules/0")
                        .asString())
                .isEqualTo("no"));
    }

    /** A rule that cannot be decided denies; what failed is shown. */
    @Test
    void aDenyRuleThatFailsMatches() {
        haveAgents();
        create("'applies_to':['AP_Chat'],'when':'1 / (size(content) - 3) > 100'");
        chat("yes!").ok();
        chat("yes").refused(3004, "'no'");
        await().untilAsserted(() -> {
            var matches = ann.call("RL_List").at("/rules/0/matches");
            assertThat(matches.path("failures").asInt()).isEqualTo(1);
            assertThat(matches.path("last_failure").asString()).contains("by zero");
        });
    }

    @Test
    void nobodyLocksTheOwnersOut() {
        var id = create("'applies_to':['rule','account'],'when':'true'").text("/rule/id");
        admin.call("RL_Update", "{'id':'%s','enabled':false}".formatted(id)).refused(3004);
        admin.call("RL_Templates").refused(3004);
        owner.call("AC_Read").refused(3004);
        owner.call("RL_Templates").ok();
        owner.call("RL_Delete", "{'id':'%s'}".formatted(id)).ok();
        admin.call("RL_Templates").ok();
    }

    @Test
    void theAuditKeepsTheOldAndTheNewText() {
        var id = create("'applies_to':['AP_Chat'],'when':'false'").text("/rule/id");
        admin.call("RL_Update", "{'id':'%s','when':'true'}".formatted(id)).ok();
        admin.call("RL_Update", "{'id':'%s','when':'true'}".formatted(id)).ok();
        admin.call("RL_Delete", "{'id':'%s'}".formatted(id)).ok();
        var entries =
                audit.call("AC_Audit", "{'target':'rule:%s'}".formatted(id)).at("/entries");
        assertThat(entries.path(0).path("before").asString()).contains("\"when\":\"true\"");
        assertThat(entries.path(0).has("after")).isFalse();
        assertThat(entries.path(1).has("before")).as("nothing changed").isFalse();
        assertThat(entries.path(2).path("before").asString()).contains("\"when\":\"false\"");
        assertThat(entries.path(2).path("after").asString()).contains("\"when\":\"true\"");
        assertThat(entries.path(3).has("before")).isFalse();
        assertThat(entries.path(3).path("after").asString()).contains("\"name\":\"no\"", "\"when\":\"false\"");
    }

    @Test
    void theFirstRuleByPriorityIsTheOneThatIsRead() {
        haveAgents();
        admin.call("RL_Create", "{'name':'b','applies_to':['AP_Chat'],'when':'true','message':'low'}")
                .ok();
        admin.call("RL_Create", "{'name':'c','applies_to':['AP_Chat'],'when':'true','message':'high','priority':5}")
                .ok();
        admin.call("RL_Create", "{'name':'a','applies_to':['AP_Chat'],'when':'false','message':'never','priority':9}")
                .ok();
        chat("hello").refused(3004, "refused by the rule 'c': high");
    }

    @Test
    void changesHoldOnOtherReplicas() throws Exception {
        var key = tenant.key(Door.REST, "bea", Role.MEMBER, List.of("*"));
        var boss = tenant.person(Door.REST, "root", Role.ADMIN);
        try (var other = TestServer.replica()) {
            Door.REST
                    .call(other.url(), key, "AP_List", io.agentworkspace.engine.model.json.Json.object())
                    .ok();
            var id = boss.call("RL_Create", "{'name':'no','applies_to':['AP_List'],'when':'true'}")
                    .ok()
                    .text("/rule/id");
            await().untilAsserted(() -> list(other.url(), key).refused(3004));
            boss.call("RL_Update", "{'id':'%s','message':'changed'}".formatted(id))
                    .ok();
            await().untilAsserted(() -> list(other.url(), key).refused(3004, "changed"));
            boss.call("RL_Delete", "{'id':'%s'}".formatted(id)).ok();
            await().untilAsserted(() -> list(other.url(), key).ok());
        }
    }

    private static Reply list(String url, String key) {
        return Door.REST.call(url, key, "AP_List", io.agentworkspace.engine.model.json.Json.object());
    }

    /** What was done before a rule came is told again to whoever sends it again. */
    @Test
    void aReplayedResponseIsNoNewCommand() {
        var arguments = "{'vx':{'name':'Once','description':'d'},'idempotency_key':'k'}";
        ann.call("AP_Create", arguments).ok();
        create("'applies_to':['AP_Create'],'when':'true'");
        ann.call("AP_Create", arguments).ok();
        ann.call("AP_Create", "{'vx':{'name':'Twice','description':'d'},'idempotency_key':'l'}")
                .refused(3004);
    }

    /** A resource is read as its tool is. */
    @Test
    void resourcesAreRuledToo() {
        haveAgents();
        var key = tenant.key(Door.MCP, "carl", Role.ADMIN, List.of("*"));
        assertThat(resource(key)).contains("contents");
        create("'applies_to':['AP_Read'],'when':'true','message':'not now'");
        assertThat(resource(key)).contains("not_found").doesNotContain("contents");
    }

    private static String resource(String key) {
        var message =
                "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"resources/read\",\"params\":{\"uri\":\"engine://agents/Ada\"}}";
        return new String(
                Door.post(TestServer.url() + "/mcp", key, message).body(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void aRuleKnowsWhoActsAsWhichAgent() {
        haveAgents();
        create("'applies_to':['agent'],'when':'principal.agent == `Ada` && command.name != `AP_LogOff`'"
                .replace("`", "\\\""));
        ann.call("AP_List").refused(3004);
        ann.call("AP_Create", "{'vx':{'name':'Bo','description':'d'}}").refused(3004);
        ann.call("AP_LogOff", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_List").ok();
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '~', textBlock = """
                    'applies_to':['AP_Chat'] -> 1004 -> when is missing: send it, or a template
                    'when':'true' -> 1003 -> applies_to is required
                    'when':'true','applies_to':[] -> 1003 -> applies_to is required
                    'when':'true','applies_to':['AP_Cht'] -> 1004 -> did you mean AP_Chat?
                    'when':'true','applies_to':['AP_Chat'],'template':'block-words' -> 1004 -> send one of them
                    'when':'vx.nmae == 1','applies_to':['AP_Chat'] -> 1004 -> when line 1, column 3: vx has no field 'nmae', did you mean name?
                    'template':'block-word' -> 1004 -> did you mean block-words?
                    'template':'block-words','parameters':{'wrds':[]} -> 1004 -> did you mean words?
                    'template':'block-words','parameters':{'words':'x'} -> 1004 -> parameters.words must be a list
                    'template':'name-convention','parameters':{'pattern':'['} -> 1004 -> the pattern is not one of RE2
                    'template':'content-length-cap','parameters':{'max':-1} -> 1004 -> must be a whole number
                    'when':'true','applies_to':['AP_Chat'],'parameters':{} -> 1004 -> send one of them
                    'when':'true','applies_to':['AP_Chat'],'effect':'forbid' -> 1004 -> effect
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'service':'AP_Chat'},'expected':'passes'}] -> 1004 -> examples[0] is expected to pass, but the rule matches it
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'service':'AP_List'},'expected':'matches'}] -> 1004 -> applies_to does not have its service
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'servce':'AP_List'},'expected':'matches'}] -> 1004 -> did you mean service?
                    """)
    void aMistakeIsToldWithWhatWouldBeRight(String fields, int code, String noted) {
        admin.call("RL_Create", "{'name':'wrong',%s}".formatted(fields)).refused(code, noted);
    }

    @Test
    void namesAreUniqueAndRevisionsCount() {
        var rule = create("'applies_to':['AP_Chat'],'when':'false'");
        admin.call("RL_Create", "{'name':'NO','applies_to':['AP_Chat'],'when':'true'}")
                .refused(3002, "taken");
        admin.call("RL_Update", "{'id':'%s','enabled':false,'if_revision':7}".formatted(rule.text("/rule/id")))
                .refused(3003, "revision");
        admin.call("RL_Update", "{'id':'4b1c7b7e-0000-4000-8000-000000000000','enabled':false}")
                .refused(3001);
        ann.call("RL_Create", "{'name':'x','applies_to':['AP_Chat'],'when':'true'}")
                .refused(2003, "admin");
    }

    /** The template stays; its parameters are changed alone. */
    @Test
    void aRuleFromATemplateIsFilledInAnew() {
        var id = create("'template':'content-length-cap','parameters':{'max':10}")
                .text("/rule/id");
        var changed = admin.call("RL_Update", "{'id':'%s','parameters':{'max':20}}".formatted(id))
                .ok();
        assertThat(changed.text("/rule/when")).endsWith(" && size(content) > 20");
        assertThat(changed.text("/rule/template")).isEqualTo("content-length-cap");
        var own = admin.call("RL_Update", "{'id':'%s','when':'size(content) > 5'}".formatted(id))
                .ok();
        assertThat(own.at("/rule/template").isMissingNode()).isTrue();
    }

    @Test
    void aTenantHasSoManyAtMost() {
        for (var door : Door.values()) {
            TestDatabase.db()
                    .sql("""
                    INSERT INTO rule (tenant_id, id, name, name_key, applies_to, expression, effect, message, enabled, priority,
                                      mode, examples, created_at, updated_at, counted_since)
                    SELECT :tenant, gen_random_uuid(), 'r' || n, 'r' || n, '{AP_Chat}', 'false', 'deny', '', true, 0, 'enforce',
                           '[]', :now, :now, :now
                      FROM generate_series(1, :most) n
                    """)
                    .set("tenant", tenant.id(door))
                    .set("now", Instant.now())
                    .set("most", RuleStore.MOST)
                    .run();
        }
        admin.call("RL_Create", "{'name':'more','applies_to':['AP_Chat'],'when':'true'}")
                .refused(3003, "100 rules");
    }

    @Test
    void aRuleIsTriedOnARequest() {
        var when = cel("'when':'principal.role == `viewer` && target.bank == `Ledger`'");
        var denied = admin.call(
                        "RL_Check",
                        "{%s,'request':{'service':'MB_AgentList','target':{'bank':'Ledger'},'principal':{'role':'viewer'}}}"
                                .formatted(when))
                .ok();
        assertThat(denied.text("/summary")).isEqualTo("would be denied");
        var me = admin.call(
                        "RL_Check",
                        "{%s,'request':{'service':'MB_AgentList','target':{'bank':'Ledger'}}}".formatted(when))
                .ok();
        assertThat(me.text("/summary")).as("an admin asks").isEqualTo("would pass");
        var other = admin.call(
                        "RL_Check", "{%s,'applies_to':['agent'],'request':{'service':'MB_AgentList'}}".formatted(when))
                .ok();
        assertThat(other.text("/summary")).isEqualTo("the rule does not apply to this request");
        var failing = admin.call("RL_Check", "{'when':'1 / size(content) > 0','request':{'service':'AP_Chat'}}")
                .ok();
        assertThat(failing.at("/outcome/matches").asBoolean()).isTrue();
        assertThat(failing.text("/outcome/failure")).contains("by zero");
        assertThat(admin.call("RL_Check", "{'when':'true'}").ok().text("/summary"))
                .isEqualTo("it compiles");
    }
}
