package io.agentworkspace.engine.app.distribute;

import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.util.List;

/**
 * A database and its servers, as they are now.
 *
 * @param hasCitus whether the extension was created in the database
 * @param servers empty without Citus, and as long as the coordinator does not know its own address
 * @param engines how many connections of engines there are
 * @param relations how many tables and indexes there are
 * @param shards of each distributed table; 0 if there is none
 */
record Cluster(
        boolean hasCitus,
        SchemaVersion schema,
        long engines,
        long relations,
        int shards,
        List<Server> servers,
        List<Table> tables) {

    /**
     * @param isReached whether the coordinator can connect to it
     * @param prepared transactions of two phases that it allows
     * @param triggers whether it allows triggers of distributed tables
     * @param nested whether it allows statements on distributed tables inside of functions
     * @param connections how many a statement on several shards may open to one server
     * @param jit whether it compiles statements whose costs it overestimates
     * @param locks how many tables and indexes can be locked at the same time
     */
    record Server(
            String host,
            int port,
            boolean isCoordinator,
            boolean isReached,
            int prepared,
            boolean triggers,
            boolean nested,
            int connections,
            boolean jit,
            long locks) {
        String address() {
            return host + ":" + port;
        }
    }

    enum Place {
        /** On the coordinator only. */
        LOCAL,
        /** On the coordinator only, and referenced by or referencing tables of the cluster. */
        MANAGED,
        /** A copy on each server. */
        COPIED,
        /** By tenant. */
        DISTRIBUTED
    }

    /** @param wanted where it is once the tables are distributed */
    record Table(String name, Place place, Place wanted) {
        boolean isMoved() {
            return place != Place.LOCAL;
        }

        boolean isMissing() {
            return wanted != Place.LOCAL && place != wanted;
        }
    }

    List<Server> workers() {
        return servers.stream().filter(server -> !server.isCoordinator()).toList();
    }

    /** Returns the tables that are not yet where they belong. */
    List<Table> missing() {
        return tables.stream().filter(Table::isMissing).toList();
    }

    boolean isDistributed() {
        return hasCitus && schema.isCurrent() && missing().isEmpty();
    }

    /** Returns the tables that the cluster has of the database. */
    List<Table> moved() {
        return tables.stream().filter(Table::isMoved).toList();
    }
}
