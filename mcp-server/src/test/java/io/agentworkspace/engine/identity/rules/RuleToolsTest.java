package io.agentworkspace.engine.identity.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ChangeInForce;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules are created, tested, changed and deleted; each call through both endpoints. */
class RuleToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller owner = tenant.owner();
    private final TestCaller admin = tenant.person("boss", Role.ADMIN);
    private final TestCaller ann = tenant.member("ann");

    /** A user of one endpoint only, since each audit entry names the endpoint. */
    private final TestCaller audit = tenant.person(ClientApi.MCP, "audit", Role.ADMIN);

    private Reply create(String fields) {
        return admin.call("RL_Create", "{'name':'no',%s}".formatted(fields)).ok();
    }

    private static final String NO_CHAT =
            "'applies_to':['AP_Chat'],'when':'content.contains(\\'no\\')','message':'say it otherwise'"
                    .replace("\\'", "`");

    /** Replaces backquotes, which stand for CEL's quotation marks in these tests. */
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
        var key = tenant.key(ClientApi.REST, "hook", Role.ADMIN, List.of("*"));
        create("'applies_to':['webhook'],'when':'command.name == `WH_Create`'".replace("`", "\\\""));
        var body = "{\"url\":\"https://localhost/x\",\"events\":[\"*\"]}";
        var answer = ClientApi.post(TestServer.url() + "/api/webhooks/endpoints", key, body);
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
                .as("the effect of the rule changed")
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

    /** A deny rule that cannot be evaluated refuses the call, and the failure is shown. */
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
        var key = tenant.key(ClientApi.REST, "bea", Role.MEMBER, List.of("*"));
        var boss = tenant.person(ClientApi.REST, "root", Role.ADMIN);
        try (var other = TestServer.replica()) {
            ClientApi.REST
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

    @Test
    void aChangeIsInForceOnOtherReplicasWithinASecond() throws Exception {
        var key = tenant.key(ClientApi.REST, "bea", Role.MEMBER, List.of("*"));
        var boss = tenant.person(ClientApi.REST, "root", Role.ADMIN);
        try (var other = TestServer.replica()) {
            BooleanSupplier isRefused = () -> list(other.url(), key).code() == 3004;
            BooleanSupplier isDone = () -> !isRefused.getAsBoolean();
            for (var round = 0; round < 4; round++) {
                var id = new String[1];
                ChangeInForce.assertInForce(
                        "a new rule",
                        () -> id[0] = boss.call("RL_Create", "{'name':'no','applies_to':['AP_List'],'when':'true'}")
                                .ok()
                                .text("/rule/id"),
                        List.of(isDone));
                for (var enabled : List.of(false, true)) {
                    ChangeInForce.assertInForce(
                            "a changed rule",
                            () -> boss.call("RL_Update", "{'id':'%s','enabled':%s}".formatted(id[0], enabled))
                                    .ok(),
                            List.of(enabled ? isDone : isRefused));
                }
                ChangeInForce.assertInForce(
                        "a deleted rule",
                        () -> boss.call("RL_Delete", "{'id':'%s'}".formatted(id[0]))
                                .ok(),
                        List.of(isRefused));
            }
        }
    }

    private static Reply list(String url, String key) {
        return ClientApi.REST.call(url, key, "AP_List", io.agentworkspace.engine.model.json.Json.object());
    }

    /** A response from before the rule is replayed to a repeated request. */
    @Test
    void aReplayedResponseIsNoNewCommand() {
        var arguments = "{'vx':{'name':'Once','description':'d'},'idempotency_key':'k'}";
        ann.call("AP_Create", arguments).ok();
        create("'applies_to':['AP_Create'],'when':'true'");
        ann.call("AP_Create", arguments).ok();
        ann.call("AP_Create", "{'vx':{'name':'Twice','description':'d'},'idempotency_key':'l'}")
                .refused(3004);
    }

    /** Rules for a tool also apply to the resources that it reads. */
    @Test
    void resourcesAreRuledToo() {
        haveAgents();
        var key = tenant.key(ClientApi.MCP, "carl", Role.ADMIN, List.of("*"));
        assertThat(resource(key)).contains("contents");
        create("'applies_to':['AP_Read'],'when':'true','message':'not now'");
        assertThat(resource(key)).contains("not_found").doesNotContain("contents");
    }

    private static String resource(String key) {
        var message =
                "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"resources/read\",\"params\":{\"uri\":\"engine://agents/Ada\"}}";
        return new String(
                ClientApi.post(TestServer.url() + "/mcp", key, message).body(),
                java.nio.charset.StandardCharsets.UTF_8);
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
                    'when':'true','applies_to':['AP_Chat'],'parameters':{} -> 1004 -> parameters belong to a template, and none is sent
                    'when':'now.getHours(\\"Europe/Berln\\") > 1','applies_to':['AP_Chat'] -> 1004 -> there is no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?
                    'when':'[1].exists(x, x > now.getDate(size(content) > 1 ? \\"UTC\\" : \\"+25:00\\"))','applies_to':['AP_Chat'] -> 1004 -> there is no time zone '+25:00'
                    'when':'now - duration(\\"1h30m\\") < timestamp(\\"2026-13-01\\")','applies_to':['AP_Chat'] -> 1004 -> '2026-13-01' is not what timestamp takes: a time such as 2026-05-25T12:00:00Z
                    'when':'timestamp(\\"2026-05-25T12:00:00+02:00\\") < now - duration(\\"1x\\")','applies_to':['AP_Chat'] -> 1004 -> '1x' is not what duration takes: a duration such as 90s or 1h30m
                    'template':'read-only-hours','parameters':{'timezone':'Europe/Berln'} -> 1004 -> parameters.timezone is not known: there is no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?
                    'when':'true','applies_to':['AP_Chat'],'effect':'forbid' -> 1004 -> effect
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'service':'AP_Chat'},'expected':'passes'}] -> 1004 -> examples[0] is expected to pass, but the rule matches it
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'service':'AP_List'},'expected':'matches'}] -> 1004 -> applies_to does not have its service
                    'when':'false','applies_to':['AP_Chat'],'examples':[{'request':{'service':'AP_Chat'},'expected':'maybe'}] -> 1004 -> examples[0].expected must be one of matches, passes
                    'when':'true','applies_to':['AP_Chat'],'examples':[{}] -> 1003 -> examples[0].request and examples[0].expected are required
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'service':'AP_Chat'}}] -> 1003 -> examples[0].expected is required
                    'when':'true','applies_to':['AP_Chat'],'examples':[{'request':{'servce':'AP_List'},'expected':'matches'}] -> 1004 -> did you mean service?
                    """)
    void aMistakeIsToldWithWhatWouldBeRight(String fields, int code, String noted) {
        admin.call("RL_Create", "{'name':'wrong',%s}".formatted(fields)).refused(code, noted);
    }

    @Test
    void aRuleIsTriedByItsName() {
        admin.call("RL_Create", "{'name':'By name','when':'true','applies_to':['AP_Chat']}")
                .ok();
        admin.call("RL_Check", "{'rule':'BY NAME','request':{'service':'AP_Chat'}}")
                .ok();
        admin.call("RL_Check", "{'rule':'no name','request':{'service':'AP_Chat'}}")
                .refused(3001, "no name");
    }

    @Test
    void theZonesOfClocksAreAllowed() {
        for (var zone : new String[] {"UTC", "Europe/Berlin", "02:00", "-5:30", "+02:00"}) {
            admin.call(
                            "RL_Check",
                            "{'when':'now.getHours(\\\"%s\\\") < 25','request':{'service':'AP_Chat'}}".formatted(zone))
                    .ok();
        }
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

    /** The template stays; its parameters can be changed alone. */
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

    /** They test its parameters, whichever commands it applies to. */
    @Test
    void theExamplesOfATemplateAreTriedWhateverItAppliesTo() {
        var parameters = "'template':'protect-destroy','parameters':{'roles':['nobody']},'applies_to':['domain']";
        admin.call("RL_Create", "{'name':'no',%s}".formatted(parameters))
                .refused(1004, "the template's examples[0] is expected to match");
        create("'template':'protect-destroy','applies_to':['domain']");
    }

    /** The document is known by the id of a version too. */
    @Test
    void commandsOnADocumentAreRuledByItsName() {
        create("'template':'protect-destroy','parameters':{'names':['Ledger.txt']}");
        admin.call(
                        "RL_Create",
                        "{'name':'final','applies_to':['DC_Validate'],'when':'document.name.startsWith(`Ledger`)'}"
                                .replace("`", "\\\""))
                .ok();
        for (var api : ClientApi.values()) {
            var cy = tenant.person(api, "cy", Role.MEMBER);
            for (var name : List.of("ledger.TXT", "Ledger two.txt")) {
                var words = "{'name':'%1$s','text':'Words of %1$s.'}".formatted(name);
                var id = cy.call("DC_Submit", words).ok().text("/document/id");
                var isProtected = name.equals("ledger.TXT");
                for (var reference : List.of(id, name)) {
                    var validated = cy.call("DC_Validate", "{'id':'%s'}".formatted(reference));
                    var deleted = cy.call("DC_Delete", "{'id':'%s'}".formatted(reference));
                    if (isProtected) {
                        validated.ok();
                        deleted.refused(3004, "'no'");
                    } else if (reference.equals(id)) {
                        validated.refused(3004, "'final'");
                        deleted.ok();
                    }
                }
            }
        }
    }

    /** Four are created at the same time when there is room for one. */
    @Test
    void noMoreThanTheMostAreCreatedAtOnce() throws Exception {
        fill(RuleStore.MOST - 1);
        var root = tenant.person(ClientApi.REST, "root", Role.ADMIN);
        try (var threads = Executors.newFixedThreadPool(4)) {
            threads.invokeAll(IntStream.range(0, 4)
                    .mapToObj(i -> (Callable<Reply>) () -> root.call(
                            "RL_Create", "{'name':'more %d','applies_to':['AP_Chat'],'when':'true'}".formatted(i)))
                    .toList());
        }
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM rule WHERE tenant_id = :tenant")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .one(row -> row.number("n")))
                .contains((long) RuleStore.MOST);
    }

    @Test
    void aTenantHasSoManyAtMost() {
        fill(RuleStore.MOST);
        admin.call("RL_Create", "{'name':'more','applies_to':['AP_Chat'],'when':'true'}")
                .refused(3003, "100 rules");
    }

    private void fill(int rules) {
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql("""
                    INSERT INTO rule (tenant_id, id, name, name_key, applies_to, expression, effect, message, enabled, priority,
                                      mode, examples, created_at, updated_at, counted_since)
                    SELECT :tenant, gen_random_uuid(), 'r' || n, 'r' || n, '{AP_Chat}', 'false', 'deny', '', true, 0, 'enforce',
                           '[]', :now, :now, :now
                      FROM generate_series(1, :most) n
                    """)
                    .set("tenant", tenant.id(api))
                    .set("now", Instant.now())
                    .set("most", rules)
                    .run();
        }
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
