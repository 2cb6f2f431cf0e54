package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The cost of statements in a large tenant among others, with the plans that the engine's connections use. The server
 * reports each plan that it ran and the pages that it touched; time is not measured.
 */
@Tag("slow")
class PlansTest {
    private static final String NAME = "plans";
    private static final Clock CLOCK = Clock.systemUTC();
    private static final int SIZE = 50_000;

    /**
     * The maximum number of 8 kB pages that one statement may touch, repeated ones included. It is what two look-ups in
     * each of an agent's 4,900 conversations cost, for the unread count and the last message.
     */
    private static final long MOST_PAGES = 40_000;

    /** A search computes which of the caller's conversations it may read: about twelve pages for each of 16,000. */
    private static final long MOST_OF_A_SEARCH = 300_000;

    private static final String SEARCH = "AP_Search ";

    /** The search of a bank whose index is being built: it compares the latest memories, within a limit of its own. */
    private static final String OF_LATEST_MEMORIES = " AS scanned\n";

    /** What that search may touch, in pages: a memory and what may hide it. */
    private static final long MOST_SCANNED = 3L * SIZE;

    /** What a statement may touch that finds nothing. */
    private static final long FEW_PAGES = 50;

    /** A statement that reads all agents of the tenant, or all memories of the bank, to find few, reads more than these. */
    private static final long MOST_IN_VAIN = 20_000;

    /** The list of who has a permission on the bank. The access of a bank can give one to any agent. */
    private static final String OF_ALL_AGENTS = "MB_AgentList {'target':{'bank':'bank 7'}}";

    /** Their rows are few, and change at each request: an index would cost more than it saves. Each feed is looked at. */
    private static final Set<String> WITHOUT_AN_AGE =
            Set.of("rate_spent", "browser_session", "change_listener", "event_feed");

    /** A part of each statement that reads rows of all tenants: the replica's own look at the rules. No document waits here. */
    private static final Set<String> OF_ALL_TENANTS = Set.of("SELECT DISTINCT tenant_id FROM rule WHERE enabled");

    private static final Pattern PACKAGE = Pattern.compile("(?m)^package (.*);$");

    static final List<String> USERS = List.of("user 1", "user 501", "user 502");

    /** They run after the creations before; a missing name makes the note search for similar ones. */
    static final String CALLS = """
            US_Read {}
            US_List {}
            AP_LogOn {'target':{'agent':'agent-00500'}}
            US_Read {}
            AP_List {}
            AP_List {'target':{'agent':'agent-'}}
            AP_List {'target':{'agent':'aa'}}
            AP_List {'target':{'agent':'agent-49'},'page':{'limit':200}}
            AP_Read {}
            AP_Read {'target':{'agent':'agent-00500'}}
            AP_Read {'target':{'agent':'agent-00501'}}
            AP_Read {'target':{'agent':'nobody'}}
            AP_Wait {'wait_seconds':0}
            AP_Wait {'wait_seconds':0,'target':{'agent':'agent-00501'}}
            AP_Select {'target':{'agent':'agent-00501'}}
            AP_Select {'target':{'agent':'nobody'}}
            DM_List {}
            DM_List {'target':{'domain':'domain 2'}}
            DM_Read {'target':{'domain':'domain 1'}}
            DM_Read {'target':{'domain':'nothing'}}
            ZN_Enter {'target':{'domain':'domain 1'}}
            ZN_List {}
            ZN_List {'target':{'domain':'domain 1','zone':'zone 2'}}
            ZN_Read {}
            ZN_Read {'target':{'domain':'domain 1','zone':'nothing'}}
            AP_Search {'content':'hello'}
            AP_Search {'content':'hello nothing','target':{'domain':'domain 1'}}
            AP_Search {'content':'nothing -hello','target':{'agent':'agent-00500'}}
            AP_Search {'since':'2020-01-01T00:00:00Z'}
            AP_Search {'since':'2020-01-01T00:00:00Z','target':{'agent':'agent-00500'}}
            TK_List {'target':{'domain':'domain 1'}}
            TK_List {'target':{'domain':'domain 1'},'state':'open'}
            TK_List {'target':{'domain':'domain 1'},'state':'blocked'}
            TK_List {'target':{'domain':'domain 1'},'ready':true,'paths':true}
            TK_List {'target':{'domain':'domain 1'},'mine':true}
            TK_List {'target':{'domain':'domain 2','agent':'agent-00500'}}
            MB_List {}
            MB_List {'target':{'bank':'bank 1'}}
            MB_List {'target':{'agent':'agent-00010'}}
            MB_Read {'target':{'bank':'bank 0'}}
            MB_Read {'target':{'bank':'bank 0'},'vx':{'name':'memory 400'}}
            MB_Read {'target':{'bank':'bank 0'},'vx':{'name':'nothing'}}
            MB_Read {'target':{'bank':'bank 0'},'vx':{'tags':['tag 1']}}
            MB_Read {'target':{'bank':'bank 0'},'vx':{'tags':['nothing']}}
            MB_Read {'target':{'bank':'bank 0','agent':'agent-00500'}}
            MB_Read {'target':{'bank':'nothing'}}
            MB_Read {'target':{'bank':'bank 0'},'unused_since':'2999-01-01T00:00:00Z'}
            MB_Export {'target':{'bank':'bank 0'},'format':'graph'}
            MB_Search {'target':{'bank':'bank 0'},'content':'memory 400'}
            MB_Search {'content':'memory 400'}
            AP_Modify {'target':{'agent':'agent-00010'},'revisions':true}
            MB_AgentList {'target':{'bank':'bank 0'}}
            MB_AgentList {'target':{'bank':'bank 0','agent':'agent-00010'}}
            MB_AgentList {'target':{'bank':'bank 7'}}
            MB_Permissions {'target':{'bank':'bank 0'}}
            MB_Permissions {'target':{'bank':'bank 0','agent':'agent-00010'}}
            MB_Load {'vx':{'name':'bank 0'}}
            MB_List {}
            AP_LogOn {'target':{'agent':'agent-00500'}}
            AK_List {}
            AC_Read {}
            AC_Audit {}
            AC_Audit {'user':'user 1'}
            AK_Invitations {}
            SK_List {}
            DC_List {}
            DC_Queue {}
            RL_List {}
            RL_Check {'when':'command.effect == \\"destroys\\"','replay':{'days':7}}
            UP_List {}
            US_Inbox {}
            MB_Trash {'target':{'bank':'bank 0'}}
            MB_Files {'target':{'bank':'bank 0'},'command':'view','path':'/memories'}
            MB_Export {'target':{'bank':'bank 0'}}
            WH_List {}
            WH_Deliveries {}
            WH_Deliveries {'state':'failed','type':'agent.deployment.created'}
            WH_Feed {}
            """;

    /** The writes of each user in the large tenant, with unique names. */
    static final String WRITES = """
            AP_Create {'vx':{'name':'new #','description':'d','profile':'p'}}
            AP_Chat {'target':{'agent':'new #'},'content':'hello'}
            AP_Read {'target':{'agent':'new #','context':'other'}}
            AP_Read {'target':{'agent':'new #','context':'other'}}
            AP_Read {'target':{'agent':'new #','context':'other'}}
            AP_Chat {'target':{'agent':'agent-00501'},'content':'hello'}
            AP_Modify {'target':{'agent':'new #'},'vx':{'description':'e'}}
            AP_Remove {'target':{'agent':'new #'}}
            AP_Add {'target':{'agent':'new #'}}
            MB_Create {'vx':{'name':'box #','description':'d'}}
            MB_Store {'target':{'bank':'box #'},'vx':{'name':'fact'},'content':'text'}
            MB_Store {'target':{'bank':'box #'},'vx':{'name':'fact'},'content':'another text'}
            MB_Store {'target':{'bank':'bank 0'},'content':'text'}
            MB_Permissions {'target':{'bank':'box #','agent':'new #'},'vx':{'access':'read'}}
            MB_Update {'target':{'bank':'box #'},'vx':{'name':'box #','description':'e'}}
            MB_Unload {'vx':{'name':'box #'}}
            MB_Delete {'target':{'bank':'box #'}}
            MB_Restore {'target':{'bank':'box #'}}
            MB_Destroy {'target':{'bank':'box #'}}
            DM_Create {'target':{'agent':'new #'},'vx':{'name':'room #','description':'d'}}
            TK_Create {'target':{'domain':'room #'},'vx':{'name':'task #'}}
            TK_Claim {'target':{'domain':'room #'},'next':true}
            TK_Claim {'target':{'domain':'domain 1'},'next':true}
            TK_Reserve {'target':{'domain':'room #'},'paths':['src/**']}
            TK_Release {'target':{'domain':'room #'}}
            TK_List {'target':{'domain':'room #'}}
            ZN_Create {'target':{'domain':'room #'},'vx':{'name':'side'}}
            ZN_Enter {'target':{'domain':'room #','zone':'side'}}
            AP_Chat {'content':'hello'}
            ZN_Leave {}
            DM_Invite {'target':{'domain':'room #','agent':'agent-00010'}}
            DM_Kick {'target':{'domain':'room #','agent':'agent-00010'}}
            DM_Ban {'target':{'domain':'room #','agent':'agent-00010'}}
            DM_Unban {'target':{'domain':'room #','agent':'agent-00010'}}
            DM_Update {'target':{'domain':'room #'},'vx':{'name':'room #','description':'e'}}
            ZN_Destroy {'target':{'domain':'room #','zone':'side'}}
            DM_Destroy {'target':{'domain':'room #'}}
            AP_Destroy {'target':{'agent':'new #'}}
            """;

    private static final Embedder EMBEDDER = new Embedder(new EmbeddingConfig(true, null, null, null), CLOCK);

    private static Db filled;
    private static long tenant;
    /** The large tables. All others are too small to matter. */
    private static Set<String> large;

    @BeforeAll
    static void fill() {
        filled = TestDatabase.fresh(NAME);
        var postgres = TestDatabase.postgres();
        var url = postgres.jdbcUrl().replaceFirst("/[^/]*$", "/" + NAME);
        try (var db = new Db(url, postgres.user(), postgres.password(), 1, PlanReports.UNHURRIED)) {
            var tenants = new TenantStore(db);
            for (var name : List.of("before", "large", "after")) {
                var id = tenants.create(Name.of(name), "unlimited", CLOCK.instant());
                tenant = name.equals("large") ? id : tenant;
                LargeTenant.fill(db, id, name.equals("large") ? SIZE : SIZE / 10);
            }
            // Most tenants are small, and most users have few agents, so one with all of them is not expected.
            db.sql("""
                    INSERT INTO tenant (tenant_id, name, name_key, created_at)
                    SELECT 90000000 + n, 'small ' || n, 'small ' || n, now() FROM generate_series(1, 1000) n
                    """).run();
            db.sql("""
                    INSERT INTO tenant_plan (tenant_id, plan)
                    SELECT 90000000 + n, 'unlimited' FROM generate_series(1, 1000) n
                    """).run();
            db.sql("INSERT INTO event_feed (tenant_id) SELECT 90000000 + n FROM generate_series(1, 1000) n")
                    .run();
            db.sql("""
                    INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at)
                    SELECT 90000000 + n, 90000000 + n, 'owner', 'owner', 'owner', now() FROM generate_series(1, 1000) n
                    """).set("tenant", tenant).run();
            db.sql("""
                    INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
                    SELECT 90000000 + n, 90000000 + i, 'small-' || i, 'small-' || i, 'd', 'public', 90000000 + n, now(), now()
                      FROM generate_series(1, 1000) n, generate_series(1, 20) i
                    """).set("tenant", tenant).run();
            db.sql("UPDATE agent SET owner_id = :owner WHERE tenant_id = :tenant")
                    .set("owner", LargeTenant.USERS + 1)
                    .set("tenant", tenant)
                    .run();
            db.sql("""
                    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision, model, vectors)
                    SELECT tenant_id, bank_id, id, revision, :model, '' FROM memory
                    """).set("model", EMBEDDER.id()).run();
            db.sql("VACUUM ANALYZE").run();
            large = Set.copyOf(db.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > 1000")
                    .list(row -> row.text("relname")));
        }
        assertThat(large).contains("agent", "membership", "memory", "memory_vector", "message", "bank_grant", "task");
    }

    @AfterAll
    static void close() {
        filled.close();
        EMBEDDER.close();
    }

    /** Returns the tables whose rows belong to tenants. Those that find a tenant are read before it is known. */
    private static Set<String> ofTenants() {
        return Set.copyOf(filled.sql("""
                SELECT c.relname
                  FROM pg_class c
                  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
                 WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
                   AND c.relname NOT IN ('tenant', 'directory')
                """).list(row -> row.text("relname")));
    }

    static Caller caller(long tenant, String name) {
        var id = Long.parseLong(name.substring("user ".length()));
        return new Caller(
                tenant,
                "large",
                LargeTenant.USERS + id,
                name,
                id == 502 ? Role.ADMIN : Role.MEMBER,
                Set.of("*"),
                "session:" + id,
                null,
                new Credential(null, false, Toolset.EVERYTHING, false, null, false));
    }

    /** Otherwise PostgreSQL expects few rows of each tenant, where there are many small ones. */
    @Test
    void eachTableSaysHowManyTenantsToExpect() {
        assertThat(filled.sql("""
                SELECT c.relname
                  FROM pg_class c
                  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
                 WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
                   AND NOT COALESCE('n_distinct=3' = ANY (a.attoptions), false)
                """).list(row -> row.text("relname"))).isEmpty();
    }

    private static long most(PlanReports.Ran one) {
        if (one.call().startsWith(SEARCH)) {
            return MOST_OF_A_SEARCH;
        }
        return one.sql().contains(OF_LATEST_MEMORIES) ? MOST_SCANNED : MOST_PAGES;
    }

    @Test
    void noStatementTouchesMuchOrAnotherTenantsRows() throws IOException {
        try (var reports = new PlanReports(NAME)) {
            var runner = TestDatabase.runner(reports.db());
            var all = new ArrayList<PlanReports.Ran>();
            for (var user : USERS) {
                CALLS.lines().forEach(line -> all.addAll(reports.of(runner, caller(tenant, user), line)));
                WRITES.lines()
                        .map(line -> line.replace("#", user.split(" ")[1]))
                        .forEach(line -> all.addAll(reports.of(runner, caller(tenant, user), line)));
            }
            assertThat(all).hasSizeGreaterThan(CALLS.lines().toList().size());
            all.sort(Comparator.comparing(PlanReports.Ran::pages).reversed());
            assertThat(all.stream()
                            .filter(one -> one.pages() > most(one)
                                    || !one.scans(large).isEmpty()
                                    || one.readInVain() > MOST_IN_VAIN
                                            && !one.call().startsWith(OF_ALL_AGENTS)))
                    .as("at most %,d pages, and no large table as a whole", MOST_PAGES)
                    .isEmpty();
            checkTenants(all);
        }
    }

    /** On several primaries (decisions, section 23), a statement that reads rows of two tenants would ask two of them. */
    private static void checkTenants(List<PlanReports.Ran> all) {
        var ofTenants = ofTenants();
        var across = all.stream()
                .filter(one -> !one.acrossTenants(ofTenants).isEmpty())
                .toList();
        assertThat(across.stream()
                        .filter(one -> OF_ALL_TENANTS.stream().noneMatch(one.sql()::contains))
                        .map(one -> "%s %s: %.300s".formatted(one.acrossTenants(ofTenants), one.call(), one.sql())))
                .as("statements that read rows of several tenants")
                .isEmpty();
        assertThat(OF_ALL_TENANTS)
                .allMatch(part -> across.stream().anyMatch(one -> one.sql().contains(part)), "is still needed");
    }

    @Test
    void theQueueOfVectorsDoesNotReadTheMemoriesThatHaveThem() throws IOException {
        filled.sql("DELETE FROM memory_vector WHERE vectors IS NULL").run(); // The other test stores memories.
        try (var reports = new PlanReports(NAME);
                var queue = new EmbeddingQueue(new EmbeddingStore(reports.db()), EMBEDDER)) {
            queue.start();
            var ran = new ArrayList<PlanReports.Ran>();
            await().until(() -> {
                ran.addAll(reports.since("the queue"));
                return ran.stream()
                        .anyMatch(one -> one.plan().path("Node Type").asString().equals("ModifyTable"));
            });
            assertThat(ran).allMatch(one -> one.pages() <= FEW_PAGES);
        }
    }

    /** Next to nothing is old, and each deletion learns that from an index, whatever the tables have: one empty bank is in the trash. */
    @Test
    void deletionsOfOldRowsReadNoOthers() throws Exception {
        filled.sql("""
                INSERT INTO bank (tenant_id, id, name, name_key, access, owner_id, created_at, updated_at, deleted_at)
                SELECT max(tenant_id), 99999999, 'old', 'old', 'private', min(owner_id), now(), now(), TIMESTAMP '1969-01-01'
                  FROM bank
                """).run();
        var tenant = filled.sql("SELECT max(tenant_id) AS tenant FROM bank")
                .one(row -> row.number("tenant"))
                .orElseThrow();
        try (var reports = new PlanReports(NAME)) {
            var ran = new ArrayList<PlanReports.Ran>();
            for (var deletion : deletions()) {
                reports.since("");
                var db = reports.db();
                var deleted = deletion.contains(":tenant")
                        ? db.deleteOld(tenant, deletion, Instant.EPOCH)
                        : db.deleteOld(deletion, Instant.EPOCH);
                assertThat(deleted).as(deletion).isLessThanOrEqualTo(1);
                reports.since(deletion).stream()
                        .filter(one -> one.sql().startsWith("WITH gone")) // Not what goes with them.
                        .forEach(ran::add);
            }
            assertThat(ran).hasSizeGreaterThan(30);
            assertThat(ran.stream()
                            .filter(one -> one.pages() > FEW_PAGES + lookUps(one)
                                    || one.nodes().anyMatch(PlansTest::isReadAsAWhole)))
                    .as("few pages, and no table as a whole")
                    .isEmpty();
        }
    }

    /** The audit is found by tenant and time, events by feed and place. Each of the 1,003 tenants costs an entry of one index and a look-up in another. */
    private static long lookUps(PlanReports.Ran one) {
        return one.sql().contains("FROM tenant t") || one.sql().contains("FROM event_feed f") ? 4 * 1_003 : 0;
    }

    private static boolean isReadAsAWhole(JsonNode node) {
        return node.path("Node Type").asString().equals("Seq Scan")
                && !WITHOUT_AN_AGE.contains(node.path("Relation Name").asString());
    }

    /** Returns the statements of all classes that delete old rows. */
    private static List<String> deletions() throws ReflectiveOperationException {
        var found = new ArrayList<String>();
        for (var source : Repository.sources()) {
            var text = Repository.text(source);
            if (text.contains(".deleteOld(") && source.toString().contains("/src/main/")) {
                var type = Class.forName(PACKAGE.matcher(text)
                                .results()
                                .findFirst()
                                .orElseThrow()
                                .group(1) + "."
                        + source.getFileName().toString().replace(".java", ""));
                var before = found.size();
                for (var field : type.getDeclaredFields()) {
                    if (field.getType() == String.class && Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        var sql = (String) field.get(null);
                        if (sql.contains("AS deleted FROM gone")) {
                            found.add(sql);
                        }
                    }
                }
                assertThat(found).as(type.getName()).hasSizeGreaterThan(before);
            }
        }
        return found;
    }
}
