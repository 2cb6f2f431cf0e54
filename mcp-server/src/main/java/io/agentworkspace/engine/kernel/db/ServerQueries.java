package io.agentworkspace.engine.kernel.db;

import java.util.Set;
import java.util.stream.Collectors;

/** The servers that a database is on: one, or with Citus that of the directory, which the engine connects to, and those of the tenants. */
final class ServerQueries {
    private final Db db;

    ServerQueries(Db db) {
        this.db = db;
    }

    /** Returns whether there can be several: with Citus. */
    boolean isDistributed() {
        return db.sql("SELECT to_regclass('pg_dist_node') IS NOT NULL AS several")
                .quiet()
                .one(row -> row.flag("several"))
                .orElseThrow();
    }

    /** Returns the servers that tenants are on, each as a host and a port. */
    Set<String> ofTenants() {
        return db.sql("""
                SELECT nodename || ':' || nodeport AS host
                  FROM pg_dist_node
                 WHERE isactive AND noderole = 'primary' AND groupid <> 0
                """).quiet().list(row -> row.text("host")).stream().collect(Collectors.toUnmodifiableSet());
    }
}
