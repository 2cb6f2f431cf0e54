package io.agentworkspace.engine.kernel.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.testing.CaseWorkspace;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.ToolCases;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever a tool changes is in the log of changes, with those who may learn of it, and with nobody else. */
class AnnouncedChangesTest {
    private static final Db DB = TestDatabase.db();

    /** What is compared of each table, and the topics of which one must report a difference. */
    private static final Map<String, Set<String>> TABLES = tables();

    private final CaseWorkspace workspace = new CaseWorkspace(DB, TestDatabase.runner(DB));
    private final long tenant = workspace.member().tenant();

    private static Map<String, Set<String>> tables() {
        var tables = new LinkedHashMap<String, Set<String>>();
        tables.put("agent", Set.of("agent"));
        tables.put("roster", Set.of("resources"));
        tables.put("domain", Set.of("domain"));
        tables.put("zone", Set.of("resources"));
        tables.put("membership", Set.of("access"));
        tables.put("bank", Set.of("bank"));
        tables.put("bank_grant", Set.of("access"));
        tables.put("bank_censor", Set.of("bank"));
        // Sketches are made later, in the background.
        tables.put("(SELECT tenant_id, to_jsonb(m) - 'sketch' AS memory FROM memory m)", Set.of("bank"));
        tables.put("message", Set.of("messages", "domain", "resources"));
        tables.put(
                "(SELECT tenant_id, to_jsonb(d) - 'lease_until' AS document FROM document d)", // Its worker renews the
                // lease.
                Set.of("document", "documents")); // The queue announces the latter when it takes one.
        tables.put("skill", Set.of("skill"));
        tables.put("skill_install", Set.of("agent"));
        tables.put("audit", Set.of("audit"));
        tables.put(
                "(SELECT tenant_id, id, role, removed_at FROM app_user WHERE name NOT LIKE 'user %')",
                Set.of("tools", "access"));
        tables.put("(SELECT tenant_id, self_id FROM context WHERE self_id IS NOT NULL)", Set.of("presence"));
        return tables;
    }

    @BeforeEach
    void listen() {
        new ListeningTenants(DB, Clock.systemUTC()).in(Set.of(tenant));
    }

    private Map<String, String> contents() {
        var contents = new LinkedHashMap<String, String>();
        for (var table : TABLES.keySet()) {
            var rows = DB.sql("SELECT string_agg(CAST(t AS text), ',' ORDER BY CAST(t AS text)) AS rows FROM " + table
                            + " t WHERE t.tenant_id = :tenant")
                    .set("tenant", tenant)
                    .one(row -> String.valueOf(row.textOrNull("rows")));
            contents.put(table, rows.orElseThrow());
        }
        return contents;
    }

    /** Returns the ordinals in the log. Not the last one: what the queue of documents writes may appear with an earlier one. */
    private List<Long> logged() {
        return DB.sql("SELECT ordinal FROM change_log WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .list(row -> row.number("ordinal"));
    }

    /** Returns what was logged since, each as its topic, names and users: nobody besides the admins, everyone, or some. */
    private List<String> since(List<Long> before) {
        return DB.sql("""
                SELECT l.topic, array_to_string(l.names, '/') AS names,
                       CASE WHEN l.users IS NULL THEN 'everyone'
                            ELSE array_to_string(ARRAY(SELECT u.name FROM app_user u
                                                        WHERE u.tenant_id = l.tenant_id AND u.id = ANY (l.users)
                                                        ORDER BY u.name), '+') END AS users
                  FROM change_log l
                 WHERE l.tenant_id = :tenant AND l.ordinal <> ALL (CAST(:before AS bigint[]))
                 ORDER BY l.ordinal
                """)
                .set("tenant", tenant)
                .set("before", before)
                .list(row -> "%s %s: %s".formatted(row.text("topic"), row.text("names"), row.text("users")));
    }

    private static Set<String> topics(List<String> entries) {
        var topics = new TreeSet<String>();
        entries.forEach(entry -> topics.add(entry.split(" ")[0]));
        return topics;
    }

    @Test
    void whateverAToolChangesIsAnnounced() {
        var writers = new TreeMap<String, List<String>>();
        for (var tool : ToolCases.all()) {
            tool.before().forEach(step -> workspace.run(step, 1));
            // The log is read around the tables: the queue of documents works at the same time, and announces what it
            // changes.
            var logged = logged();
            var before = contents();
            workspace.run(tool.tool() + " " + tool.cost(), 1);
            var after = contents();
            var topics = topics(since(logged));
            after.forEach((table, rows) -> {
                if (!rows.equals(before.get(table))) {
                    writers.computeIfAbsent(table, _ -> new ArrayList<>()).add(tool.tool());
                    assertThat(topics).as("%s changed %s", tool.tool(), table).containsAnyElementsOf(TABLES.get(table));
                }
            });
            if (tool.tool().startsWith("AC_") || tool.tool().startsWith("RL_")) {
                TestDatabase.awaitChanges();
            }
        }
        assertThat(writers.keySet())
                .as("tables that some tool changes")
                .containsExactlyInAnyOrderElementsOf(TABLES.keySet());
    }

    private List<String> announced(String step) {
        var logged = logged();
        workspace.run(step, 0);
        return since(logged).stream()
                .filter(entry -> !entry.matches("(audit|events) .*")) // The feed grows in the background.
                .toList();
    }

    @Test
    void changesAreAnnouncedToThoseWhoMaySeeTheThing() {
        workspace.run("US_Create {'vx':{'name':'eve'}}", 0);
        assertThat(announced("AP_Create {'vx':{'name':'Cat','description':'d','access':'private'}}"))
                .containsExactlyInAnyOrder("access : everyone", "agent cat: ann", "resources : ann", "presence : ");
        assertThat(announced("AP_Modify {'target':{'agent':'Cat'},'vx':{'description':'e'}}"))
                .containsExactlyInAnyOrder("agent cat: ann", "presence : ");
        assertThat(announced("AP_Modify {'target':{'agent':'Cat'},'vx':{'name':'Dog','access':'public'}}"))
                .containsExactlyInAnyOrder(
                        "access : everyone",
                        "agent cat: ann",
                        "agent dog: everyone",
                        "resources : everyone",
                        "presence : ");
        assertThat(announced("AP_Remove {'target':{'agent':'Dog'}}"))
                .containsExactlyInAnyOrder("access : everyone", "resources : ann");
        assertThat(announced("DM_Create {'vx':{'name':'Lab','description':'d','access':'private'}}"))
                .containsExactlyInAnyOrder("access : everyone", "domain lab: ann", "resources : ann", "presence : ");
        assertThat(announced("ZN_Create {'target':{'domain':'Lab'},'vx':{'name':'hall'}}"))
                .containsExactlyInAnyOrder("access : everyone", "resources : ann");
        assertThat(announced("MB_Create {'vx':{'name':'Safe','access':'private'}}"))
                .contains("access : everyone", "bank safe: ann", "resources : ann");
        assertThat(announced("MB_Store {'target':{'bank':'Safe'},'content':'text'}"))
                .containsExactlyInAnyOrder("memories : ", "bank safe: ann");
        assertThat(announced("MB_Update {'target':{'bank':'Safe'},'vx':{'name':'Safe','access':'public'}}"))
                .containsExactlyInAnyOrder(
                        "access : everyone", "bank safe: ann", "bank safe: everyone", "resources : everyone");
        assertThat(announced("MB_Store {'target':{'bank':'Safe'},'content':'more'}"))
                .containsExactlyInAnyOrder("memories : ", "bank safe: everyone");
        assertThat(announced("AP_Chat {'target':{'agent':'Bo'},'content':'hello'}"))
                .containsExactlyInAnyOrder("messages : ", "agent ada: ann", "agent bo: ann");
        assertThat(announced("AP_Chat {'target':{'domain':'Den','zone':'main'},'content':'hello'}"))
                .containsExactlyInAnyOrder("messages : ", "zone den/main: ann");
        assertThat(announced("US_Update {'target':{'user':'eve'},'vx':{'access':'viewer'}}"))
                .containsExactlyInAnyOrder("access : everyone", "tools : eve");
        assertThat(announced("DM_Destroy {'target':{'domain':'Lab'}}"))
                .containsExactlyInAnyOrder("access : everyone", "domain lab: ann", "resources : ann", "presence : ");
        assertThat(announced("AP_Destroy {'target':{'agent':'Dog'}}"))
                .contains("agent dog: everyone", "resources : everyone");
        assertThat(announced("MB_Update {'target':{'bank':'Safe'},'vx':{'name':'Safe','access':'public'}}"))
                .isEmpty();
    }

    /** A change without users is for the admins: who forgets the audience tells too few, not too many. */
    @Test
    void withoutAnAudienceNobodyButTheAdminsLearnsOfIt() {
        var logged = logged();
        new ChangeStore(DB).write(tenant, List.of(Change.named(ChangeTopic.AGENT, "Ada", Audience.NOBODY)));
        DB.sql("SELECT announce(:tenant, '[{\"topic\": \"resources\"}]')")
                .set("tenant", tenant)
                .one(_ -> true);
        assertThat(since(logged)).containsExactly("agent ada: ", "resources : ");
    }

    @Test
    void aTransactionThatAnnouncesNothingIsNotCommitted() {
        var rename = "UPDATE domain SET description = 'silent' WHERE tenant_id = :tenant";
        var silent = "SELECT count(*) AS n FROM domain WHERE tenant_id = :tenant AND description = 'silent'";
        assertThatThrownBy(() -> DB.transaction(
                        () -> DB.sql(rename).set("tenant", tenant).run()))
                .hasMessageContaining("announces no change, but wrote to domain");
        assertThat(DB.sql(silent).set("tenant", tenant).one(row -> row.number("n")))
                .hasValue(0L);
        DB.transaction(() -> DB.sql(rename).quiet().set("tenant", tenant).run());
        assertThat(DB.sql(silent).set("tenant", tenant).one(row -> row.number("n")))
                .hasValue(1L);
    }

    @Test
    void manyChangesAreOneNotificationOrAFew() {
        var names = new ArrayList<Change>();
        for (var i = 0; i < 300; i++) {
            names.add(Change.named(ChangeTopic.AGENT, "agent with a long name ".repeat(4) + i, Audience.EVERYONE));
        }
        var logged = logged();
        new ChangeStore(DB).write(tenant, names);
        assertThat(since(logged)).hasSize(300);
    }

    /** Triggers remain only for rules that every writer must keep. Each says why. */
    @Test
    void eachTriggerSaysWhyItIsOne() {
        var triggers = DB.sql("""
                SELECT CONCAT(c.relname, '.', t.tgname) AS name, obj_description(t.oid, 'pg_trigger') AS reason
                  FROM pg_trigger t
                  JOIN pg_class c ON c.oid = t.tgrelid AND c.relnamespace = current_schema()::regnamespace
                 WHERE NOT t.tgisinternal
                 ORDER BY 1
                """).list(row -> Map.entry(row.text("name"), String.valueOf(row.textOrNull("reason"))));
        assertThat(triggers).hasSizeLessThanOrEqualTo(20);
        assertThat(triggers)
                .allSatisfy(trigger ->
                        assertThat(trigger.getValue()).as(trigger.getKey()).endsWith("."));
    }
}
