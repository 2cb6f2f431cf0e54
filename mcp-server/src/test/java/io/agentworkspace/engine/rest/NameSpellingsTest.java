package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestTenant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One name has many spellings, whatever it is the name of: whoever has one of them has the name. */
class NameSpellingsTest {
    @ParameterizedTest
    @CsvSource({"Gro\u00DFe  Halle, gro\u1E9Ee halle", "Hall 1, \uFF28\uFF41\uFF4C\uFF4C  \uFF11"})
    void everyKindOfNameHasOneOwner(String name, String spelling) {
        var owner = new TestTenant().owner();
        owner.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        var domain = "{'target':{'agent':'Ada'},'vx':{'name':'%s','description':'d'}}";
        owner.call("DM_Create", domain.formatted(name)).ok();
        owner.call("DM_Create", domain.formatted(spelling)).refused(3002);
        var zone = "{'target':{'domain':'%s'},'vx':{'name':'%s'}}";
        owner.call("ZN_Create", zone.formatted(spelling, name)).ok();
        owner.call("ZN_Create", zone.formatted(name, spelling)).refused(3002);
        var bank = "{'target':{'agent':'Ada'},'vx':{'name':'%s'}}";
        owner.call("MB_Create", bank.formatted(name)).ok();
        owner.call("MB_Create", bank.formatted(spelling)).refused(3002);
        var user = "{'vx':{'name':'%s'}}";
        owner.call("US_Create", user.formatted(name)).ok();
        owner.call("US_Create", user.formatted(spelling)).refused(3002);
        var rule = "{'name':'%s','applies_to':['MB_Load'],'when':'true','effect':'audit'}";
        owner.call("RL_Create", rule.formatted(name)).ok();
        owner.call("RL_Create", rule.formatted(spelling)).refused(3002);
        assertThat(owner.call("DM_Read", "{'target':{'domain':'%s'}}".formatted(spelling))
                        .ok()
                        .text("/profile/0/name"))
                .isEqualTo(name);
        assertThat(owner.call("MB_Read", "{'target':{'bank':'%s'}}".formatted(spelling))
                        .ok()
                        .at("/content"))
                .isEmpty();
    }
}
