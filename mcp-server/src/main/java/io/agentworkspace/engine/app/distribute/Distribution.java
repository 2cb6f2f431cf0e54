package io.agentworkspace.engine.app.distribute;

import io.agentworkspace.engine.app.distribute.Cluster.Place;
import io.agentworkspace.engine.app.distribute.Cluster.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Distributes the tables of tenants by tenant over the servers of a cluster (Citus), or moves them all back to one. Each is one
 * transaction: whatever ends it, nothing is half done. Engines notice that the data are elsewhere ({@code RestoreStore}).
 */
public record Distribution(ClusterQueries queries) {
    private static final Logger LOG = LoggerFactory.getLogger(Distribution.class);

    /**
     * Shards of each table for each server. Citus recommends 32 in all for many tenants, so that they can spread over more servers
     * later. But every replica reads something of all tenants some 25 times a second, and asks each shard: with 32 on three servers, an
     * idle engine kept two processors busy. With four for each server, four times as many servers can be used.
     */
    private static final int SHARDS = 4;

    /** Citus makes shards in parallel otherwise, which foreign keys to copied tables do not allow. */
    private static final String SETTINGS = """
            SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true), set_config('citus.shard_count', ?, true)
            """;

    private static final String COPY = "SELECT create_reference_table(CAST(? AS regclass))";

    private static final String DISTRIBUTE =
            "SELECT create_distributed_table(CAST(? AS regclass), 'tenant_id', colocate_with => ?)";

    /** A table that only referenced others may have moved back with its foreign key. */
    private static final String UNDO = """
            SELECT undistribute_table(logicalrelid) FROM pg_dist_partition WHERE logicalrelid = CAST(? AS regclass)
            """;

    private static final String NEXT = """
            Next, start the engines. Later:
              more servers:   SELECT citus_add_node('<server>', <port>), then SELECT citus_rebalance_start()
              a large tenant: SELECT isolate_tenant_to_new_shard('app_user', <tenant_id>, 'CASCADE', 'block_writes'), then
                              SELECT citus_move_shard_placement(<the shard that it returned>, '<from>', <port>, '<to>', <port>)
            """;

    /**
     * Moves the tables that are not yet where they belong.
     *
     * @return what was done, or is there already
     * @throws DistributeFailure if something must be different before
     */
    public String distribute() {
        queries.lock();
        var cluster = queries.read();
        if (cluster.isDistributed()) {
            return "nothing to do: %s%n".formatted(state(cluster));
        }
        refuse(new ClusterChecks(cluster).problems());
        var missing = cluster.missing();
        LOG.info("moving the rows of {} tables in one transaction", missing.size());
        queries.run(SETTINGS, Integer.toString(shards(cluster)));
        move(SchemaParts.ofDistributed(queries, names(missing)), moves(cluster));
        var now = queries.read();
        queries.commit();
        return "done: %s%n%s".formatted(state(now), NEXT);
    }

    /**
     * Moves all tables back to the coordinator.
     *
     * @return what was done
     * @throws DistributeFailure if something must be different before
     */
    public String undo() {
        queries.lock();
        var cluster = queries.read();
        var moved = cluster.moved();
        if (moved.isEmpty()) {
            return "nothing to do: all tables are on this server\n";
        }
        refuse(new ClusterChecks(cluster).problemsOfUndo());
        LOG.info("moving the rows of {} tables back in one transaction", moved.size());
        queries.run(SETTINGS, Integer.toString(shards(cluster)));
        move(
                SchemaParts.ofUndone(queries, names(moved)),
                moved.stream().map(table -> new Move(UNDO, table.name())).toList());
        queries.commit();
        return "done: %d tables are on this server again. Next, start the engines%n".formatted(moved.size());
    }

    /** Returns what is wrong, one thing in each line, and what would be done. Nothing is changed. */
    public Plan plan(boolean isUndo) {
        var cluster = queries.read();
        var checks = new ClusterChecks(cluster);
        var tables = isUndo ? cluster.moved() : cluster.missing();
        if (isUndo ? tables.isEmpty() : cluster.isDistributed()) {
            return new Plan(true, "nothing to do\n");
        }
        var problems = isUndo ? checks.problemsOfUndo() : checks.problems();
        var lines = problems.stream().map("to do before: %s%n"::formatted).collect(Collectors.joining());
        return new Plan(problems.isEmpty(), lines + (isUndo ? wouldUndo(tables) : wouldMove(cluster)));
    }

    /** @param isReady whether nothing is to be done before */
    public record Plan(boolean isReady, String text) {}

    /** Returns what an operator should know while engines run; nothing if all tables are on one server. */
    public Optional<State> state() {
        var cluster = queries.read();
        var checks = new ClusterChecks(cluster);
        return cluster.moved().isEmpty()
                ? Optional.empty()
                : Optional.of(new State(checks.unreached(), checks.problemsOfUse(), state(cluster)));
    }

    /**
     * @param unreached that servers cannot be reached, so that their tenants wait
     * @param problems what else is wrong, with what to do
     * @param words where the tables are
     */
    public record State(List<String> unreached, List<String> problems, String words) {}

    static int shards(Cluster cluster) {
        return cluster.shards() > 0
                ? cluster.shards()
                : SHARDS * cluster.workers().size();
    }

    private static void refuse(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new DistributeFailure("%s%s. Nothing was changed"
                    .formatted(
                            problems.getFirst(),
                            problems.size() == 1
                                    ? ""
                                    : " (and %d more: --dry-run lists them)".formatted(problems.size() - 1)));
        }
    }

    private void move(SchemaParts parts, List<Move> moves) {
        parts.before().forEach(queries::run);
        moves.forEach(move -> queries.run(move.sql(), move.values()));
        parts.after().forEach(queries::run);
    }

    /** @param values of the statement's parameters */
    record Move(String sql, String... values) {
        @Override
        public String toString() {
            return sql + Arrays.toString(values);
        }
    }

    /** Returns the statements that move tables, those that others reference first. */
    static List<Move> moves(Cluster cluster) {
        var group = cluster.tables().stream()
                .filter(table -> table.place() == Place.DISTRIBUTED)
                .findFirst()
                .map(Table::name)
                .orElse("none");
        var moves = new ArrayList<Move>();
        for (var table : wanted(cluster.missing(), Place.COPIED)) {
            moves.add(new Move(COPY, table));
        }
        for (var table : wanted(cluster.missing(), Place.DISTRIBUTED)) {
            moves.add(new Move(DISTRIBUTE, table, group));
            group = group.equals("none") ? table : group;
        }
        return moves;
    }

    private static String state(Cluster cluster) {
        return "%d tables are distributed by tenant over %d servers, in %d shards each; %s are on each server, and %d tables on the coordinator"
                .formatted(
                        cluster.tables().stream()
                                .filter(table -> table.place() == Place.DISTRIBUTED)
                                .count(),
                        cluster.workers().size(),
                        cluster.shards(),
                        String.join(" and ", placed(cluster, Place.COPIED)),
                        placed(cluster, Place.LOCAL).size());
    }

    private static String wouldMove(Cluster cluster) {
        var copied = wanted(cluster.missing(), Place.COPIED);
        var distributed = wanted(cluster.missing(), Place.DISTRIBUTED);
        var servers = cluster.workers().size();
        return "would distribute %d tables by tenant%s: %s%n%s"
                .formatted(
                        distributed.size(),
                        servers == 0 ? "" : " over %d servers, in %d shards each".formatted(servers, shards(cluster)),
                        String.join(", ", distributed),
                        copied.isEmpty() ? "" : "would copy to each server: %s%n".formatted(String.join(", ", copied)));
    }

    private static String wouldUndo(List<Table> moved) {
        return "would move %d tables back: %s%n".formatted(moved.size(), String.join(", ", names(moved)));
    }

    private static List<String> names(List<Table> tables) {
        return tables.stream().map(Table::name).toList();
    }

    private static List<String> wanted(List<Table> tables, Place place) {
        return names(tables.stream().filter(table -> table.wanted() == place).toList());
    }

    private static List<String> placed(Cluster cluster, Place place) {
        return names(cluster.tables().stream()
                .filter(table -> table.place() == place)
                .toList());
    }
}
