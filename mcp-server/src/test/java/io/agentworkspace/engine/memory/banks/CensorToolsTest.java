package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeAs;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CensorToolsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    CensorToolsTest() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
        grant(ann, "b", "Bo", "write").ok();
    }

    private Reply censor(String agent) {
        return ann.call("MB_Censor", share("b", agent));
    }

    private Reply uncensor(String agent) {
        return ann.call("MB_Uncensor", share("b", agent));
    }

    private List<String> texts() {
        return read(ann, "b").ok().texts("/content", "text");
    }

    @Test
    void oneMemoryIsHiddenWithWhatWasDerivedFromIt() {
        var owner = new TestTenant().member("olga");
        owner.call("MB_Create", "{'vx':{'name':'c'}}").ok();
        var stored = "{'target':{'bank':'c'},'vx':{'name':'%s'},'content':'%s'%s}";
        var one = owner.call("MB_Store", stored.formatted("one", "tide at six", ""))
                .ok()
                .text("/memory/id");
        owner.call("MB_Store", stored.formatted("one", "tide at seven", "")).ok();
        var two = owner.call("MB_Store", stored.formatted("two", "ebb at noon", ""))
                .ok()
                .text("/memory/id");
        var from = ",'derived_from':['%s','%s']".formatted(one, two);
        owner.call("MB_Store", stored.formatted("both", "swim at five", from)).ok();
        owner.call("MB_Store", stored.formatted("other", "tea at four", "")).ok();
        var memory = "{'target':{'bank':'c'},'memory':'%s'%s}";
        var planned = owner.call("MB_Censor", memory.formatted("one", ",'dry_run':true"))
                .ok();
        assertThat(planned.number("/hidden")).isEqualTo(2);
        assertThat(planned.texts("/affected", "name")).containsExactlyInAnyOrder("one", "both");
        assertThat(names(owner)).containsExactlyInAnyOrder("one", "two", "both", "other");
        assertThat(owner.call("MB_Censor", memory.formatted(one, "")).ok().number("/hidden"))
                .isEqualTo(2);
        assertThat(owner.call("MB_Censor", memory.formatted("ONE", ""))
                        .ok()
                        .at("/changed")
                        .asBoolean(true))
                .isFalse();
        assertThat(names(owner)).containsExactlyInAnyOrder("two", "other");
        owner.call("MB_Read", "{'target':{'bank':'c'},'vx':{'name':'one'}}").refused(3001);
        owner.call("MB_Restore", "{'target':{'bank':'c'},'vx':{'name':'one'},'revision':1}")
                .refused(3001);
        assertThat(owner.call("MB_Search", "{'target':{'bank':'c'},'content':'tide','min_score':0}")
                        .ok()
                        .at("/content"))
                .isEmpty();
        owner.call("MB_Censor", memory.formatted("two", "")).ok();
        assertThat(owner.call("MB_Uncensor", memory.formatted("one", "")).ok().number("/shown"))
                .isEqualTo(1);
        assertThat(names(owner)).containsExactlyInAnyOrder("one", "other");
        owner.call("MB_Uncensor", memory.formatted("two", "")).ok();
        assertThat(names(owner)).containsExactlyInAnyOrder("one", "two", "both", "other");
        owner.call("MB_Censor", memory.formatted("none", "")).refused(3001, "no memory 'none'");
    }

    private static List<String> names(TestCaller owner) {
        return owner.call("MB_Read", "{'target':{'bank':'c'}}").ok().texts("/content", "name");
    }

    @Test
    void aCensoredAgentsShareIsHiddenFromEveryRead() {
        storeNamed(bob, "b", "Bo", "his", "hidden").ok();
        storeAs(bob, "b", "Bo", "hidden too").ok();
        storeAs(ann, "b", "Ada", "shown").ok();
        var censored = censor("bo").ok();
        assertThat(censored.at("/changed").asBoolean()).isTrue();
        assertThat(censored.number("/hidden")).isEqualTo(2);
        assertThat(texts()).containsExactly("shown");
        assertThat(read(bob, "b").ok().texts("/content", "text")).containsExactly("shown");
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(1);
        assertThat(read(ann, "b").ok().text("/profile/0/state")).isEqualTo("active");
        ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'his'}}").refused(3001, "no memory 'his'");
        assertThat(ann.call("MB_List").ok().number("/content/0/memories")).isEqualTo(1);
        assertThat(ann.call("MB_AgentList", share("b", "Bo"))
                        .ok()
                        .at("/content/0/memories")
                        .asInt(-1))
                .isZero();
        var loaded = ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'b'}}")
                .ok();
        assertThat(loaded.texts("/content", "text")).containsExactly("shown");
    }

    @Test
    void censoringTwiceChangesOnceAndUncensoringUndoesIt() {
        storeAs(bob, "b", "Bo", "x").ok();
        censor("Bo").ok();
        var again = censor("Bo").ok();
        assertThat(again.at("/changed").asBoolean(true)).isFalse();
        assertThat(again.number("/hidden")).isEqualTo(1);
        var result = uncensor("Bo").ok();
        assertThat(result.at("/changed").asBoolean()).isTrue();
        assertThat(result.number("/shown")).isEqualTo(1);
        assertThat(texts()).containsExactly("x");
        assertThat(uncensor("Bo").ok().at("/changed").asBoolean(true)).isFalse();
    }

    @Test
    void whatWasDerivedFromItIsHiddenToo() {
        var origin = storeAs(bob, "b", "Bo", "origin").ok().text("/memory/id");
        var derived = "{'target':{'bank':'b','agent':'Ada'},'content':'derived','derived_from':['%s']}";
        var second = ann.call("MB_Store", derived.formatted(origin)).ok().text("/memory/id");
        ann.call("MB_Store", derived.formatted(second)).ok();
        store(ann, "b", "mine").ok();
        assertThat(censor("Bo").ok().number("/hidden")).isEqualTo(3);
        assertThat(texts()).containsExactly("mine");
        ann.call("MB_Store", derived.formatted(origin)).refused(3001, "no memory");
        uncensor("Bo").ok();
        assertThat(texts()).hasSize(4);
    }

    @Test
    void whatItEditedIsHiddenToo() {
        storeNamed(ann, "b", "Ada", "plan", "good").ok();
        storeNamed(bob, "b", "Bo", "plan", "bad").ok();
        assertThat(censor("Bo").ok().number("/hidden")).isEqualTo(1);
        assertThat(texts()).isEmpty();
        ann.call("MB_Destroy", share("b", "Ada")).ok();
        assertThat(uncensor("Bo").ok().at("/shown").asInt(-1)).isZero();
    }

    @Test
    void newWritesOfACensoredAgentGoToQuarantine() {
        censor("Bo").ok();
        var stored = storeNamed(bob, "b", "Bo", "his", "one").ok();
        assertThat(stored.at("/quarantined").asBoolean()).isTrue();
        assertThat(stored.text("/memory/text")).isEqualTo("one");
        var again = storeNamed(bob, "b", "Bo", "his", "two").ok();
        assertThat(again.number("/revision")).isEqualTo(2);
        assertThat(again.at("/quarantined").asBoolean()).isTrue();
        assertThat(texts()).isEmpty();
        assertThat(storeAs(ann, "b", "Ada", "fine").ok().at("/quarantined").isMissingNode())
                .isTrue();
        assertThat(uncensor("Bo").ok().number("/shown")).isEqualTo(1);
        assertThat(texts()).containsExactlyInAnyOrder("two", "fine");
    }

    @Test
    void aQuarantinedWriteLeavesWhatReadersSeeAsItIs() {
        storeNamed(ann, "b", "Ada", "plan", "good").ok();
        censor("Bo").ok();
        var stored = storeNamed(bob, "b", "Bo", "plan", "bad").ok();
        assertThat(stored.at("/quarantined").asBoolean()).isTrue();
        assertThat(stored.number("/revision")).isEqualTo(1);
        assertThat(stored.text("/memory/name")).isEqualTo("plan");
        assertThat(texts()).containsExactly("good");
        uncensor("Bo").ok();
        assertThat(texts()).containsExactlyInAnyOrder("good", "bad");
        var named = ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'plan'}}")
                .ok();
        assertThat(named.texts("/content", "text")).containsExactly("good");
    }

    @Test
    void aHiddenMemorysNameIsFreeToOthers() {
        storeNamed(bob, "b", "Bo", "plan", "bad").ok();
        censor("Bo").ok();
        var stored = ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Ada'},'vx':{'name':'plan'},'content':'good','if_revision':0}")
                .ok();
        assertThat(stored.number("/revision")).isEqualTo(1);
        assertThat(stored.text("/memory/author")).isEqualTo("Ada");
        assertThat(texts()).containsExactly("good");
        storeNamed(bob, "b", "Bo", "plan", "worse").ok();
        assertThat(texts()).containsExactly("good");
        uncensor("Bo").ok();
        assertThat(texts()).containsExactlyInAnyOrder("bad", "good", "worse");
    }

    @Test
    void aCensoredBankHidesItsWholeContentAndQuarantinesWrites() {
        storeAs(bob, "b", "Bo", "x").ok();
        store(ann, "b", "y").ok();
        var censored = ann.call("MB_Censor", bank("b")).ok();
        assertThat(censored.at("/changed").asBoolean()).isTrue();
        assertThat(censored.number("/hidden")).isEqualTo(2);
        assertThat(ann.call("MB_Censor", bank("b")).ok().at("/changed").asBoolean(true))
                .isFalse();
        var read = read(ann, "b").ok();
        assertThat(read.text("/profile/0/state")).isEqualTo("censored");
        assertThat(read.at("/profile/0/memories").asInt(-1)).isZero();
        assertThat(read.at("/content")).isEmpty();
        assertThat(ann.call("MB_List").ok().texts("/profile", "state")).containsExactly("censored");
        assertThat(store(ann, "b", "z").ok().at("/quarantined").asBoolean()).isTrue();
        assertThat(ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'b'}}")
                        .ok()
                        .at("/content"))
                .isEmpty();
        var result = ann.call("MB_Uncensor", bank("b")).ok();
        assertThat(result.at("/changed").asBoolean()).isTrue();
        assertThat(result.number("/shown")).isEqualTo(3);
        assertThat(ann.call("MB_Uncensor", bank("b")).ok().at("/changed").asBoolean(true))
                .isFalse();
        assertThat(texts()).containsExactlyInAnyOrder("x", "y", "z");
    }

    @Test
    void showingTheBankAgainLeavesCensoredAgentsCensored() {
        storeAs(bob, "b", "Bo", "x").ok();
        store(ann, "b", "y").ok();
        censor("Bo").ok();
        ann.call("MB_Censor", bank("b")).ok();
        assertThat(uncensor("Ada").ok().at("/changed").asBoolean(true)).isFalse();
        assertThat(ann.call("MB_Uncensor", bank("b")).ok().number("/shown")).isEqualTo(1);
        assertThat(texts()).containsExactly("y");
    }

    @Test
    void censoringTakesNothingFromTheContext() {
        storeAs(ann, "b", "Ada", "x").ok();
        assertThat(ann.call("MB_Censor", BankFixture.in("Ada", "b")).ok().number("/hidden"))
                .isEqualTo(1);
        assertThat(read(ann, "b").ok().text("/profile/0/state")).isEqualTo("censored");
        ann.call("MB_Uncensor", bank("b")).ok();
        assertThat(texts()).containsExactly("x");
    }

    @Test
    void censoringNeedsManage() {
        bob.call("MB_Censor", share("b", "Ada")).refused(2003, "'manage'", "you hold 'write'", "'ann'");
        bob.call("MB_Uncensor", bank("b")).refused(2003, "'manage'");
        grant(ann, "b", "Bo", "manage").ok();
        bob.call("MB_Censor", bank("b")).ok();
        censor("Nobody").refused(3001, "no agent 'Nobody'");
    }

    @Test
    void destroyedAgentsAreCensoredByTheirName() {
        storeAs(bob, "b", "Bo", "old").ok();
        bob.call("AP_Destroy", "{'target':{'agent':'Bo'}}").ok();
        assertThat(censor("Bo").ok().number("/hidden")).isEqualTo(1);
        assertThat(texts()).isEmpty();
        agent(bob, "Bo", "public");
        grant(ann, "b", "Bo", "append").ok();
        assertThat(storeAs(bob, "b", "Bo", "new").ok().at("/quarantined").isMissingNode())
                .isTrue();
        var both = censor("Bo").ok();
        assertThat(both.at("/changed").asBoolean()).isTrue();
        assertThat(both.number("/hidden")).isEqualTo(2);
        uncensor("Bo").ok();
        assertThat(texts()).containsExactlyInAnyOrder("old", "new");
    }

    @Test
    void aHiddenAgentWhoWroteThereCanBeCensored() {
        storeAs(bob, "b", "Bo", "x").ok();
        bob.call("AP_Modify", "{'target':{'agent':'Bo'},'vx':{'access':'private'}}")
                .ok();
        grant(ann, "b", "Bo", "none").ok();
        assertThat(censor("Bo").ok().number("/hidden")).isEqualTo(1);
        agent(bob, "Other");
        censor("Other").refused(3001, "no agent 'Other'");
    }
}
