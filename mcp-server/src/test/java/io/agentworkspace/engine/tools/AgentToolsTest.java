package io.agentworkspace.engine.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.TestTenant;
import org.junit.jupiter.api.Test;

class AgentToolsTest {
    private final TestTenant tenant = new TestTenant();

    @Test
    void aNewAgentIsOnItsOwnersRoster() {
        var ann = tenant.member("ann");
        var made = ann.call("AP_Create", "{'vx':{'name':' Ada ','description':'Keeps the books.'}}").ok();
        assertThat(made.text("/agent/name")).isEqualTo("Ada");
        assertThat(made.text("/agent/access")).isEqualTo("private");
        assertThat(made.text("/agent/owner")).isEqualTo("ann");
        assertThat(made.number("/revision")).isEqualTo(1);
        assertThat(ann.call("AP_List").ok().texts("/profile", "name")).containsExactly("Ada");
    }

    @Test
    void someoneElsesAgentLooksMissing() {
        tenant.member("ann").call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        tenant.member("bob").call("AP_Read", "{'target':{'agent':'ada'}}").refused(3001, "'ada'");
    }

    @Test
    void readingAnswersTheRecord() {
        var ann = tenant.member("ann");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d','profile':'You are Ada.'}}").ok();
        var read = ann.call("AP_Read", "{'target':{'agent':'ADA'}}").ok();
        assertThat(read.text("/profile/0/profile")).isEqualTo("You are Ada.");
        assertThat(read.at("/content").isArray()).isTrue();
        ann.call("AP_Read", "{'target':{'agent':'Adda'}}").refused(3001, "did you mean 'Ada'?");
        ann.call("AP_Read").refused(1006, "AP_Select");
    }
}
