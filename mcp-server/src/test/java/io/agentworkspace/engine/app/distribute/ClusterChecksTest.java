package io.agentworkspace.engine.app.distribute;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.distribute.Cluster.Place;
import io.agentworkspace.engine.app.distribute.Cluster.Server;
import io.agentworkspace.engine.app.distribute.Cluster.Table;
import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is wrong with clusters, which no test has. */
class ClusterChecksTest {
    private static final SchemaVersion CURRENT = new SchemaVersion(3, 3, false);
    private static final Server COORDINATOR = new Server("db0", 5432, true, true, 100, true, true, 1, false, 6_400);
    private static final Server WORKER = new Server("db1", 5432, false, true, 100, true, true, 1, false, 6_400);
    private static final List<Table> TABLES = List.of(
            new Table("agent", Place.DISTRIBUTED, Place.DISTRIBUTED),
            new Table("directory", Place.LOCAL, Place.LOCAL),
            new Table("novel", Place.MANAGED, Place.DISTRIBUTED),
            new Table("tenant", Place.COPIED, Place.COPIED));

    private static Cluster cluster(SchemaVersion schema, long engines, Server... servers) {
        return new Cluster(true, schema, engines, 500, 0, List.of(servers), TABLES);
    }

    private static List<String> problems(Server... servers) {
        return new ClusterChecks(cluster(CURRENT, 0, servers)).problems();
    }

    private static void says(String words, Server... servers) {
        assertThat(problems(servers)).singleElement().asString().startsWith(words);
    }

    @Test
    void eachServerIsChecked() {
        assertThat(problems(COORDINATOR, WORKER)).isEmpty();
        says("the coordinator's address is not set: SELECT citus_set_coordinator_host");
        says("the coordinator's address is not set", WORKER);
        says("there is no server for tenants: SELECT citus_add_node", COORDINATOR);
        says(
                "db1:5432, db2:5432 cannot be reached by the coordinator",
                COORDINATOR,
                new Server("db1", 5432, false, false, 0, false, false, 1, false, 0),
                new Server("db2", 5432, false, false, 0, false, false, 1, false, 0));
        says(
                "db0:5432 allows no transactions of two phases",
                new Server("db0", 5432, true, true, 0, true, true, 1, false, 6_400),
                WORKER);
        says(
                "db1:5432 allows no triggers: ALTER SYSTEM SET citus.enable_unsafe_triggers",
                COORDINATOR,
                new Server("db1", 5432, false, true, 1, false, true, 1, false, 6_400));
        says(
                "db1:5432 allows no tables of tenants in functions: ALTER SYSTEM SET citus.allow_nested_distributed_execution",
                COORDINATOR,
                new Server("db1", 5432, false, true, 1, true, false, 1, false, 6_400));
        says(
                "db1:5432 opens several connections for one statement",
                COORDINATOR,
                new Server("db1", 5432, false, true, 1, true, true, 16, false, 6_400));
        says(
                "db1:5432 compiles statements, which takes far longer",
                COORDINATOR,
                new Server("db1", 5432, false, true, 1, true, true, 1, true, 6_400));
        says(
                "db1:5432 has room for too few locks",
                COORDINATOR,
                new Server("db1", 5432, false, true, 1, true, true, 1, false, 1_999));
    }

    @Test
    void theSchemaIsCurrentAndNoEngineRuns() {
        var old = cluster(new SchemaVersion(2, 3, false), 14, COORDINATOR, WORKER);
        assertThat(new ClusterChecks(old).problems())
                .satisfiesExactly(
                        schema -> assertThat(schema).startsWith("the schema has version 2, not 3"),
                        engines ->
                                assertThat(engines).startsWith("engines use the database (14 connections): stop them"));
        assertThat(new ClusterChecks(old).problemsOfUndo())
                .singleElement()
                .asString()
                .startsWith("engines use");
    }

    @Test
    void whileEnginesRunServersAndNewTablesAreChecked() {
        var lost = new Server("db1", 5432, false, false, 0, false, false, 1, false, 0);
        var several = new Server("db2", 5432, false, true, 1, true, true, 16, false, 0);
        var checks = new ClusterChecks(cluster(CURRENT, 14, COORDINATOR, lost, several));
        assertThat(checks.unreached()).singleElement().asString().startsWith("db1:5432 cannot be reached");
        assertThat(checks.problemsOfUse())
                .satisfiesExactly(
                        tables -> assertThat(tables).startsWith("not yet distributed: novel. Stop the engines"),
                        settings -> assertThat(settings).startsWith("db2:5432 opens several connections"));
    }

    /** Neither an empty database nor one of a former version has all tables. */
    @Test
    void withoutTheCurrentSchemaNothingIsDistributed() {
        assertThat(onlyTenants(CURRENT).isDistributed()).isTrue();
        assertThat(onlyTenants(new SchemaVersion(2, 3, false)).isDistributed()).isFalse();
        assertThat(cluster(CURRENT, 0, COORDINATOR, WORKER).isDistributed()).isFalse();
    }

    private static Cluster onlyTenants(SchemaVersion schema) {
        var tenant = new Table("tenant", Place.COPIED, Place.COPIED);
        return new Cluster(true, schema, 0, 500, 0, List.of(COORDINATOR, WORKER), List.of(tenant));
    }

    @Test
    void onlyWhatIsNewMoves() {
        var cluster = cluster(CURRENT, 0, COORDINATOR, WORKER);
        assertThat(Distribution.moves(cluster))
                .singleElement()
                .asString()
                .contains("create_distributed_table")
                .endsWith("[novel, agent]");
        assertThat(cluster.moved()).extracting(Table::name).containsExactly("agent", "novel", "tenant");
    }
}
