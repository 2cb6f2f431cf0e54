package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import org.junit.jupiter.api.Test;

class PresenceToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    PresenceToolsTest() {
        for (var name : new String[] {"Ada", "Bea"}) {
            ann.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'public'}}".formatted(name))
                    .ok();
        }
    }

    @Test
    void addingAndRemovingAreIdempotent() {
        var bob = tenant.member("bob");
        assertThat(bob.call("AP_Add", "{'target':{'agent':'Ada'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(bob.call("AP_Add", "{'target':{'agent':'ada'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        assertThat(bob.call("AP_List").ok().texts("/profile", "name")).containsExactly("Ada");
        bob.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        var removed = bob.call("AP_Remove", "{'target':{'agent':'Ada'}}").ok();
        assertThat(removed.at("/changed").asBoolean()).isTrue();
        assertThat(removed.at("/header/context/agent").isMissingNode()).isTrue();
        assertThat(bob.call("AP_Remove", "{'target':{'agent':'Ada'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        bob.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        bob.call("AP_Add").refused(1006, "AP_LogOn");
        bob.call("AP_LogOn").refused(1006, "give target.agent", "AP_List");
    }

    @Test
    void loggingOnShowsOnlineAndLoggingOffEndsIt() {
        assertThat(online("Ada")).isFalse();
        var on = ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        assertThat(on.text("/header/context/self")).isEqualTo("Ada");
        assertThat(on.at("/changed").asBoolean()).isTrue();
        assertThat(on.at("/agent/online").asBoolean()).isTrue();
        assertThat(online("Ada")).isTrue();
        assertThat(ann.call("AP_LogOff", "{'target':{'agent':'Bea'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        assertThat(ann.call("AP_LogOff").ok().at("/changed").asBoolean()).isTrue();
        assertThat(ann.call("AP_LogOff").ok().at("/changed").asBoolean()).isFalse();
        assertThat(online("Ada")).isFalse();
    }

    @Test
    void anAgentIsOfflineFifteenMinutesAfterItsLastCommand() {
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        age(14);
        assertThat(online("Ada")).isTrue();
        age(2);
        assertThat(online("Ada")).isFalse();
        assertThat(ann.call("AP_Select").ok().text("/header/context/self")).isEqualTo("Ada");
    }

    private void age(int minutes) {
        TestDatabase.db()
                .sql("UPDATE context SET used_at = used_at - make_interval(mins => CAST(:minutes AS integer))"
                        + " WHERE tenant_id IN (:one, :other)")
                .set("minutes", minutes)
                .set("one", tenant.id(ClientApi.MCP))
                .set("other", tenant.id(ClientApi.REST))
                .run();
    }

    /** Asks as another user, so that the question does not count as a command of the agent. */
    private boolean online(String agent) {
        var list = tenant.member("looker " + System.nanoTime())
                .call("AP_List", "{'target':{'agent':'%s'}}".formatted(agent))
                .ok();
        assertThat(list.at("/profile/0/online")).isEqualTo(list.at("/content/0/online"));
        return list.at("/content/0/online").asBoolean();
    }

    @Test
    void namedContextsOfOneKeyAreSeparate() {
        ann.call("AP_LogOn", "{'target':{'agent':'Ada','context':'desk one'}}").ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Bea','context':'desk two'}}").ok();
        var one = ann.call("AP_Select", "{'target':{'agent':'Bea','context':'desk one'}}")
                .ok();
        assertThat(one.text("/header/context/name")).isEqualTo("desk one");
        assertThat(one.text("/header/context/self")).isEqualTo("Ada");
        assertThat(one.text("/header/context/agent")).isEqualTo("Bea");
        var two = ann.call("AP_Select", "{'target':{'context':'desk two'}}").ok();
        assertThat(two.text("/header/context/self")).isEqualTo("Bea");
        assertThat(two.at("/selected").isMissingNode()).isTrue();
        assertThat(ann.call("US_Read").ok().at("/header/context/self").isMissingNode())
                .isTrue();
        ann.call("US_Read", "{'target':{'context':'%s'}}".formatted("c".repeat(65)))
                .refused(1005, "target.context");
    }

    @Test
    void selectingIsIdempotentAndReportsWithoutAName() {
        assertThat(ann.call("AP_Select").ok().at("/selected").isMissingNode()).isTrue();
        assertThat(ann.call("AP_Select", "{'target':{'agent':'bea'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(ann.call("AP_Select", "{'target':{'agent':'BEA'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        assertThat(ann.call("AP_Select").ok().text("/selected")).isEqualTo("Bea");
    }

    @Test
    void theUserKnowsWhoItIs() {
        var me = ann.call("US_Read").ok();
        assertThat(me.text("/profile/0/user")).isEqualTo("ann");
        assertThat(me.text("/profile/0/role")).isEqualTo("member");
        assertThat(me.text("/profile/0/capabilities/0")).isEqualTo("*");
        assertThat(me.text("/profile/0/plan")).isEqualTo("unlimited");
        assertThat(me.at("/content").isEmpty()).isTrue();
        assertThat(me.at("/profile/0/limits").isArray()).isTrue();
    }

    @Test
    void whatWasSelectedAndIsHiddenNowIsNotShownAnyMore() {
        var bob = tenant.member("bob");
        DomainSetup.agents(bob, "Bo");
        DomainSetup.domain(ann, "Lab", "public");
        DomainSetup.invite(bob, "Lab", "Bo").ok();
        bob.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        DomainSetup.enter(bob, "default", "Lab", "main").ok();
        DomainSetup.of(ann, "DM_Kick", "Lab", "Bo").ok();
        ann.call("DM_Update", "{'target':{'domain':'Lab'},'vx':{'name':'Secret','description':'d','access':'private'}}")
                .ok();
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'name':'Hidden','access':'private'}}")
                .ok();
        var context = bob.call("US_Read").ok().at("/header/context");
        assertThat(context.propertyNames()).containsExactly("name", "user");
        bob.call("AP_Chat", "{'content':'who hears this?'}").refused(1006);
    }

    @Test
    void selectingNothingSaysThatNothingIsSelected() {
        var ann = new TestTenant().member("ann");
        assertThat(ann.call("AP_Select").ok().text("/note")).contains("No agent is selected", "AP_List");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        var selected = ann.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        assertThat(selected.text("/selected")).isEqualTo("Ada");
        assertThat(selected.envelope().has("note")).isFalse();
    }
}
