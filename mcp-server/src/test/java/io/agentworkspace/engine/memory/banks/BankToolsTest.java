package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.quoted;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BankToolsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    @Test
    void aNewBankIsItsMakersAndPrivate() {
        var made = ann.call("MB_Create", "{'vx':{'name':' Ledger ','description':'What was spent.'}}")
                .ok();
        assertThat(made.text("/bank/name")).isEqualTo("Ledger");
        assertThat(made.text("/bank/description")).isEqualTo("What was spent.");
        assertThat(made.text("/bank/access")).isEqualTo("private");
        assertThat(made.text("/bank/owner")).isEqualTo("ann");
        assertThat(made.text("/bank/state")).isEqualTo("active");
        assertThat(made.at("/bank/memories").asInt(-1)).isZero();
        assertThat(made.number("/revision")).isEqualTo(1);
        assertThat(made.number("/bank/revision")).isEqualTo(1);
        assertThat(made.text("/bank/created_at")).isNotEmpty().isEqualTo(made.text("/bank/updated_at"));
        assertThat(made.at("/profile").isMissingNode()).isTrue();
        assertThat(made.at("/content").isMissingNode()).isTrue();
    }

    @Test
    void theNameIsVxNameElseTargetBankElseGenerated() {
        var both = ann.call("MB_Create", "{'target':{'bank':'Two'},'vx':{'name':'One'}}")
                .ok();
        assertThat(both.text("/bank/name")).isEqualTo("One");
        assertThat(ann.call("MB_Create", "{'target':{'bank':'Two'}}").ok().text("/bank/name"))
                .isEqualTo("Two");
        var cat = fixture.tenant.person(ClientApi.MCP, "cat", Role.MEMBER);
        var first = cat.call("MB_Create").ok().text("/bank/name");
        var second = cat.call("MB_Create", "{'vx':{}}").ok().text("/bank/name");
        assertThat(List.of(first, second))
                .allMatch(name -> name.matches("bank-[0-9a-z]{8}"))
                .doesNotHaveDuplicates();
    }

    @Test
    void theNamedAgentElseSelfManagesTheNewBank() {
        agent(ann, "Ada");
        agent(ann, "Bea");
        ann.call("MB_Create", "{'target':{'agent':'Bea','context':'Ada'},'vx':{'name':'one'}}")
                .ok();
        ann.call("MB_Create", "{'target':{'context':'Ada'},'vx':{'name':'two'}}")
                .ok();
        ann.call("MB_Create", "{'vx':{'name':'three'}}").ok();
        assertThat(granted("one")).containsExactly("Bea");
        assertThat(granted("two")).containsExactly("Ada");
        assertThat(granted("three")).isEmpty();
    }

    private List<String> granted(String bank) {
        return ann.call("MB_AgentList", bank(bank))
                .ok()
                .at("/content")
                .valueStream()
                .filter(entry -> entry.path("via").asString().equals("grant"))
                .filter(entry -> entry.path("permission").asString().equals("manage"))
                .map(entry -> entry.path("agent").asString())
                .toList();
    }

    @Test
    void onlyOnesOwnAgentActsSaveForAdmins() {
        agent(bob, "Seen", "public");
        agent(bob, "Hidden");
        ann.call("MB_Create", "{'target':{'agent':'Seen'},'vx':{'name':'b'}}").refused(2003, "'Seen'", "your own");
        ann.call("MB_Create", "{'target':{'agent':'Hidden'},'vx':{'name':'b'}}").refused(3001, "'Hidden'");
        read(ann, "b").refused(3001);
        var admin = fixture.tenant.person("root", Role.ADMIN);
        admin.call("MB_Create", "{'target':{'agent':'Hidden'},'vx':{'name':'b'}}")
                .ok();
        assertThat(read(bob, "b").ok().text("/profile/0/owner")).isEqualTo("root");
    }

    @Test
    void anAdminCreatesForAnotherUser() {
        var admin = fixture.tenant.person("root", Role.ADMIN);
        var made = admin.call("MB_Create", "{'target':{'user':'ann'},'vx':{'name':'b'}}")
                .ok();
        assertThat(made.text("/bank/owner")).isEqualTo("ann");
        ann.call("MB_Create", "{'target':{'user':'bob'},'vx':{'name':'c'}}").refused(2003, "target.user");
        ann.call("MB_Create", "{'target':{'user':'Ann'},'vx':{'name':'c'}}").ok();
    }

    @Test
    void aTakenNameIsRefusedWhateverItsCase() {
        bank(ann, "Ledger");
        ann.call("MB_Create", "{'vx':{'name':'LEDGER'}}").refused(3002, "LEDGER");
        bob.call("MB_Create", "{'target':{'bank':'ledger'}}").refused(3002, "ledger");
    }

    @Test
    void ofTwinsThatCreateOneBankOneSucceeds() throws Exception {
        var cat = fixture.tenant.person(ClientApi.MCP, "cat", Role.MEMBER);
        var codes = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = IntStream.range(0, 16)
                    .mapToObj(_ -> threads.submit(
                            () -> cat.call("MB_Create", "{'vx':{'name':'b'}}").code()))
                    .toList();
            for (var task : tasks) {
                codes.add(task.get());
            }
        }
        assertThat(codes).containsOnly(0, 3002);
        assertThat(codes.stream().filter(code -> code == 0)).hasSize(1);
    }

    @Test
    void theSameNameInAnotherTenantIsAnotherBank() {
        var elsewhere = new BankFixture();
        bank(ann, "Ledger", "public");
        store(ann, "Ledger", "ours").ok();
        read(elsewhere.ann, "Ledger").refused(3001);
        bank(elsewhere.ann, "Ledger", "public");
        assertThat(read(elsewhere.ann, "Ledger").ok().at("/content")).isEmpty();
        elsewhere.ann.call("MB_Destroy", bank("Ledger")).ok();
        assertThat(read(ann, "Ledger").ok().texts("/content", "text")).containsExactly("ours");
        assertThat(elsewhere.ann.call("MB_List").ok().at("/profile")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"private", "bank", "domain", "agent", "public"})
    void everyAccessOfABankIsAllowed(String access) {
        var made = ann.call("MB_Create", "{'vx':{'name':'b','access':'%s'}}".formatted(access))
                .ok();
        assertThat(made.text("/bank/access")).isEqualTo(access);
    }

    @Test
    void whatIsNotAllowedIsNamed() {
        ann.call("MB_Create", "{'vx':{'access':'world'}}").refused(1004, "vx.access", "public");
        ann.call("MB_Create", "{'vx':{'name':'a/b'}}").refused(1004, "vx.name");
        ann.call("MB_Create", "{'target':{'bank':'a/b'}}").refused(1004, "target.bank");
        ann.call("MB_Create", "{'vx':{'name':7}}").refused(1001, "vx.name");
        ann.call("MB_Create", "{'vx':{'name':'b','description':%s}}".formatted(quoted(2_001)))
                .refused(1005, "vx.description");
        ann.call("MB_Create", "{'vx':{'name':'b','description':%s}}".formatted(quoted(2_000)))
                .ok();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MB_Read",
                "MB_AgentList",
                "MB_Permissions",
                "MB_Censor",
                "MB_Uncensor",
                "MB_Delete",
                "MB_Restore",
                "MB_Destroy",
                "MB_Store",
                "MB_Update"
            })
    void noContextHoldsABank(String command) {
        ann.call(command, "{'target':{}}").refused(1003, "target.bank");
        ann.call(command).refused(1003, "target.bank");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MB_Read",
                "MB_AgentList",
                "MB_Permissions",
                "MB_Censor",
                "MB_Uncensor",
                "MB_Delete",
                "MB_Restore",
                "MB_Destroy"
            })
    void someoneElsesBankLooksMissingToEveryCommand(String command) {
        bank(ann, "Ledger");
        bank(bob, "Leger");
        var hidden = bob.call(command, bank("Ledger")).refused(3001, "no bank 'Ledger'", "did you mean 'Leger'?");
        ann.call("MB_Destroy", bank("Ledger")).ok();
        assertThat(bob.call(command, bank("Ledger")).note()).isEqualTo(hidden.note());
    }

    @Test
    void someoneElsesBankCanBeNeitherWrittenNorChangedNorLoaded() {
        bank(ann, "Ledger");
        agent(bob, "Bo");
        store(bob, "Ledger", "x").refused(3001, "'Ledger'");
        bob.call("MB_Update", "{'target':{'bank':'Ledger'},'vx':{'name':'Mine'}}")
                .refused(3001, "'Ledger'");
        bob.call("MB_Load", "{'target':{'agent':'Bo'},'vx':{'name':'Ledger'}}").refused(3001, "'Ledger'");
        bob.call("MB_Load", "{'target':{'bank':'Ledger'},'vx':{'name':'doc.pdf'}}")
                .refused(3001, "no bank 'Ledger'");
        bob.call("MB_Unload", "{'target':{'agent':'Bo','bank':'Ledger'}}").refused(3001, "'Ledger'");
    }

    @Test
    void updatingRenamesAndChangesWhatIsGiven() {
        ann.call("MB_Create", "{'vx':{'name':'Old','description':'d'}}").ok();
        var renamed = ann.call("MB_Update", "{'target':{'bank':'old'},'vx':{'name':'New'}}")
                .ok();
        assertThat(renamed.at("/changed").asBoolean()).isTrue();
        assertThat(renamed.number("/revision")).isEqualTo(2);
        assertThat(renamed.text("/bank/description")).isEqualTo("d");
        read(ann, "Old").refused(3001);
        var changed = ann.call(
                        "MB_Update",
                        "{'target':{'bank':'New'},'vx':{'name':'New','description':'e','access':'public'}}")
                .ok();
        assertThat(changed.number("/bank/revision")).isEqualTo(3);
        assertThat(changed.text("/bank/description")).isEqualTo("e");
        assertThat(changed.text("/bank/access")).isEqualTo("public");
        var same = ann.call("MB_Update", "{'target':{'bank':'New'},'vx':{'name':'New','access':'public'}}")
                .ok();
        assertThat(same.at("/changed").asBoolean(true)).isFalse();
        assertThat(same.number("/revision")).isEqualTo(3);
        var blank = ann.call("MB_Update", "{'target':{'bank':'New'},'vx':{'name':'New','description':' '}}")
                .ok();
        assertThat(blank.text("/bank/description")).isNotEmpty();
        assertThat(blank.number("/revision")).isEqualTo(3);
    }

    @Test
    void updatingIsRefusedWhereItMust() {
        bank(ann, "One");
        bank(ann, "Two", "public");
        ann.call("MB_Update", "{'target':{'bank':'One'}}").refused(1003, "vx.name is required");
        ann.call("MB_Update", "{'target':{'bank':'One'},'vx':{'name':'TWO'}}").refused(3002, "TWO");
        ann.call("MB_Update", "{'target':{'bank':'One'},'vx':{'name':'Uno'},'if_revision':2}")
                .refused(3003, "now 1");
        ann.call("MB_Update", "{'target':{'bank':'One'},'vx':{'name':'Uno'},'if_revision':1}")
                .ok();
        bob.call("MB_Update", "{'target':{'bank':'Two'},'vx':{'name':'Mine'}}")
                .refused(2003, "'manage'", "you hold 'read'", "'ann'", "MB_Permissions");
    }

    @Test
    void theListHoldsTheReadableBanksByName() {
        agent(bob, "Bo", "public");
        bank(ann, "apple");
        bank(ann, "Banana", "public");
        bank(bob, "cherry");
        bank(ann, "Apricot", "agent");
        grant(ann, "Apricot", "Bo", "append").ok();
        store(ann, "Apricot", "x").ok();
        var listed = bob.call("MB_List").ok();
        assertThat(listed.texts("/profile", "name")).containsExactly("Apricot", "Banana", "cherry");
        assertThat(listed.texts("/content", "bank")).containsExactly("Apricot", "Banana", "cherry");
        assertThat(listed.texts("/content", "permission")).containsExactly("append", "read", "manage");
        assertThat(listed.texts("/content", "via")).containsExactly("grant", "access", "owner");
        assertThat(listed.number("/content/0/memories")).isEqualTo(1);
        assertThat(listed.at("/next_cursor").isMissingNode()).isTrue();
        var prefixed = ann.call("MB_List", bank("AP")).ok();
        assertThat(prefixed.texts("/profile", "name")).containsExactly("apple", "Apricot");
        assertThat(ann.call("MB_List", bank("zzz")).ok().at("/profile")).isEmpty();
    }

    @Test
    void theListIsTheActingAgents() {
        agent(ann, "Ada");
        agent(ann, "Bea");
        agent(bob, "Bo", "public");
        bank(ann, "one");
        bank(ann, "two");
        grant(ann, "one", "Ada", "none").ok();
        grant(ann, "two", "Ada", "read").ok();
        ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'two'}}").ok();
        var self = ann.call("MB_List", "{'target':{'context':'Ada'}}").ok();
        assertThat(self.texts("/content", "bank")).containsExactly("two");
        assertThat(self.texts("/content", "permission")).containsExactly("read");
        assertThat(self.at("/content/0/loaded").asBoolean()).isTrue();
        var named = ann.call("MB_List", "{'target':{'agent':'bea','context':'Ada'}}")
                .ok();
        assertThat(named.texts("/content", "permission")).containsExactly("manage", "manage");
        assertThat(named.at("/content/1/loaded").asBoolean(true)).isFalse();
        assertThat(named.text("/header/context/self")).isEqualTo("Ada");
        ann.call("MB_List", "{'target':{'agent':'Bo'}}").refused(2003, "'Bo'");
        bob.call("MB_List", "{'target':{'agent':'Ada'}}").refused(3001, "no agent 'Ada'");
    }

    @Test
    void theListIsPagedByName() {
        IntStream.range(0, 7).forEach(i -> bank(ann, "b" + i));
        var names = new ArrayList<String>();
        var cursor = "";
        do {
            var page = ann.call("MB_List", "{'page':{'limit':3%s}}".formatted(cursor))
                    .ok();
            names.addAll(page.texts("/profile", "name"));
            cursor = page.text("/next_cursor").isEmpty() ? "" : ",'cursor':'%s'".formatted(page.text("/next_cursor"));
        } while (!cursor.isEmpty());
        assertThat(names).containsExactly("b0", "b1", "b2", "b3", "b4", "b5", "b6");
        ann.call("MB_List", "{'page':{'limit':201}}").refused(1004, "page.limit");
        ann.call("MB_List", "{'page':{'limit':0}}").refused(1004, "page.limit");
    }

    @Test
    void aViewerOnlyReads() {
        bank(ann, "b", "public");
        var eve = fixture.tenant.person("eve", Role.VIEWER);
        read(eve, "b").ok();
        eve.call("MB_List").ok();
        eve.call("MB_AgentList", bank("b")).ok();
        eve.call("MB_Create", "{'vx':{'name':'c'}}").refused(2003, "viewer");
        store(eve, "b", "x").refused(2003, "viewer");
    }

    @Test
    void anIdempotencyKeyCreatesOnce() {
        var once = ann.call("MB_Create", "{'vx':{'name':'b'},'idempotency_key':'k'}")
                .ok();
        var again = ann.call("MB_Create", "{'vx':{'name':'b'},'idempotency_key':'k'}")
                .ok();
        assertThat(again.at("/bank")).isEqualTo(once.at("/bank"));
        ann.call("MB_Create", "{'vx':{'name':'c'},'idempotency_key':'k'}").refused(3005);
    }
}
