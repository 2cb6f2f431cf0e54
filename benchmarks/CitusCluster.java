import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A coordinator and workers: PostgreSQL with Citus, which must be built first (docs/dev/decisions/database.md#many-primaries). */
final class CitusCluster implements AutoCloseable {
    /** What docs/scale.md contains for each server, without a statistic that is sent elsewhere. */
    private static final String SETTINGS = "-c shared_preload_libraries=citus -c wal_level=logical -c max_prepared_transactions=300"
            + " -c citus.enable_unsafe_triggers=on -c citus.allow_nested_distributed_execution=on"
            + " -c citus.max_adaptive_executor_pool_size=1 -c citus.enable_statistics_collection=off -c jit=off";

    private static final List<String> TENANTS = List.of(
            "INSERT INTO tenant (tenant_id, name, name_key, created_at) VALUES (?, 'drill ' || ?, 'drill ' || ?, now())",
            "INSERT INTO tenant_plan (tenant_id, plan) VALUES (?, 'unlimited')",
            "INSERT INTO event_feed (tenant_id) VALUES (?)",
            "INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at) VALUES (?, ?, 'owner', 'owner', 'owner', now())",
            """
            INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
            VALUES (?, ?, ?, ?, 'first key', '{*}', now())
            """,
            "INSERT INTO directory (kind, id, tenant_id) VALUES ('key', ?, ?)");

    private static final long FIRST_TENANT = 3_000_000_000L;

    private final List<Servers> servers = new ArrayList<>();

    CitusCluster(int workers) throws Exception {
        try {
            for (var i = 0; i <= workers; i++) {
                servers.add(Servers.set(SETTINGS));
                servers.getLast().sql("CREATE EXTENSION citus");
            }
            coordinator().sql("SELECT citus_set_coordinator_host('127.0.0.1', %d)".formatted(coordinator().port()));
            for (var worker : workers()) {
                coordinator().sql("SELECT citus_add_node('127.0.0.1', %d)".formatted(worker.port()));
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    Servers coordinator() {
        return servers.getFirst();
    }

    List<Servers> workers() {
        return servers.subList(1, servers.size());
    }

    /** Lets only the first workers have tenants. */
    void use(int count) throws Exception {
        for (var worker : workers()) {
            var isUsed = workers().indexOf(worker) < count;
            coordinator().sql("SELECT citus_set_node_property('127.0.0.1', %d, 'shouldhaveshards', %s)".formatted(worker.port(), isUsed));
        }
    }

    /** Moves tenants until each worker that is used has as many shards. */
    void rebalance() throws Exception {
        coordinator().sql("SELECT rebalance_table_shards()");
    }

    List<Long> postmasters() throws Exception {
        var all = new ArrayList<Long>();
        for (var server : servers) {
            all.add(server.postmaster());
        }
        return all;
    }

    /**
     * Lets an engine with these settings create the schema, and then creates tenants, which are not yet distributed. Returns the key
     * of the owner of each by the tenant's id.
     */
    Map<Long, String> tenants(Map<String, String> environment, int count) throws Exception {
        Engine.startIn(environment).close();
        var keys = new HashMap<Long, String>();
        var random = new SecureRandom();
        try (var connection = DriverManager.getConnection(coordinator().url())) {
            connection.setAutoCommit(false);
            for (var id = FIRST_TENANT; id < FIRST_TENANT + count; id++) {
                var key = ApiKey.generate(random);
                var values = List.of(
                        List.of(id, id, id),
                        List.of(id),
                        List.of(id),
                        List.of(id, id),
                        List.of(id, key.id(), key.secretHash(), id),
                        List.of(key.id(), id));
                for (var i = 0; i < TENANTS.size(); i++) {
                    try (var insert = connection.prepareStatement(TENANTS.get(i))) {
                        for (var n = 0; n < values.get(i).size(); n++) {
                            insert.setObject(n + 1, values.get(i).get(n));
                        }
                        insert.executeUpdate();
                    }
                }
                keys.put(id, key.reveal());
            }
            connection.commit();
        }
        return keys;
    }

    /** Returns the worker that a tenant is on. */
    Servers of(long tenant) throws Exception {
        try (var connection = DriverManager.getConnection(coordinator().url());
                var row = connection.createStatement().executeQuery("""
                        SELECT nodeport FROM citus_shards
                         WHERE shardid = get_shard_id_for_distribution_column('app_user', CAST(%d AS bigint))
                        """.formatted(tenant))) {
            row.next();
            var port = row.getInt(1);
            return workers().stream().filter(each -> each.port() == port).findFirst().orElseThrow();
        }
    }

    @Override
    public void close() throws Exception {
        for (var server : servers) {
            server.close();
        }
    }
}
