package io.agentworkspace.engine.app.distribute;

import io.agentworkspace.engine.app.distribute.Cluster.Server;
import io.agentworkspace.engine.app.distribute.Cluster.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What must be different before tables move. */
record ClusterChecks(Cluster cluster) {
    private static final String NO_CITUS =
            "Citus is not in this database: install it on each server, with shared_preload_libraries = 'citus', wal_level = logical, max_prepared_transactions = 300, citus.enable_unsafe_triggers = on, citus.allow_nested_distributed_execution = on, citus.max_adaptive_executor_pool_size = 1 and jit = off; restart, then run CREATE EXTENSION citus in this database on each of them";

    /** Returns a sentence for each thing that is wrong, with what to do. */
    List<String> problems() {
        var problems = new ArrayList<String>();
        schema(problems);
        engines(problems);
        if (!cluster.hasCitus()) {
            problems.add(NO_CITUS);
        } else if (cluster.servers().stream().noneMatch(Server::isCoordinator)) {
            problems.add(
                    "the coordinator's address is not set: SELECT citus_set_coordinator_host('<this server>', <its port>)");
        } else if (cluster.workers().isEmpty()) {
            problems.add("there is no server for tenants: SELECT citus_add_node('<another server>', <its port>)");
        } else {
            servers(problems);
        }
        return problems;
    }

    /** Returns the same before all tables move back. */
    List<String> problemsOfUndo() {
        var problems = new ArrayList<String>();
        engines(problems);
        reached(problems);
        return problems;
    }

    /** Returns which servers cannot be reached, so that their tenants wait. */
    List<String> unreached() {
        var problems = new ArrayList<String>();
        reached(problems);
        return problems;
    }

    /** Returns what else is wrong while engines use the cluster. */
    List<String> problemsOfUse() {
        var problems = new ArrayList<String>();
        var missing = cluster.missing().stream().map(Table::name).toList();
        if (!missing.isEmpty()) {
            problems.add("not yet distributed: %s. Stop the engines, and run ./engine distribute"
                    .formatted(String.join(", ", missing)));
        }
        settings(problems);
        return problems;
    }

    private void engines(List<String> problems) {
        if (cluster.engines() > 0) {
            problems.add("engines use the database (%d connections): stop them, since all tables are locked meanwhile"
                    .formatted(cluster.engines()));
        }
    }

    private void reached(List<String> problems) {
        each(
                problems,
                server -> !server.isReached(),
                "cannot be reached by the coordinator: see pg_dist_node, and pg_hba.conf there");
    }

    private void schema(List<String> problems) {
        var schema = cluster.schema();
        if (!schema.isCurrent()) {
            problems.add("the schema has version %d%s, not %d: start this engine on the database once, and stop it"
                    .formatted(
                            schema.version(),
                            schema.isBeforeFirstRelease() ? " of before the first release" : "",
                            schema.newest()));
        }
    }

    private void servers(List<String> problems) {
        reached(problems);
        settings(problems);
        var locks = locks();
        each(
                problems,
                server -> server.isReached() && !server.isCoordinator() && server.locks() < locks,
                "has room for too few locks: set max_locks_per_transaction there so that its product with max_connections + max_prepared_transactions is at least %d, and restart it"
                        .formatted(locks));
    }

    private void settings(List<String> problems) {
        each(
                problems,
                server -> server.isReached() && server.prepared() == 0,
                "allows no transactions of two phases: set max_prepared_transactions = 300 there, and restart it");
        each(
                problems,
                server -> server.isReached() && !server.triggers(),
                "allows no triggers: ALTER SYSTEM SET citus.enable_unsafe_triggers = on there, and SELECT pg_reload_conf()");
        each(
                problems,
                server -> server.isReached() && !server.nested(),
                "allows no tables of tenants in functions: ALTER SYSTEM SET citus.allow_nested_distributed_execution = on there, and SELECT pg_reload_conf()");
        each(
                problems,
                server -> server.isReached() && server.connections() != 1,
                "opens several connections for one statement, which keeps an idle engine busy: ALTER SYSTEM SET citus.max_adaptive_executor_pool_size = 1 there, and SELECT pg_reload_conf()");
        each(
                problems,
                server -> server.isReached() && server.jit(),
                "compiles statements, which takes far longer than running them: ALTER SYSTEM SET jit = off there, and SELECT pg_reload_conf()");
    }

    private void each(List<String> problems, Predicate<Server> isWrong, String words) {
        var wrong =
                cluster.servers().stream().filter(isWrong).map(Server::address).toList();
        if (!wrong.isEmpty()) {
            problems.add("%s %s".formatted(String.join(", ", wrong), words));
        }
    }

    /** Returns how many tables and indexes one transaction makes on a worker, and thus locks. */
    private long locks() {
        var workers = cluster.workers().size();
        return (Distribution.shards(cluster) + workers - 1) / workers * cluster.relations();
    }
}
