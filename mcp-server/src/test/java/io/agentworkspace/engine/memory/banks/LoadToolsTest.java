package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadToolsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    LoadToolsTest() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
    }

    private static Reply load(TestCaller who, String agent, String bank) {
        return who.call("MB_Load", "{'target':{'agent':'%s'},'vx':{'name':'%s'}}".formatted(agent, bank));
    }

    private boolean isLoaded(String agent) {
        return ann.call("MB_AgentList", share("b", agent))
                .ok()
                .at("/content/0/loaded")
                .asBoolean();
    }

    @Test
    void aBankIsAttachedOnce() {
        store(ann, "b", "first").ok();
        store(ann, "b", "second").ok();
        var loaded = load(ann, "Ada", "B").ok();
        assertThat(loaded.at("/changed").asBoolean()).isTrue();
        assertThat(loaded.text("/bank/name")).isEqualTo("b");
        assertThat(loaded.texts("/content", "text")).containsExactly("second", "first");
        assertThat(loaded.number("/tokens")).isEqualTo(4);
        assertThat(isLoaded("Ada")).isTrue();
        var again = load(ann, "Ada", "b").ok();
        assertThat(again.at("/changed").asBoolean(true)).isFalse();
        assertThat(again.at("/content")).hasSize(2);
    }

    @Test
    void aPreviewShowsWhatWouldBeLoadedAndAttachesNothing() {
        store(ann, "b", "first").ok();
        store(ann, "b", "second").ok();
        store(ann, "b", "x".repeat(16_001)).ok(); // It does not fit.
        var previewed =
                ann.call("MB_Load", "{'vx':{'name':'B'},'dry_run':true}").ok();
        assertThat(previewed.texts("/content", "text")).containsExactly("second", "first");
        assertThat(previewed.number("/tokens")).isEqualTo(4);
        assertThat(previewed.text("/bank/name")).isEqualTo("b");
        assertThat(previewed.at("/changed").asBoolean(true)).isFalse();
        assertThat(isLoaded("Ada")).isFalse();
        var loaded = load(ann, "Ada", "b").ok();
        assertThat(loaded.at("/content")).isEqualTo(previewed.at("/content"));
        assertThat(loaded.at("/tokens")).isEqualTo(previewed.at("/tokens"));
        assertThat(loaded.at("/bank")).isEqualTo(previewed.at("/bank"));
    }

    @Test
    void anEmptyBankIsPreviewedToo() {
        var previewed =
                ann.call("MB_Load", "{'vx':{'name':'b'},'dry_run':true}").ok();
        assertThat(previewed.at("/content")).isEmpty();
        assertThat(previewed.number("/tokens")).isZero();
    }

    @Test
    void aPreviewIsOfABankThatTheCallerMayReadAndOfNothingElse() {
        bob.call("MB_Load", "{'vx':{'name':'b'},'dry_run':true}").refused(3001, "no bank 'b'");
        ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'b'},'dry_run':true}")
                .refused(1004, "target.agent");
        ann.call("MB_Load", "{'target':{'bank':'b'},'vx':{'name':'notes.pdf'},'dry_run':true}")
                .refused(1004, "target.bank");
    }

    /** Otherwise it would look like a load. */
    @Test
    void aPreviewIsAuditedOnlyIfARuleSaysSoAndThenAsAPreview() {
        var key = fixture.tenant.key(ClientApi.REST, "root", Role.ADMIN, List.of("*"));
        TestCaller admin = (name, input) -> ClientApi.REST.call(TestServer.url(), key, name, input);
        var preview = "{'vx':{'name':'b'},'dry_run':true}";
        var entries = "{'tool':'MB_Load'}";
        ann.call("MB_Load", preview).ok();
        admin.call("RL_Create", "{'name':'watched','applies_to':['MB_Load'],'when':'true','effect':'audit'}")
                .ok();
        ann.call("MB_Load", preview).ok();
        await().untilAsserted(() ->
                assertThat(admin.call("AC_Audit", entries).ok().at("/entries")).isNotEmpty());
        load(ann, "Ada", "b").ok(); // Its entry is written at once.
        var found = admin.call("AC_Audit", entries).ok().at("/entries");
        assertThat(found).hasSize(2);
        assertThat(found.at("/0").has("dry_run")).isFalse();
        assertThat(found.at("/1/dry_run").asBoolean()).isTrue();
        assertThat(found.at("/1/rules/0").asString()).isEqualTo("watched");
    }

    @Test
    void selfIsMeantWhereNoAgentIsNamed() {
        ann.call("MB_Load", "{'vx':{'name':'b'}}").refused(1006, "AP_LogOn");
        ann.call("MB_Load", "{'target':{'context':'Ada'},'vx':{'name':'b'}}").ok();
        assertThat(isLoaded("Ada")).isTrue();
        ann.call("MB_Unload", "{'target':{'bank':'b'}}").refused(1006, "AP_LogOn");
        assertThat(ann.call("MB_Unload", "{'target':{'context':'Ada'},'vx':{'name':'b'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(isLoaded("Ada")).isFalse();
    }

    @Test
    void anEmptyBankLoadsEmpty() {
        var loaded = load(ann, "Ada", "b").ok();
        assertThat(loaded.at("/content").isArray()).isTrue();
        assertThat(loaded.at("/content")).isEmpty();
        assertThat(loaded.at("/tokens").asInt(-1)).isZero();
    }

    @Test
    void workingMemoryIsTheNewestWholeMemoriesWithin4000Tokens() {
        store(ann, "b", "old").ok();
        store(ann, "b", "x".repeat(6_000)).ok();
        store(ann, "b", "y".repeat(16_001)).ok();
        store(ann, "b", "z".repeat(9_997)).ok();
        var loaded = load(ann, "Ada", "b").ok();
        assertThat(loaded.texts("/content", "text")).containsExactly("z".repeat(9_997), "x".repeat(6_000));
        assertThat(loaded.number("/tokens")).isEqualTo(4_000);
    }

    @Test
    void oneMemoryMayFillIt() {
        store(ann, "b", "x".repeat(16_000)).ok();
        assertThat(load(ann, "Ada", "b").ok().number("/tokens")).isEqualTo(4_000);
    }

    @Test
    void attachingNeedsRead() {
        load(bob, "Bo", "b").refused(3001, "no bank 'b'");
        agent(bob, "Bill", "public");
        grant(ann, "b", "Bo", "read").ok();
        load(bob, "Bill", "b").refused(2003, "'read'", "the agent 'Bill' holds 'none'");
        load(bob, "Bo", "b").ok();
        load(ann, "Bo", "b").refused(2003, "'Bo'");
        load(bob, "Ada", "b").refused(3001, "no agent 'Ada'");
        var admin = fixture.tenant.person("root", Role.ADMIN);
        assertThat(load(admin, "Ada", "b").ok().at("/changed").asBoolean()).isTrue();
    }

    @Test
    void theNameIsNeeded() {
        ann.call("MB_Load", "{'target':{'agent':'Ada'}}").refused(1003, "vx.name is required");
        ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':' '}}").refused(1003, "vx.name is required");
        ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'a/b'}}").refused(1004, "vx.name");
        ann.call("MB_Unload", "{'target':{'agent':'Ada'}}").refused(1003, "target.bank is required");
        load(ann, "Ada", "c").refused(3001, "no bank 'c'");
    }

    @Test
    void aDocumentMustHaveBeenAccepted() {
        ann.call("MB_Load", "{'target':{'bank':'b'},'vx':{'name':'Notes (2).pdf'}}")
                .refused(3001, "no document 'Notes (2).pdf'");
        bob.call("MB_Load", "{'target':{'bank':'b'},'vx':{'name':'notes.pdf'}}").refused(3001, "no bank 'b'");
        grant(ann, "b", "Bo", "read").ok();
        bob.call("MB_Load", "{'target':{'bank':'b'},'vx':{'name':'notes.pdf'}}").refused(2003, "'append'", "'read'");
        grant(ann, "b", "Bo", "append").ok();
        bob.call("MB_Load", "{'target':{'bank':'b','context':'Bo'},'vx':{'name':'notes.pdf'}}")
                .refused(3001, "no document");
    }

    @Test
    void unloadingTwiceChangesOnce() {
        load(ann, "Ada", "b").ok();
        var unload = "{'target':{'bank':'B','agent':'Ada'}}";
        assertThat(ann.call("MB_Unload", unload).ok().at("/changed").asBoolean())
                .isTrue();
        assertThat(ann.call("MB_Unload", unload).ok().at("/changed").asBoolean(true))
                .isFalse();
        assertThat(read(ann, "b").ok().text("/profile/0/name")).isEqualTo("b");
    }

    @Test
    void whoIsBarredCanStillUnload() {
        grant(ann, "b", "Bo", "read").ok();
        load(bob, "Bo", "b").ok();
        grant(ann, "b", "Bo", "none").ok();
        var unload = "{'target':{'bank':'b','agent':'Bo'}}";
        assertThat(bob.call("MB_Unload", unload).ok().at("/changed").asBoolean())
                .isTrue();
        bob.call("MB_Unload", unload).refused(3001, "no bank 'b'");
    }
}
