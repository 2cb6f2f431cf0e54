package io.agentworkspace.engine.memory.banks.use;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.memory.banks.use.FoundCounts.Count;
import io.agentworkspace.engine.memory.banks.use.FoundCounts.Finding;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often a memory was found, by whom, what nobody found, and removing that in one call. */
class MemoryUseTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    @BeforeEach
    void thereIsABank() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        agent(bob, "Cy", "public");
        bank(ann, "b");
        grant(ann, "b", "Bo", "append").ok();
        grant(ann, "b", "Cy", "read").ok();
        bob.call("AP_Modify", "{'target':{'agent':'Cy'},'vx':{'access':'private'}}")
                .ok();
        storeNamed(ann, "b", "Ada", "tide", "Low water is at noon on Friday.").ok();
        storeNamed(ann, "b", "Ada", "paint", "The boat house is painted green.").ok();
    }

    /** Searches, and waits until the replica has written what it counted. */
    private Reply found(TestCaller who, String context, String query, int rows) {
        var found = who.call(
                        "MB_Search",
                        "{'target':{'bank':'b','context':'%s'},'content':'%s','mode':'text'}".formatted(context, query))
                .ok();
        await().until(() -> Stream.of(ClientApi.values()).allMatch(api -> rows(tenant.id(api)) == rows));
        return found;
    }

    private static int rows(long tenant) {
        return TenantRows.count(tenant, "memory_use");
    }

    private static Reply named(TestCaller who, String name) {
        return who.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'%s'}}".formatted(name))
                .ok();
    }

    @Test
    void aMemoryShowsWhoFoundItAndWhetherItWasCorrectedSince() {
        assertThat(named(ann, "tide").at("/use").isMissingNode()).isTrue();

        assertThat(found(ann, "none", "low water", 1).texts("/content", "name")).containsExactly("tide");
        found(bob, "Bo", "low water", 2);
        found(bob, "Cy", "low water", 3);
        var all = ann.call("MB_Read", "{'target':{'bank':'b'}}").ok();
        assertThat(all.texts("/use", "id")).containsExactly(all.text("/content/1/id"));
        assertThat(all.number("/use/0/times")).isEqualTo(3);
        assertThat(all.at("/use/0/by").isMissingNode())
                .as("the list has sums only")
                .isTrue();
        var hers = named(ann, "tide");
        assertThat(hers.texts("/use/0/by", "name")).containsExactly("Bo", "ann");
        assertThat(hers.texts("/use/0/by", "kind")).containsExactly("agent", "user");
        assertThat(hers.texts("/use/0/by", "outdated")).containsOnly("false");
        assertThat(hers.number("/use/0/others")).as("Cy, whom she may not see").isEqualTo(1);
        assertThat(hers.at("/use/0/corrected").isMissingNode()).isTrue();
        var his = named(bob, "tide");
        assertThat(his.texts("/use/0/by", "name")).as("not the user ann").containsExactly("Cy", "Bo");
        storeNamed(ann, "b", "Ada", "tide", "Low water is at one on Friday.").ok();
        var replaced = named(ann, "tide");
        assertThat(replaced.texts("/use/0/by", "outdated")).containsOnly("true");
        assertThat(replaced.text("/use/0/corrected/how")).isEqualTo("replaced");
        assertThat(replaced.text("/use/0/corrected/by")).isEqualTo("Ada");
        assertThat(replaced.at("/use/0/corrected/by_finder").asBoolean(true)).isFalse();
        grant(ann, "b", "Bo", "write").ok();
        bob.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Bo'},'content':'Low water is at two.','supersedes':'%s'}"
                                .formatted(replaced.text("/content/0/id")))
                .ok();
        var superseded = named(ann, "tide");
        assertThat(superseded.text("/use/0/corrected/how")).isEqualTo("superseded");
        assertThat(superseded.text("/use/0/corrected/by")).isEqualTo("Bo");
        assertThat(superseded.at("/use/0/corrected/by_finder").asBoolean()).isTrue();
    }

    @Test
    void whatNobodyFoundGoesToTheTrashInOneCallAndComesBackInOne() {
        storeNamed(bob, "b", "Bo", "oars", "The oars are in the shed.").ok();
        var since = Instant.now().truncatedTo(ChronoUnit.MILLIS).plusMillis(2);
        await().until(() -> Instant.now().isAfter(since));
        found(ann, "none", "low water", 1);
        var unused = "{'target':{'bank':'b'},'unused_since':'%s'}".formatted(since);
        var listed = ann.call("MB_Read", unused).ok();
        assertThat(listed.texts("/content", "name")).containsExactly("oars", "paint");
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'},'unused_since':'2020-01-01T00:00:00Z'}")
                        .ok()
                        .at("/content"))
                .as("all were stored later")
                .isEmpty();
        ann.call("MB_Read", "{'target':{'bank':'b'},'unused_since':'%s','vx':{'name':'oars'}}".formatted(since))
                .refused(1004, "unused_since");
        var ids = "'%s'".formatted(String.join("','", listed.texts("/content", "id")));
        var several = "{'target':{'bank':'b'},'memories':[%s]}".formatted(ids);
        bob.call("MB_Delete", several).refused(2003);
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memories':[]}").refused(1003, "memories");
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memories':['x']}").refused(1004, "memories");
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memories':[%s]}".formatted("'x',".repeat(1_000) + "'x'"))
                .refused(1005, "memories");
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memories':[%s],'memory':'oars'}".formatted(ids))
                .refused(1004, "memories");
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memories':[%s,'%s']}".formatted(ids, UUID.randomUUID()))
                .refused(3001, "no memory");
        assertThat(ann.call("MB_Read", unused).ok().at("/content")).hasSize(2);
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memories':['1-1-1-1-1']}")
                .refused(1004, "memories");
        ann.call("MB_Delete", "{'target':{'bank':'b','agent':'Ada'},'memories':[%s]}".formatted(ids))
                .refused(1004, "memories");
        assertThat(ann.call("MB_Delete", several).ok().number("/deleted")).isEqualTo(2);
        for (var api : ClientApi.values()) {
            assertThat(TestDatabase.db()
                            .sql("""
                            SELECT details FROM audit WHERE tenant_id = :tenant AND details LIKE 'deleted 2 memories, of: %'
                            """)
                            .set("tenant", tenant.id(api))
                            .one(row -> row.text("details"))
                            .orElseThrow())
                    .hasSize("deleted 2 memories, of: ".length() + 36 + 2 + 36);
        }
        assertThat(ann.call("MB_Delete", several).ok().at("/changed").asBoolean(true))
                .isFalse();
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'}}").ok().texts("/content", "name"))
                .containsExactly("tide");
        storeNamed(ann, "b", "Ada", "paint", "It is red.").ok();
        ann.call("MB_Restore", several).refused(3003, "'paint'");
        ann.call("MB_Destroy", "{'target':{'bank':'b'},'memory':'paint'}").ok();
        var restored = ann.call("MB_Restore", several).ok();
        assertThat(restored.number("/restored")).isEqualTo(2);
        assertThat(ann.call("MB_Read", unused).ok().texts("/content", "name")).containsExactly("oars", "paint");
        ann.call("MB_Destroy", "{'target':{'bank':'b'},'memory':'tide'}").ok();
        assertThat(rows(tenant.id(ClientApi.MCP))).as("it goes with its memory").isZero();
    }

    @Test
    void whatCameChangedIsPinnedOrCorrectsAnotherIsNotUnused() {
        var wrong = storeNamed(ann, "b", "Ada", "wrong", "The key is under the mat.")
                .ok();
        ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b'},'content':'The key is under the pot.','supersedes':'%s'}"
                                .formatted(wrong.text("/memory/id")))
                .ok();
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'Be kind.','pinned':true}")
                .ok();
        ann.call(
                        "MB_Import",
                        "{'target':{'bank':'b'},'format':'jsonl','data':'{\\\"text\\\":\\\"An old saying.\\\",\\\"created_at\\\":\\\"2020-01-01T00:00:00Z\\\"}'}")
                .ok();
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql("""
                    UPDATE memory SET created_at = created_at - interval '9 days', updated_at = updated_at - interval '9 days'
                     WHERE tenant_id = :tenant AND text <> 'An old saying.'
                    """).set("tenant", tenant.id(api)).run();
        }
        storeNamed(ann, "b", "Ada", "tide", "Low water is at three.").ok();
        var yesterday = "{'target':{'bank':'b'},'unused_since':'%s'}"
                .formatted(Instant.now().minus(1, ChronoUnit.DAYS));
        assertThat(ann.call("MB_Read", yesterday).ok().texts("/content", "text"))
                .containsExactly("The boat house is painted green.");
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'}}")
                        .ok()
                        .at("/use")
                        .isMissingNode())
                .as("an arrival is no finding")
                .isTrue();
    }

    /** An import of engine lines may say that a memory is superseded, but not since when. */
    @Test
    void aCorrectionWithoutATimeIsAsOldAsItsText() {
        var old = named(ann, "paint").text("/content/0/id");
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'It is blue.','supersedes':'%s'}".formatted(old))
                .ok();
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql(
                            "UPDATE memory SET superseded_at = NULL WHERE tenant_id = :tenant AND superseded_by IS NOT NULL")
                    .set("tenant", tenant.id(api))
                    .run();
            TestDatabase.db().sql("""
                    INSERT INTO memory_use SELECT tenant_id, bank_id, id, author_id, 1, now(), 1
                      FROM memory WHERE tenant_id = :tenant AND name = 'paint'
                    """).set("tenant", tenant.id(api)).run();
        }
        assertThat(named(ann, "paint").texts("/use/0/by", "outdated")).containsExactly("false");
    }

    @Test
    void whatIsBeingDeletedLosesItsCountAndHoldsUpNobody() {
        var store = new MemoryUseStore(TestDatabase.db());
        var id = tenant.id(ClientApi.MCP);
        var counts = new LinkedHashMap<Finding, Count>();
        TestDatabase.db()
                .sql("SELECT tenant_id, bank_id, id FROM memory WHERE tenant_id = :tenant")
                .set("tenant", id)
                .list(row -> counts.put(
                        new Finding(row.number("tenant_id"), row.number("bank_id"), row.uuid("id"), -1),
                        new Count(1, Instant.EPOCH, 1)));
        TestDatabase.db().transaction(() -> {
            TestDatabase.db()
                    .sql("SELECT 1 FROM memory WHERE tenant_id = :tenant AND name = 'tide' FOR UPDATE")
                    .set("tenant", id)
                    .one(_ -> true);
            CompletableFuture.runAsync(
                            () -> { // With a connection of its own.
                                store.add(id, counts);
                                store.fold(id, counts.keySet());
                            })
                    .join();
            return true;
        });
        assertThat(rows(id)).as("of the other memory").isEqualTo(1);
    }

    @Test
    void theLatestTenFindersAreKeptAndTheOthersAreOneNumber() {
        var store = new MemoryUseStore(TestDatabase.db());
        for (var api : ClientApi.values()) {
            var counts = new LinkedHashMap<Finding, Count>();
            TestDatabase.db()
                    .sql("SELECT tenant_id, bank_id, id FROM memory WHERE tenant_id = :tenant AND name = 'tide'")
                    .set("tenant", tenant.id(api))
                    .list(row -> {
                        for (var finder = 1; finder <= 12; finder++) {
                            counts.put(
                                    new Finding(
                                            row.number("tenant_id"), row.number("bank_id"), row.uuid("id"), -finder),
                                    new Count(
                                            finder,
                                            Instant.parse("2026-01-01T00:00:00Z")
                                                    .plusSeconds(finder),
                                            1));
                        }
                        return true;
                    });
            store.add(tenant.id(api), counts);
            store.fold(tenant.id(api), counts.keySet());
            store.fold(tenant.id(api), counts.keySet());
            assertThat(TenantRows.all(tenant.id(api), "memory_use")).hasSize(11);
            assertThat(TestDatabase.db()
                            .sql("SELECT times FROM memory_use WHERE tenant_id = :tenant AND finder_id = 0")
                            .set("tenant", tenant.id(api))
                            .one(row -> row.number("times")))
                    .as("of the first two")
                    .hasValue(3L);
        }
        assertThat(named(ann, "tide").number("/use/0/times")).isEqualTo(78);
        assertThat(named(ann, "tide").number("/use/0/others")).isEqualTo(78);
    }
}
