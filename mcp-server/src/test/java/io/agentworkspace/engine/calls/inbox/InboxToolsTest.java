package io.agentworkspace.engine.calls.inbox;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Ann owns the agents Ada and Ala, Bob owns Ben. */
class InboxToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    InboxToolsTest() {
        agents(ann, "Ada", "Ala");
        agents(bob, "Ben");
    }

    private static Reply inbox(TestCaller caller) {
        return caller.call("US_Inbox", "{}").ok();
    }

    private static List<String> kinds(Reply inbox) {
        return inbox.envelope()
                .path("content")
                .valueStream()
                .map(item -> item.path("kind").asString())
                .toList();
    }

    /** Runs what the first item offers under this name, with further arguments. */
    private static Reply act(TestCaller caller, String name, String... content) {
        var action = inbox(caller)
                .envelope()
                .at("/content/0/actions")
                .valueStream()
                .filter(one -> one.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
        var arguments = (ObjectNode) action.path("arguments").deepCopy();
        if (content.length > 0) {
            arguments.put(action.at("/add/0").asString(), content[0]);
        }
        return caller.call(action.path("tool").asString(), arguments);
    }

    private static JsonNode first(Reply inbox) {
        return inbox.envelope().at("/content/0");
    }

    @Test
    void directMessagesWaitUntilTheyAreAnswered() {
        for (var text : List.of("one", "two")) {
            ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'%s'}".formatted(text))
                    .ok();
        }
        var waiting = inbox(ann);
        assertThat(kinds(waiting)).containsExactly("message", "message");
        assertThat(first(waiting).path("text").asString()).isEqualTo("two");
        assertThat(first(waiting).path("from").asString()).isEqualTo("Ada");
        assertThat(waiting.text("/counts/message")).isEqualTo("2");
        assertThat(waiting.envelope().path("counts").size()).isEqualTo(1);
        assertThat(kinds(inbox(bob))).isEmpty();
        act(ann, "reply", "Yes.").ok();
        assertThat(inbox(ann).texts("/content", "text")).containsExactly("one");
        assertThat(inbox(ann).text("/counts/message")).isEqualTo("1");
        act(ann, "reply", "Yes.").ok();
        assertThat(kinds(inbox(ann))).isEmpty();
        ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'three'}")
                .ok();
        assertThat(act(ann, "reply", "Thanks.").ok().text("/content/0/to")).isEqualTo("Ada");
        assertThat(kinds(inbox(ann))).isEmpty();
    }

    @Test
    void questionsWaitUntilTheyAreAnsweredWithdrawnOrExpired() {
        ask("'content':'Deploy?','choices':['yes','no']");
        var waiting = inbox(ann);
        assertThat(kinds(waiting)).containsExactly("question");
        assertThat(waiting.envelope().path("counts").toString()).isEqualTo("{\"question\":1}");
        ann.call("AP_Wait", "{'wait_seconds':0}").ok(); // It is read, and still open.
        assertThat(kinds(inbox(ann))).containsExactly("question");
        assertThat(act(ann, "no").ok().text("/question/answer")).isEqualTo("no");
        ask("'content':'Why?'");
        act(ann, "answer", "It is Friday.").ok();
        var third = ask("'content':'Where?'").text("/question/id");
        ann.call("AP_Answer", "{'question':'%s','withdraw':true,'target':{'context':'Ada'}}".formatted(third))
                .ok();
        ask("'content':'When?','expires_seconds':600");
        set("UPDATE question SET expires_at = now() WHERE tenant_id = :tenant");
        ann.call("AP_Wait", "{'wait_seconds':0}").ok();
        assertThat(kinds(inbox(ann))).isEmpty();
        ann.call("AP_Ask", "{'target':{'agent':'Ala','context':'Ada'},'content':'Ala?'}")
                .ok();
        assertThat(kinds(inbox(ann))).isEmpty();
    }

    private Reply ask(String fields) {
        return ann.call("AP_Ask", "{'target':{'context':'Ada'},%s}".formatted(fields))
                .ok();
    }

    private void set(String statement) {
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql(statement).set("tenant", tenant.id(api)).run();
        }
    }

    @Test
    void invitationsWaitForTheOwnerOfTheAgentAndRequestsForTheOwnerOfTheDomain() {
        bob.call("AP_Modify", "{'target':{'agent':'Ben'},'vx':{'access':'public'}}")
                .ok();
        domain(ann, "Den", "private");
        invite(ann, "Den", "Ben").ok();
        var invited = inbox(bob);
        assertThat(kinds(invited)).containsExactly("invitation");
        assertThat(first(invited).path("from").asString()).isEqualTo("ann");
        assertThat(first(invited).path("about").asString()).isEqualTo("Den");
        assertThat(kinds(inbox(ann))).isEmpty();
        act(bob, "decline").ok();
        assertThat(kinds(inbox(bob))).isEmpty();
        domain(ann, "Hall", "domain");
        var carl = tenant.person("carl", Role.ADMIN);
        invite(ann, "Hall", "Ben").ok();
        assertThat(kinds(inbox(carl))).containsExactly("invitation");
        assertThat(act(bob, "accept").ok().text("/membership/state")).isEqualTo("member");
        agents(bob, "Bea");
        invite(bob, "Hall", "Bea").ok();
        var inbox = inbox(ann);
        assertThat(kinds(inbox)).containsExactly("request");
        assertThat(first(inbox).path("from").asString()).isEqualTo("bob");
        assertThat(kinds(inbox(bob))).isEmpty();
        assertThat(act(ann, "accept").ok().text("/membership/state")).isEqualTo("member");
        assertThat(kinds(inbox(carl))).isEmpty();
    }

    @Test
    void aStopOfTheLoopGuardWaitsUntilTheAgentGoesOn() {
        domain(ann, "Den", "private");
        ann.call(
                        "DM_Update",
                        "{'target':{'domain':'Den'},'vx':{'name':'Den','description':'d'},'guard':{'per_minute':1}}")
                .ok();
        invite(ann, "Den", "Ada").ok();
        invite(ann, "Den", "Ala").ok();
        Reply last;
        var said = 0;
        do {
            last = say(ann, said++ % 2 == 0 ? "Ada" : "Ala", "Den", "main", "again");
        } while (last.code() == 0);
        last.refused(3003, "loop guard");
        var waiting = inbox(ann);
        assertThat(kinds(waiting)).containsExactly("guard");
        assertThat(first(waiting).path("about").asString()).isEqualTo("Den, main");
        assertThat(first(waiting).path("text").asString()).startsWith("loop guard");
        assertThat(first(waiting).at("/actions/3/arguments/target/zone").asString())
                .isEqualTo("main");
        assertThat(kinds(inbox(bob))).isEmpty();
        set("UPDATE conversation SET agents_said = 0 WHERE tenant_id = :tenant");
        say(ann, first(waiting).path("from").asString(), "Den", "main", "on").ok();
        assertThat(kinds(inbox(ann))).isEmpty();
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'guard':{'per_minute':1}}")
                .ok();
        do {
            last = ann.call("AP_Chat", "{'target':{'agent':'Ala','context':'Ada'},'content':'you'}");
        } while (last.code() == 0);
        last.refused(3003, "loop guard");
        assertThat(first(inbox(ann)).path("about").asString()).isEqualTo("Ada, Ala");
        set("UPDATE guard_received SET person_at = now() + interval '1 minute' WHERE tenant_id = :tenant");
        set(
                "INSERT INTO guard_received (tenant_id, agent_id, person_at) SELECT tenant_id, id, now() + interval '1 minute' FROM agent"
                        + " WHERE tenant_id = :tenant ON CONFLICT DO NOTHING");
        assertThat(kinds(inbox(ann))).isEmpty();
    }

    @Test
    void aBlockedTaskWaitsForWhoeverCreatedIt() {
        domain(ann, "Den", "private");
        invite(ann, "Den", "Ada").ok();
        var task = ann.call("TK_Create", "{'target':{'domain':'Den'},'vx':{'name':'Paint'}}")
                .ok()
                .text("/task/id");
        ann.call("TK_Claim", "{'task':'%s','target':{'context':'Ada'}}".formatted(task))
                .ok();
        ann.call(
                        "TK_Update",
                        "{'task':'%s','fence':1,'state':'blocked','note':'no brush','target':{'context':'Ada'}}"
                                .formatted(task))
                .ok();
        ann.call("AP_Wait", "{'wait_seconds':0}").ok();
        var waiting = inbox(ann);
        assertThat(kinds(waiting)).containsExactly("task");
        assertThat(first(waiting).path("text").asString()).isEqualTo("Paint: no brush");
        assertThat(first(waiting).path("from").asString()).isEqualTo("Ada");
        assertThat(first(waiting).at("/actions/0/arguments/fence").asLong()).isEqualTo(1);
        assertThat(kinds(inbox(bob))).isEmpty();
        assertThat(act(ann, "open again", "There is one now.").ok().text("/task/state"))
                .isEqualTo("open");
        assertThat(kinds(inbox(ann))).isEmpty();
    }

    @Test
    void heldToolsAndFailingEndpointsWaitForAdmins() {
        set("""
                INSERT INTO upstream (tenant_id, name, url, credential, timeout_ms, created_at, updated_at)
                VALUES (:tenant, 'boats', 'https://example.com/mcp', '{"kind":"none"}', 1000, now(), now())
                """);
        set("""
                INSERT INTO upstream_tool (tenant_id, upstream, tool, name, definition, digest, state, reason)
                VALUES (:tenant, 'boats', 'sail', 'boats_sail', '{"name":"sail","inputSchema":{"type":"object"}}', 'x', 'held', 'it is new')
                """);
        set("""
                INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret, failing_since, failures_in_row)
                VALUES (:tenant, '%s', 'https://example.com/hook', '{webhook.test}', now(), now(), 'x', now(), 3)
                """.formatted(UUID.randomUUID()));
        var carl = tenant.person("carl", Role.ADMIN);
        var waiting = inbox(carl);
        assertThat(kinds(waiting)).containsExactlyInAnyOrder("endpoint", "upstream");
        assertThat(waiting.envelope().path("content").toString())
                .contains("1 tool is held: boats_sail", "the last 3 deliveries failed");
        assertThat(kinds(inbox(ann))).isEmpty();
        set("UPDATE webhook_endpoint SET failing_since = NULL WHERE tenant_id = :tenant");
        act(carl, "approve").ok();
        assertThat(kinds(inbox(carl))).isEmpty();
    }

    @Test
    void whatACredentialMayNotReadOrDoIsLeftOut() {
        var carl = tenant.person("carl", Role.ADMIN);
        agents(carl, "Cal");
        var dora = tenant.person("dora", Role.MEMBER, "user:read", "agent:read");
        var blind = tenant.person("eve", Role.ADMIN, "user:read");
        for (var user : List.of("dora", "eve")) {
            carl.call("AP_Ask", "{'target':{'context':'Cal'},'content':'Deploy?'}")
                    .ok();
            set(
                    "UPDATE question q SET to_id = u.id FROM app_user u WHERE q.tenant_id = :tenant AND u.tenant_id = q.tenant_id"
                            + " AND u.name = '%s' AND q.to_id = (SELECT c.id FROM app_user c WHERE c.tenant_id = :tenant AND c.name = 'carl')"
                                    .formatted(user));
        }
        assertThat(kinds(inbox(dora))).containsExactly("question");
        assertThat(first(inbox(dora)).path("actions").isEmpty()).isTrue();
        assertThat(kinds(inbox(blind))).isEmpty();
        dora.call("US_Inbox", "{'target':{'user':'ann'}}").refused(2003, "dora");
        var inbox = carl.call("US_Inbox", "{'target':{'user':'dora'}}").ok();
        assertThat(kinds(inbox)).containsExactly("question");
        assertThat(first(inbox).path("actions").isEmpty()).isTrue();
        assertThat(kinds(inbox(new TestTenant().member("dora")))).isEmpty();
    }

    @Test
    void pagesContinueWithoutGapsOrRepetitions() {
        for (var i = 0; i < 4; i++) {
            ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'m%d'}".formatted(i))
                    .ok();
            ask("'content':'q%d'".formatted(i));
        }
        var texts = new ArrayList<String>();
        var cursor = "";
        do {
            var page = ann.call("US_Inbox", "{'page':{'limit':3%s}}".formatted(cursor))
                    .ok();
            page.envelope()
                    .path("content")
                    .forEach(item -> texts.add(item.path("text").asString()));
            assertThat(page.text("/counts/message")).isEqualTo("4");
            cursor = page.text("/next_cursor").isEmpty() ? "" : ",'cursor':'%s'".formatted(page.text("/next_cursor"));
        } while (!cursor.isEmpty());
        assertThat(texts).containsExactlyInAnyOrder("m0", "q0", "m1", "q1", "m2", "q2", "m3", "q3");
        ann.call("US_Inbox", "{'page':{'cursor':'x'}}").refused(1004, "cursor");
    }
}
