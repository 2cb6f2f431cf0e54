package io.agentworkspace.engine.workspace.guard;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A lead and its workers: what counts as progress, and what the owner can do about those that were stopped. */
class GuardIncidentTest {
    private static final List<String> WORKERS = List.of("W1", "W2", "W3", "W4", "W5");

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    GuardIncidentTest() {
        agents(ann, "Lead", "W1", "W2", "W3", "W4", "W5");
    }

    private Reply direct(String from, String to) {
        return ann.call("AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'next'}".formatted(to, from));
    }

    private Reply set(String tool, String target, String guard) {
        return ann.call(tool, "{'target':{%s},'guard':{%s}}".formatted(target, guard));
    }

    private void team() {
        domain(ann, "Yard", "private");
        invite(ann, "Yard", "Lead").ok();
        WORKERS.forEach(worker -> invite(ann, "Yard", worker).ok());
    }

    private static List<JsonNode> incidents(TestCaller caller) {
        return caller.call("US_Inbox", "{}")
                .ok()
                .at("/content")
                .valueStream()
                .filter(item -> item.path("kind").asString().equals("guard"))
                .toList();
    }

    private Reply act(String name, String... limits) {
        var action = incidents(ann)
                .getFirst()
                .path("actions")
                .valueStream()
                .filter(one -> one.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
        var arguments = (ObjectNode) action.path("arguments").deepCopy();
        for (var limit : limits) {
            assertThat(action.path("add").toString()).contains("guard." + limit);
            arguments.withObject("/guard").put(limit, 40);
        }
        return ann.call(action.path("tool").asString(), arguments);
    }

    /** Lets the lead and two workers answer each other until each is stopped. */
    private void loop() {
        for (var agent : List.of("Lead", "W1", "W2")) {
            set("AP_Modify", "'agent':'%s'".formatted(agent), "'hops':2").ok();
        }
        for (var worker : List.of("W1", "W2")) {
            direct("Lead", worker).ok();
            direct(worker, "Lead").ok();
            direct("Lead", worker).ok();
            direct(worker, "Lead").refused(3003, "loop guard", "hop 3", "guard", "AP_Modify", "owner");
        }
    }

    @Test
    void aTeamWhoseTasksGoOnIsNotStopped() {
        team();
        for (var i = 0; i < 40; i++) {
            var worker = WORKERS.get(i % 5);
            var task = ann.call(
                            "TK_Create",
                            "{'target':{'domain':'Yard','context':'Lead'},'vx':{'name':'t%d'},'assignee':'%s'}"
                                    .formatted(i, worker))
                    .ok()
                    .text("/task/id");
            direct("Lead", worker).ok();
            ann.call("TK_Claim", "{'task':'%s','target':{'context':'%s'}}".formatted(task, worker))
                    .ok();
            ann.call(
                            "TK_Update",
                            "{'task':'%s','fence':1,'state':'done','target':{'context':'%s'}}".formatted(task, worker))
                    .ok();
            direct(worker, "Lead").ok();
        }
        assertThat(incidents(ann)).isEmpty();
        for (var agent : WORKERS) {
            assertThat(ann.call("US_Read", "{'target':{'context':'%s'}}".formatted(agent))
                            .ok()
                            .number("/header/unread"))
                    .as("messages of the lead that a worker has not got back with its reports")
                    .isZero();
        }
    }

    /** Without an end, since each change would start the count afresh. */
    @Test
    void aTaskThatGoesToAndFroIsNoProgressForLong() {
        team();
        for (var agent : List.of("Lead", "W1")) {
            set("AP_Modify", "'agent':'%s'".formatted(agent), "'hops':2,'per_minute':600")
                    .ok();
        }
        var task = ann.call("TK_Create", "{'target':{'domain':'Yard','context':'Lead'},'vx':{'name':'t'}}")
                .ok()
                .text("/task/id");
        for (var i = 0; i < 14; i++) {
            ann.call(
                            "TK_Update",
                            "{'task':'%s','state':'%s','target':{'context':'W1'}}"
                                    .formatted(task, i % 2 == 0 ? "done" : "open"))
                    .ok();
            if (i < 12) {
                direct("Lead", "W1").ok();
                direct("W1", "Lead").ok();
            }
        }
        direct("Lead", "W1").ok();
        direct("W1", "Lead").refused(3003, "loop guard", "hop 3");
    }

    @Test
    void progressBetweenTwoMessagesStartsTheChainAndTheCountsAfresh() {
        team();
        for (var agent : List.of("Lead", "W1")) {
            set("AP_Modify", "'agent':'%s'".formatted(agent), "'hops':2,'per_minute':600")
                    .ok();
        }
        var task = ann.call("TK_Create", "{'target':{'domain':'Yard','context':'Lead'},'vx':{'name':'t'}}")
                .ok()
                .text("/task/id");
        var fence = 0;
        for (var i = 0; i < 6; i++) {
            direct("Lead", "W1").ok();
            var report = direct("W1", "Lead").ok();
            assertThat(report.text("/content/0/id")).isNotEmpty();
            if (fence == 0) {
                ann.call("TK_Claim", "{'task':'%s','target':{'context':'W1'}}".formatted(task))
                        .ok();
                fence = 1;
            } else {
                ann.call(
                                "TK_Update",
                                "{'task':'%s','fence':1,'state':'%s','target':{'context':'W1'}}"
                                        .formatted(task, i % 2 == 0 ? "doing" : "blocked"))
                        .ok();
            }
        }
        direct("Lead", "W1").ok();
        direct("W1", "Lead").ok();
        direct("Lead", "W1").ok();
        ann.call("TK_Update", "{'task':'%s','fence':1,'note':'no new state','target':{'context':'W1'}}".formatted(task))
                .ok();
        ann.call("TK_Create", "{'target':{'domain':'Yard','context':'Lead'},'vx':{'name':'u'}}")
                .ok();
        direct("W1", "Lead").refused(3003, "hop 3");
    }

    @Test
    void oneIncidentIsOneEntryWhateverTheNumberOfItsAgents() {
        loop();
        direct("W2", "Lead").refused(3003, "loop guard");
        var incident = incidents(ann).getFirst();
        assertThat(incidents(ann)).hasSize(1);
        assertThat(incident.path("agents").toString()).isEqualTo("[\"Lead\",\"W1\",\"W2\"]");
        assertThat(incident.path("about").asString()).isEqualTo("Lead, W1, W2");
        assertThat(incident.path("refused").asInt()).isEqualTo(3);
        assertThat(incident.path("retry_at").asString()).isNotEmpty();
        assertThat(incident.at("/guard/hops").asInt()).isEqualTo(2);
        assertThat(incident.path("actions")
                        .valueStream()
                        .map(each -> each.path("name").asString()))
                .containsExactly("allow 50 more", "stop them", "change the limit", "write to the agent");
        assertThat(incidents(tenant.member("bob"))).isEmpty();
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql("UPDATE guard_stop SET retry_at = now() - interval '1 second' WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(api))
                    .run();
        }
        assertThat(incidents(ann)).as("after the limit has ended").isEmpty();
    }

    @Test
    void fiftyMoreAreFiftyMoreForAllAgentsOfTheIncidentTogether() {
        loop();
        act("allow 50 more").ok();
        assertThat(incidents(ann)).isEmpty();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'W1'}}").ok().number("/guard/more"))
                .isEqualTo(50);
        for (var i = 0; i < 25; i++) {
            direct("W1", "Lead").ok();
            direct("Lead", "W1").ok();
        }
        direct("W2", "Lead").refused(3003, "loop guard");
        assertThat(incidents(ann)).hasSize(1);
        set("AP_Modify", "'agent':'W2'", "'more':1").ok();
        assertThat(incidents(ann)).isEmpty();
        direct("W2", "Lead").ok();
    }

    @Test
    void theyAreStoppedUntilTheOwnerLetsThemGoOn() {
        loop();
        act("stop them").ok();
        assertThat(incidents(ann)).isEmpty();
        for (var to : List.of("Lead", "W3")) {
            direct("W1", to).refused(3003, "stopped", "guard.stopped false");
        }
        direct("W3", "W1").refused(3003, "stopped");
        direct("W3", "W4").ok();
        assertThat(incidents(ann)).as("the owner knows").isEmpty();
        ann.call("AP_Chat", "{'target':{'context':'W1'},'to_user':true,'content':'why?'}")
                .ok();
        ann.call("AP_Chat", "{'target':{'agent':'W1'},'content':'because'}").ok();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'W1'}}")
                        .ok()
                        .at("/guard/stopped")
                        .asBoolean())
                .isTrue();
        set("AP_Modify", "'agent':'W1'", "'stopped':false").ok();
        direct("W1", "W3").ok();
    }

    @Test
    void whoWasStoppedTogetherGoesOnTogether() {
        loop();
        var incident = incidents(ann).getFirst().path("id").asString();
        act("stop them").ok();
        assertThat(stopped()).containsExactly("Lead", "W1", "W2");
        set("AP_Modify", "'agent':'W3'", "'stopped':true").ok();
        set("AP_Modify", "'agent':'Lead'", "'stopped':false,'incident':'%s'".formatted(incident))
                .ok();
        assertThat(stopped()).as("what was stopped for itself").containsExactly("W3");
    }

    @Test
    void anIncidentIsOfThoseWhoAreInIt() {
        loop();
        var incident = incidents(ann).getFirst().path("id").asString();
        act("stop them").ok();
        set("AP_Modify", "'agent':'W3'", "'stopped':true,'incident':'%s'".formatted(incident))
                .ok();
        set("AP_Modify", "'agent':'Lead'", "'stopped':false,'incident':'%s'".formatted(incident))
                .ok();
        assertThat(stopped()).as("who was never in it").containsExactly("W3");
    }

    private List<String> stopped() {
        return Stream.of("Lead", "W1", "W2", "W3")
                .filter(agent -> ann.call("AP_Read", "{'target':{'agent':'%s'}}".formatted(agent))
                        .ok()
                        .at("/guard/stopped")
                        .asBoolean(false))
                .toList();
    }

    @Test
    void changingTheLimitEndsAnIncident() {
        loop();
        act("change the limit").refused(1003, "guard.hops");
        act("change the limit", "hops").ok();
        assertThat(incidents(ann)).isEmpty();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Lead'}}").ok().number("/guard/hops"))
                .isEqualTo(40);
        direct("W2", "Lead").ok();
        set("AP_Modify", "'agent':'Lead'", "'stopped':true,'more':3").refused(1004, "guard");
        set("AP_Modify", "'agent':'Lead'", "'hops':3,'incident':'x'").refused(1004, "guard.incident");
    }

    @Test
    void aZonesIncidentIsTheDomainsAndItsGuardAloneChangesIt() {
        team();
        set("DM_Update", "'domain':'Yard'", "'per_minute':1").ok();
        Reply last;
        var said = 0;
        do {
            last = say(ann, WORKERS.get(said++ % 2), "Yard", "main", "again");
        } while (last.code() == 0);
        last.refused(3003, "loop guard", "guard", "DM_Update", "the owner of the domain 'Yard'");
        assertThat(incidents(ann)).hasSize(1);
        act("allow 50 more").ok();
        assertThat(incidents(ann)).isEmpty();
        assertThat(ann.call("DM_Read", "{'target':{'domain':'Yard'}}").ok().number("/guard/more"))
                .isEqualTo(50);
        for (var i = 0; i < 50; i++) {
            say(ann, WORKERS.get(i % 2), "Yard", "main", "more").ok();
        }
        say(ann, "W1", "Yard", "main", "again").refused(3003, "loop guard");
        act("stop them").ok();
        say(ann, "W1", "Yard", "main", "again").refused(3003, "stopped");
        assertThat(incidents(ann)).isEmpty();
        ann.call("DM_Update", "{'target':{'domain':'Yard'}}").refused(1003, "vx.name");
        set("DM_Update", "'domain':'Yard'", "'stopped':false,'per_minute':30").ok();
        say(ann, "W1", "Yard", "main", "at last").ok();
    }

    @Test
    void onlyWhoMaySetTheGuardSeesIt() {
        var bob = tenant.member("bob");
        domain(ann, "Yard", "public");
        ann.call("AP_Modify", "{'target':{'agent':'W1'},'vx':{'access':'public'}}")
                .ok();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'W1'}}")
                        .ok()
                        .at("/guard")
                        .toString())
                .isEqualTo("{\"hops\":24,\"per_minute\":30}");
        assertThat(ann.call("DM_Read", "{'target':{'domain':'Yard'}}")
                        .ok()
                        .at("/guard")
                        .toString())
                .isEqualTo("{\"hops\":24,\"per_minute\":30}");
        assertThat(bob.call("AP_Read", "{'target':{'agent':'W1'}}")
                        .ok()
                        .at("/guard")
                        .isMissingNode())
                .isTrue();
        assertThat(bob.call("DM_Read", "{'target':{'domain':'Yard'}}")
                        .ok()
                        .at("/guard")
                        .isMissingNode())
                .isTrue();
        bob.call("AP_Modify", "{'target':{'agent':'W1'},'guard':{'more':5}}").refused(2003);
        bob.call("DM_Update", "{'target':{'domain':'Yard'},'guard':{'more':5}}").refused(2003);
    }
}
