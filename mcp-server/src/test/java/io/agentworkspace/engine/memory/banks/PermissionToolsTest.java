package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.in;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.shareDomain;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeAs;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PermissionToolsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    PermissionToolsTest() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
    }

    private static Reply list(TestCaller who, String bank) {
        return who.call("MB_AgentList", bank(bank)).ok();
    }

    private static Reply report(TestCaller who, String bank) {
        return who.call("MB_Permissions", bank(bank)).ok();
    }

    @Test
    void theAgentsOfABankAreListedWithWhatTheyHoldAndDid() {
        grant(ann, "b", "Bo", "append").ok();
        storeAs(bob, "b", "Bo", "x").ok();
        storeAs(bob, "b", "Bo", "y").ok();
        bob.call("MB_Load", "{'target':{'agent':'Bo'},'vx':{'name':'b'}}").ok();
        var listed = list(ann, "b");
        assertThat(listed.texts("/profile", "name")).containsExactly("Ada", "Bo");
        assertThat(listed.text("/profile/1/owner")).isEqualTo("bob");
        assertThat(listed.texts("/content", "agent")).containsExactly("Ada", "Bo");
        assertThat(listed.texts("/content", "permission")).containsExactly("manage", "append");
        assertThat(listed.texts("/content", "via")).containsExactly("owner", "grant");
        assertThat(listed.texts("/content", "loaded")).containsExactly("false", "true");
        assertThat(listed.texts("/content", "memories")).containsExactly("0", "2");
    }

    @Test
    void whoManagesSeesAllHoldersWhoReadsJustTheVisible() {
        agent(bob, "Hid");
        bank(bob, "his");
        grant(bob, "his", "Hid", "append").ok();
        bob.call("AP_Modify", "{'target':{'agent':'Bo'},'vx':{'access':'private'}}")
                .ok();
        agent(ann, "Pub", "public");
        grant(bob, "his", "Pub", "read").ok();
        assertThat(list(ann, "his").texts("/profile", "name")).containsExactly("Pub");
        grant(bob, "his", "Pub", "manage").ok();
        assertThat(list(ann, "his").texts("/profile", "name")).containsExactly("Bo", "Hid", "Pub");
        assertThat(list(bob, "his").texts("/profile", "name")).containsExactly("Bo", "Hid", "Pub");
        var admin = fixture.tenant.person("root", Role.ADMIN);
        assertThat(list(admin, "his").texts("/profile", "name")).containsExactly("Bo", "Hid", "Pub");
    }

    @Test
    void aPublicBankListsTheVisibleAgentsByAccess() {
        agent(bob, "Hid");
        bank(ann, "open", "public");
        var listed = list(ann, "open");
        assertThat(listed.texts("/content", "agent")).containsExactly("Ada", "Bo");
        assertThat(listed.texts("/content", "permission")).containsExactly("manage", "read");
        assertThat(listed.texts("/content", "via")).containsExactly("owner", "access");
        assertThat(list(bob, "open").texts("/content", "agent")).containsExactly("Bo", "Hid");
    }

    @Test
    void theListIsNarrowedToAnAgent() {
        grant(ann, "b", "Bo", "read").ok();
        assertThat(ann.call("MB_AgentList", share("b", "BO")).ok().texts("/content", "agent"))
                .containsExactly("Bo");
        agent(bob, "Seen", "public");
        assertThat(ann.call("MB_AgentList", share("b", "Seen")).ok().at("/content"))
                .isEmpty();
        agent(bob, "Hid");
        ann.call("MB_AgentList", share("b", "Hid")).refused(3001, "no agent 'Hid'");
    }

    @Test
    void theListIsPagedByName() {
        for (var i = 0; i < 4; i++) {
            agent(ann, "a" + i);
        }
        var names = new ArrayList<String>();
        var page = ann.call("MB_AgentList", "{'target':{'bank':'b'},'page':{'limit':2}}")
                .ok();
        while (true) {
            names.addAll(page.texts("/profile", "name"));
            if (page.at("/next_cursor").isMissingNode()) {
                break;
            }
            page = ann.call(
                            "MB_AgentList",
                            "{'target':{'bank':'b'},'page':{'limit':2,'cursor':'%s'}}"
                                    .formatted(page.text("/next_cursor")))
                    .ok();
        }
        assertThat(names).containsExactly("a0", "a1", "a2", "a3", "Ada");
    }

    @Test
    void listingAndReportingNeedRead() {
        agent(bob, "Bill");
        grant(ann, "b", "Bo", "read").ok();
        bob.call("MB_AgentList", in("Bill", "b")).refused(2003, "'read'", "the agent 'Bill' holds 'none'");
        bob.call("MB_Permissions", in("Bill", "b")).refused(2003, "'read'", "'Bill'");
        assertThat(list(bob, "b").texts("/content", "agent")).containsExactly("Bo");
    }

    @Test
    void theReportSaysWhy() {
        agent(bob, "near", "public");
        agent(ann, "Bea");
        ann.call("MB_Create", "{'vx':{'name':'d','access':'domain'}}").ok();
        grant(ann, "d", "Bea", "none").ok();
        grant(ann, "d", "Bo", "write").ok();
        agent(fixture.tenant.member("cat"), "Out", "public");
        agent(ann, "host");
        shareDomain(ann, "host", "near");
        var report = report(ann, "d");
        assertThat(report.at("/changed").asBoolean(true)).isFalse();
        assertThat(report.at("/content").isMissingNode()).isTrue();
        assertThat(report.texts("/permissions", "agent")).containsExactly("Ada", "Bea", "Bo", "host", "near");
        assertThat(report.texts("/permissions", "permission"))
                .containsExactly("manage", "none", "write", "manage", "read");
        assertThat(report.texts("/permissions", "via")).containsExactly("owner", "grant", "grant", "owner", "access");
        assertThat(report.texts("/permissions", "why"))
                .containsExactly(
                        "It belongs to 'ann', who owns the bank.",
                        "It was barred with MB_Permissions.",
                        "It was set with MB_Permissions.",
                        "It belongs to 'ann', who owns the bank.",
                        "The bank's access is 'domain', and agents of its owner and of 'bob' share one.");
        var out = ann.call("MB_Permissions", share("d", "Out")).ok();
        assertThat(out.text("/permissions/0/permission")).isEqualTo("none");
        assertThat(out.at("/permissions/0/via").isMissingNode()).isTrue();
        assertThat(out.text("/permissions/0/why")).contains("'domain' does not reach it");
        bank(ann, "p", "public");
        assertThat(ann.call("MB_Permissions", share("p", "Out")).ok().text("/permissions/0/why"))
                .contains("public");
    }

    @Test
    void settingReportsTheAgentAndWhetherItChanged() {
        var first = grant(ann, "b", "Bo", "append").ok();
        assertThat(first.at("/changed").asBoolean()).isTrue();
        assertThat(first.texts("/permissions", "agent")).containsExactly("Bo");
        assertThat(first.text("/permissions/0/permission")).isEqualTo("append");
        assertThat(grant(ann, "b", "BO", "append").ok().at("/changed").asBoolean(true))
                .isFalse();
        assertThat(grant(ann, "b", "Bo", "none").ok().at("/changed").asBoolean())
                .isTrue();
        read(bob, "b").refused(3001);
    }

    @Test
    void settingIsRefusedWhereItMust() {
        ann.call("MB_Permissions", "{'target':{'bank':'b'},'vx':{'access':'read'}}")
                .refused(1003, "target.agent is required");
        grant(ann, "b", "Bo", "owner").refused(1004, "vx.access", "append");
        grant(ann, "b", "Nobody", "read").refused(3001, "no agent 'Nobody'");
        agent(bob, "Hid");
        grant(ann, "b", "Hid", "read").refused(3001, "no agent 'Hid'");
        grant(ann, "b", "Bo", "write").ok();
        grant(bob, "b", "Bo", "manage").refused(2003, "'manage'", "you hold 'write'");
        grant(ann, "b", "Bo", "manage").ok();
        grant(bob, "b", "Bo", "manage").ok();
    }

    @Test
    void anAgentThatHidesLaterCanStillBeSet() {
        grant(ann, "b", "Bo", "append").ok();
        bob.call("AP_Modify", "{'target':{'agent':'Bo'},'vx':{'access':'private'}}")
                .ok();
        assertThat(grant(ann, "b", "Bo", "none").ok().at("/changed").asBoolean())
                .isTrue();
        assertThat(ann.call("MB_Permissions", share("b", "Bo")).ok().text("/permissions/0/permission"))
                .isEqualTo("none");
    }

    @Test
    void aDestroyedAgentHoldsNothing() {
        grant(ann, "b", "Bo", "manage").ok();
        bob.call("AP_Destroy", "{'target':{'agent':'Bo'}}").ok();
        assertThat(list(ann, "b").texts("/content", "agent")).containsExactly("Ada");
        read(bob, "b").refused(3001);
        agent(bob, "Bo", "public");
        read(bob, "b").refused(3001);
    }

    private TestCaller someone(String name, Role role, String... capabilities) {
        return fixture.tenant.person(name, role, capabilities);
    }

    @Test
    void reportingNeedsNoMoreThanReading() {
        bank(ann, "open", "public");
        for (var reader : List.of(someone("vic", Role.VIEWER, "*"), someone("ria", Role.VIEWER, "bank:read"))) {
            assertThat(report(reader, "open").texts("/permissions", "agent")).containsExactly("Bo");
            reader.call("MB_Permissions", "{'target':{'bank':'open'},'vx':{'access':' '}}")
                    .ok();
            reader.call("MB_Permissions", "{'target':{'bank':'open'},'vx':{'access':null}}")
                    .ok();
            reader.call("MB_Permissions", bank("b")).refused(3001);
            reader.call("MB_Permissions", share("open", "Nobody")).refused(3001, "no agent 'Nobody'");
            grant(reader, "open", "Bo", "manage").refused(2003, "your role is 'viewer'", "'member'");
        }
        var rob = someone("rob", Role.MEMBER, "bank:read");
        report(rob, "open");
        grant(rob, "open", "Bo", "manage").refused(2003, "lacks the capability 'bank:write'");
        assertThat(ann.call("MB_Permissions", share("open", "Bo")).ok().text("/permissions/0/permission"))
                .isEqualTo("read");
    }

    @Test
    void whoMaySetMayReportWithoutTheCapabilityToRead() {
        var wes = someone("wes", Role.MEMBER, "bank:write");
        bank(wes, "his");
        grant(wes, "his", "Bo", "append").ok();
        assertThat(report(wes, "his").texts("/permissions", "agent")).containsExactly("Bo");
        var val = someone("val", Role.VIEWER, "bank:write");
        bank(ann, "open", "public");
        val.call("MB_Permissions", bank("open"))
                .refused(2003, "lacks the capability 'bank:read'", "MB_Permissions without vx.access", "AK_Update");
        grant(val, "open", "Bo", "read").refused(2003, "your role is 'viewer'");
        var ada = someone("ada", Role.MEMBER, "agent:read");
        ada.call("MB_Permissions", bank("open")).refused(2003, "lacks the capability 'bank:read'");
        grant(ada, "open", "Bo", "read").refused(2003, "lacks the capability 'bank:write'");
    }

    @Test
    void aReportTakesNoIdempotencyKey() {
        var query = "{'target':{'bank':'b','agent':'Bo'},'idempotency_key':'same'}";
        assertThat(ann.call("MB_Permissions", query).ok().text("/permissions/0/permission"))
                .isEqualTo("none");
        ann.call(
                        "MB_Permissions",
                        "{'target':{'bank':'b','agent':'Bo'},'vx':{'access':'read'},'idempotency_key':'same'}")
                .ok();
        assertThat(ann.call("MB_Permissions", query).ok().text("/permissions/0/permission"))
                .as("nothing is replayed")
                .isEqualTo("read");
    }
}
