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

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrashToolsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    TrashToolsTest() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
        grant(ann, "b", "Bo", "append").ok();
    }

    private List<String> texts() {
        return read(ann, "b").ok().texts("/content", "text");
    }

    @Test
    void aDeletedBankIsGoneUntilItIsRestored() {
        store(ann, "b", "x").ok();
        storeAs(bob, "b", "Bo", "y").ok();
        var deleted = ann.call("MB_Delete", bank("B")).ok();
        assertThat(deleted.at("/changed").asBoolean()).isTrue();
        assertThat(deleted.number("/deleted")).isEqualTo(2);
        read(ann, "b").refused(3001, "no bank 'b'");
        store(ann, "b", "z").refused(3001);
        assertThat(ann.call("MB_List").ok().at("/profile")).isEmpty();
        var restored = ann.call("MB_Restore", bank("b")).ok();
        assertThat(restored.at("/changed").asBoolean()).isTrue();
        assertThat(restored.text("/bank/name")).isEqualTo("b");
        assertThat(restored.number("/bank/memories")).isEqualTo(2);
        assertThat(texts()).containsExactlyInAnyOrder("x", "y");
        assertThat(storeAs(bob, "b", "Bo", "z").ok().text("/memory/author")).isEqualTo("Bo");
    }

    private static String one(String memory) {
        return "{'target':{'bank':'b'},'memory':'%s'}".formatted(memory);
    }

    @Test
    void oneMemoryGoesToTheTrashAndComesBackByItsIdOrName() {
        store(ann, "b", "other").ok();
        storeAs(bob, "b", "Bo", "hers").ok();
        ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan'},'content':'x'}")
                .ok();
        assertThat(ann.call("MB_Delete", one("PLAN")).ok().number("/deleted")).isEqualTo(1);
        assertThat(texts()).containsExactlyInAnyOrder("other", "hers");
        assertThat(ann.call("MB_Delete", one("plan")).ok().at("/changed").asBoolean(true))
                .isFalse();
        var restored = ann.call("MB_Restore", one("plan")).ok();
        assertThat(restored.at("/changed").asBoolean()).isTrue();
        assertThat(restored.text("/memory/text")).isEqualTo("x");
        assertThat(ann.call("MB_Restore", one("plan")).ok().at("/changed").asBoolean(true))
                .isFalse();
        assertThat(ann.call("MB_Destroy", one("plan")).ok().number("/destroyed"))
                .isEqualTo(1);
        ann.call("MB_Restore", one("plan")).refused(3001, "no memory 'plan'");
        assertThat(texts()).containsExactlyInAnyOrder("other", "hers");
        ann.call("MB_Delete", one("nothing")).refused(3001, "no memory 'nothing'");
        ann.call("MB_Delete", "{'target':{'bank':'b','agent':'Bo'},'memory':'plan'}")
                .refused(1004, "target.agent");
        assertThat(read(ann, "b").ok().at("/content")).hasSize(2);
    }

    @Test
    void theTrashListsWhatTheCallerMayRestore() {
        store(ann, "b", "first").ok();
        storeAs(bob, "b", "Bo", "hers").ok();
        ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan'},'content':'x'}")
                .ok();
        var ids = read(ann, "b").ok().texts("/content", "id");
        ids.reversed().forEach(id -> ann.call("MB_Delete", one(id)).ok());
        var trash = ann.call("MB_Trash", bank("b")).ok();
        assertThat(trash.texts("/content", "text")).containsExactlyInAnyOrder("x", "hers", "first");
        assertThat(trash.texts("/content", "author")).containsExactlyInAnyOrder("ann", "Bo", "ann");
        assertThat(trash.texts("/content", "name")).containsOnlyOnce("plan");
        assertThat(trash.text("/content/0/kept_until")).isNotEmpty();
        assertThat(bob.call("MB_Trash", bank("b")).ok().texts("/content", "text"))
                .as("what he may not restore looks absent")
                .containsExactly("hers");
        var first = ann.call("MB_Trash", "{'target':{'bank':'b'},'page':{'limit':2}}")
                .ok();
        var rest = ann.call(
                        "MB_Trash",
                        "{'target':{'bank':'b'},'page':{'limit':2,'cursor':'%s'}}"
                                .formatted(first.text("/next_cursor")))
                .ok();
        assertThat(first.at("/content")).hasSize(2);
        assertThat(rest.at("/content")).hasSize(1);
        assertThat(rest.at("/next_cursor").isMissingNode()).isTrue();
        ann.call("MB_Restore", one(trash.text("/content/0/id"))).ok();
        ann.call("MB_Destroy", one(trash.text("/content/1/id"))).ok();
        assertThat(ann.call("MB_Trash", bank("b")).ok().texts("/content", "id"))
                .containsExactly(trash.text("/content/2/id"));
        ann.call("MB_Censor", share("b", "Bo")).ok();
        grant(ann, "b", "Bo", "read").ok();
        assertThat(bob.call("MB_Trash", bank("b")).ok().at("/content")).isEmpty();
        new io.agentworkspace.engine.testing.TestTenant()
                .member("eve")
                .call("MB_Trash", bank("b"))
                .refused(3001);
    }

    @Test
    void somebodyElsesMemoryNeedsMore() {
        ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan'},'content':'x'}")
                .ok();
        bob.call("MB_Delete", one("plan")).refused(2003, "'write'");
        bob.call("MB_Destroy", one("plan")).refused(2003, "'manage'");
        grant(ann, "b", "Bo", "write").ok();
        bob.call("MB_Delete", one("plan")).ok();
        bob.call("MB_Destroy", one("plan")).refused(2003, "'manage'");
        bob.call("MB_Restore", one("plan")).ok();
        assertThat(texts()).containsExactly("x");
    }

    /** A field that is not known could be what was meant to limit the damage. */
    @Test
    void whatDestroysIgnoresNoField() {
        store(ann, "b", "x").ok();
        for (var service : List.of("MB_Delete", "MB_Destroy", "MB_Censor")) {
            ann.call(service, "{'target':{'bank':'b'},'memry':'x'}").refused(1004, "memry");
            ann.call(service, "{'target':{'bank':'b','agnt':'Bo'}}").refused(1004, "agnt");
        }
        assertThat(texts()).containsExactly("x");
    }

    @Test
    void deletingAndRestoringTwiceChangeOnce() {
        ann.call("MB_Delete", bank("b")).ok();
        var again = ann.call("MB_Delete", bank("b")).ok();
        assertThat(again.at("/changed").asBoolean(true)).isFalse();
        assertThat(again.at("/deleted").asInt(-1)).isZero();
        bob.call("MB_Delete", bank("b")).refused(3001, "no bank 'b'");
        assertThat(ann.call("MB_Restore", bank("b")).ok().at("/changed").asBoolean())
                .isTrue();
        assertThat(ann.call("MB_Restore", bank("b")).ok().at("/changed").asBoolean(true))
                .isFalse();
        ann.call("MB_Restore", bank("never")).refused(3001, "no bank 'never'");
    }

    @Test
    void aDeletedBanksNameIsFree() {
        store(ann, "b", "old").ok();
        ann.call("MB_Delete", bank("b")).ok();
        bank(bob, "B");
        ann.call("MB_Restore", bank("b")).refused(3002, "'b' is taken: rename that bank with MB_Update");
        bob.call("MB_Update", "{'target':{'bank':'b'},'vx':{'name':'c'}}").ok();
        ann.call("MB_Restore", bank("b")).ok();
        assertThat(texts()).containsExactly("old");
    }

    @Test
    void theBankDeletedLastIsRestored() {
        store(ann, "b", "first").ok();
        ann.call("MB_Delete", bank("b")).ok();
        bank(ann, "b");
        store(ann, "b", "second").ok();
        ann.call("MB_Delete", bank("b")).ok();
        ann.call("MB_Restore", bank("b")).ok();
        assertThat(texts()).containsExactly("second");
    }

    @Test
    void deletingTheBankNeedsManage() {
        bob.call("MB_Delete", bank("b")).refused(2003, "'manage'", "you hold 'append'", "'ann'");
        grant(ann, "b", "Bo", "manage").ok();
        bob.call("MB_Delete", bank("b")).ok();
        bob.call("MB_Restore", bank("b")).ok();
        grant(ann, "b", "Bo", "write").ok();
        bob.call("MB_Restore", bank("b")).refused(2003, "'manage'");
        ann.call("MB_Delete", bank("b")).ok();
        bob.call("MB_Restore", bank("b")).refused(3001, "no bank 'b'");
        var admin = fixture.tenant.person("root", Role.ADMIN);
        assertThat(admin.call("MB_Restore", bank("b")).ok().at("/changed").asBoolean())
                .isTrue();
    }

    @Test
    void deletingTakesNothingFromTheContext() {
        storeAs(ann, "b", "Ada", "x").ok();
        ann.call("MB_Delete", BankFixture.in("Ada", "b")).ok();
        read(ann, "b").refused(3001);
    }

    @Test
    void anAgentsShareGoesToTheTrashAndComesBack() {
        storeAs(bob, "b", "Bo", "one").ok();
        storeNamed(bob, "b", "Bo", "two", "two").ok();
        store(ann, "b", "mine").ok();
        var deleted = ann.call("MB_Delete", share("b", "bo")).ok();
        assertThat(deleted.at("/changed").asBoolean()).isTrue();
        assertThat(deleted.number("/deleted")).isEqualTo(2);
        assertThat(texts()).containsExactly("mine");
        ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'two'}}").refused(3001);
        var again = ann.call("MB_Delete", share("b", "Bo")).ok();
        assertThat(again.at("/changed").asBoolean(true)).isFalse();
        assertThat(again.at("/deleted").asInt(-1)).isZero();
        var restored = ann.call("MB_Restore", share("b", "Bo")).ok();
        assertThat(restored.number("/restored")).isEqualTo(2);
        assertThat(restored.number("/bank/memories")).isEqualTo(3);
        assertThat(texts()).containsExactlyInAnyOrder("one", "two", "mine");
        assertThat(ann.call("MB_Restore", share("b", "Bo")).ok().at("/changed").asBoolean(true))
                .isFalse();
    }

    @Test
    void anAgentsOwnerDecidesAboutItsShareOnly() {
        storeAs(bob, "b", "Bo", "his").ok();
        storeAs(ann, "b", "Ada", "hers").ok();
        for (var command : List.of("MB_Delete", "MB_Restore", "MB_Destroy")) {
            bob.call(command, share("b", "Ada")).refused(2003, "'manage'", "you hold 'append'");
        }
        assertThat(bob.call("MB_Delete", share("b", "Bo")).ok().number("/deleted"))
                .isEqualTo(1);
        assertThat(bob.call("MB_Restore", share("b", "Bo")).ok().number("/restored"))
                .isEqualTo(1);
        assertThat(bob.call("MB_Destroy", share("b", "Bo")).ok().number("/destroyed"))
                .isEqualTo(1);
        assertThat(texts()).containsExactly("hers");
        bob.call("MB_Delete", share("b", "Nobody")).refused(3001, "no agent 'Nobody'");
    }

    @Test
    void aShareWhoseNamesAreTakenIsNotRestoredAtAll() {
        storeNamed(bob, "b", "Bo", "plan", "old").ok();
        storeAs(bob, "b", "Bo", "other").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        storeNamed(ann, "b", "Ada", "PLAN", "new").ok();
        ann.call("MB_Restore", share("b", "Bo")).refused(3003, "'plan'", "nothing was restored");
        assertThat(texts()).containsExactly("new");
        ann.call("MB_Delete", share("b", "Ada")).ok();
        assertThat(ann.call("MB_Restore", share("b", "Bo")).ok().number("/restored"))
                .isEqualTo(2);
        assertThat(texts()).containsExactlyInAnyOrder("old", "other");
    }

    @Test
    void ofSeveralOfOneNameTheLastDeletedHoldsItAgain() {
        storeNamed(bob, "b", "Bo", "plan", "first").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        storeNamed(bob, "b", "Bo", "plan", "second").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        assertThat(ann.call("MB_Restore", share("b", "Bo")).ok().number("/restored"))
                .isEqualTo(2);
        assertThat(texts()).containsExactlyInAnyOrder("first", "second");
        var named = ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'plan'}}")
                .ok();
        assertThat(named.texts("/content", "text")).containsExactly("second");
    }

    @Test
    void theShareOfADestroyedAgentIsFoundByItsName() {
        storeAs(bob, "b", "Bo", "x").ok();
        bob.call("AP_Destroy", "{'target':{'agent':'Bo'}}").ok();
        assertThat(ann.call("MB_Delete", share("b", "Bo")).ok().number("/deleted"))
                .isEqualTo(1);
        assertThat(ann.call("MB_Destroy", share("b", "Bo")).ok().number("/destroyed"))
                .isEqualTo(1);
        ann.call("MB_Destroy", share("b", "Bo")).refused(3001, "no agent 'Bo'");
    }

    @Test
    void aDestroyedShareIsGoneFromTheTrashToo() {
        storeAs(bob, "b", "Bo", "trashed").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        storeAs(bob, "b", "Bo", "live").ok();
        store(ann, "b", "mine").ok();
        assertThat(ann.call("MB_Destroy", share("b", "Bo")).ok().number("/destroyed"))
                .isEqualTo(2);
        assertThat(ann.call("MB_Restore", share("b", "Bo")).ok().at("/restored").asInt(-1))
                .isZero();
        assertThat(texts()).containsExactly("mine");
    }

    @Test
    void aDestroyedBankIsGoneForGood() {
        store(ann, "b", "x").ok();
        storeAs(bob, "b", "Bo", "y").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        assertThat(ann.call("MB_Destroy", bank("b")).ok().number("/destroyed")).isEqualTo(2);
        ann.call("MB_Restore", bank("b")).refused(3001);
        ann.call("MB_Destroy", bank("b")).refused(3001, "no bank 'b'");
        bank(ann, "b");
        assertThat(texts()).isEmpty();
        read(bob, "b").refused(3001);
    }

    @Test
    void destroyingMeansTheLiveBankFirstThenTheTrashedOne() {
        store(ann, "b", "old").ok();
        ann.call("MB_Delete", bank("b")).ok();
        bank(ann, "b");
        assertThat(ann.call("MB_Destroy", bank("b")).ok().at("/destroyed").asInt(-1))
                .isZero();
        assertThat(ann.call("MB_Destroy", bank("b")).ok().number("/destroyed")).isEqualTo(1);
        ann.call("MB_Destroy", bank("b")).refused(3001);
    }

    @Test
    void destroyingTheBankIsForItsOwnerAndAdmins() {
        grant(ann, "b", "Bo", "manage").ok();
        bob.call("MB_Destroy", bank("b")).refused(2003, "owner of the bank 'b', 'ann'", "MB_Delete");
        ann.call("MB_Delete", bank("b")).ok();
        bob.call("MB_Destroy", bank("b")).refused(3001);
        var admin = fixture.tenant.person("root", Role.ADMIN);
        admin.call("MB_Destroy", bank("b")).ok();
        bank(ann, "c");
        grant(ann, "c", "Ada", "read").ok();
        ann.call("MB_Destroy", BankFixture.in("Ada", "c")).refused(2003, "the agent 'Ada' holds 'read'");
        ann.call("MB_Destroy", bank("c")).ok();
    }

    @Test
    void after30DaysTheTrashIsEmptied() {
        var trash = new TrashStore(TestDatabase.db(), new BankStore(TestDatabase.db()));
        storeAs(bob, "b", "Bo", "share").ok();
        store(ann, "b", "kept").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        bank(ann, "c");
        store(ann, "c", "x").ok();
        ann.call("MB_Delete", bank("c")).ok();
        trash.purge(Instant.now().plus(Duration.ofDays(29)));
        ann.call("MB_Restore", bank("c")).ok();
        ann.call("MB_Delete", bank("c")).ok();
        assertThat(trash.purge(Instant.now().plus(Duration.ofDays(31)))).isGreaterThanOrEqualTo(3);
        ann.call("MB_Restore", bank("c")).refused(3001);
        assertThat(ann.call("MB_Restore", share("b", "Bo")).ok().at("/restored").asInt(-1))
                .isZero();
        assertThat(texts()).containsExactly("kept");
    }

    @Test
    void whatHasHadItsTimeIsNotRestoredThoughItIsStillThere() {
        storeAs(bob, "b", "Bo", "share").ok();
        ann.call("MB_Delete", share("b", "Bo")).ok();
        ann.call("MB_Create", "{'vx':{'name':'c'}}").ok();
        ann.call("MB_Delete", bank("c")).ok();
        for (var table : List.of("bank", "memory")) {
            TestDatabase.db()
                    .sql(
                            "UPDATE " + table
                                    + " SET deleted_at = now() - INTERVAL '30 days' WHERE tenant_id = ANY (:tenants) AND deleted_at IS NOT NULL")
                    .set("tenants", fixture.tenants())
                    .run();
        }
        ann.call("MB_Restore", bank("c")).refused(3001);
        assertThat(ann.call("MB_Restore", share("b", "Bo")).ok().at("/restored").asInt(-1))
                .isZero();
    }

    @Test
    void whoDoesNotManageTheBankIsNotToldOfHiddenAgents() {
        bank(ann, "library", "public");
        agent(ann, "Secret");
        grant(ann, "library", "Secret", "read").ok();
        for (var service : new String[] {"MB_Delete", "MB_Restore", "MB_Destroy"}) {
            bob.call(service, "{'target':{'bank':'library','agent':'Secret'}}")
                    .refused(3001, "no agent 'Secret' that you may see");
        }
        ann.call("MB_Delete", "{'target':{'bank':'library','agent':'Secret'}}").ok();
    }
}
