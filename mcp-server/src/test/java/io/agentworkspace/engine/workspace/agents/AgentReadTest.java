package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** AP_Read of an agent: whose messages it shows to whom, and the same again. */
class AgentReadTest {
    private static final String READ = "{'target':{'agent':'Ada'}}";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    @BeforeEach
    void readTwice() {
        create(ann, "Ada", "public");
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'one'}").ok();
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'two'}").ok();
        var first = ann.call("AP_Read", READ).ok();
        var next = ann.call("AP_Read", READ).ok();
        assertThat(next.at("/profile")).isEqualTo(first.at("/profile"));
        assertThat(next.at("/content")).isEqualTo(first.at("/content"));
        assertThat(next.texts("/content", "from")).containsExactly("ann", "ann");
        assertThat(next.texts("/content", "to_kind")).containsExactly("agent", "agent");
    }

    private static void create(TestCaller owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
    }

    @Test
    void messagesOfOthersAreShownWithTheirNames() {
        tenant.member("bob")
                .call("AP_Chat", "{'target':{'agent':'Ada'},'content':'three'}")
                .ok();
        for (var again = 0; again < 3; again++) {
            var read = ann.call("AP_Read", READ).ok();
            assertThat(read.texts("/content", "content")).containsExactly("one", "two", "three");
            assertThat(read.texts("/content", "from")).containsExactly("ann", "ann", "bob");
        }
    }

    @Test
    void messagesInAZoneAreShown() {
        ann.call("DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Square','description':'d'}}")
                .ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada','context':'desk'}}").ok();
        ann.call("AP_Chat", "{'target':{'domain':'Square','context':'desk'},'content':'three'}")
                .ok();
        assertThat(ann.call("AP_Read", READ).ok().texts("/content", "domain")).containsExactly("", "", "Square");
    }

    @Test
    void theAgentIsShownAsItIsNow() {
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'other'}}")
                .ok();
        assertThat(ann.call("AP_Read", READ).ok().texts("/profile", "description"))
                .containsExactly("other");
        ann.call("AP_Destroy", READ).ok();
        ann.call("AP_Read", READ).refused(3001, "'Ada'");
    }

    @Test
    void othersReadItByTheRules() {
        var bob = tenant.member("bob");
        assertThat(bob.call("AP_Read", READ).ok().at("/content").size()).isZero();
        assertThat(tenant.person("root", Role.ADMIN).call("AP_Read", READ).ok().texts("/content", "from"))
                .containsExactly("ann", "ann");
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'private'}}")
                .ok();
        bob.call("AP_Read", READ).refused(3001, "'Ada'");
    }
}
