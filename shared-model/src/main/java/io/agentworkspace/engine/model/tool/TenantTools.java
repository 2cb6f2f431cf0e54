package io.agentworkspace.engine.model.tool;

import java.util.List;

/** The tools that a tenant has besides the engine's own: those of the servers that it installed. */
@FunctionalInterface
public interface TenantTools {
    /** Every tenant has only the engine's own tools. */
    TenantTools NONE = _ -> Snapshot.EMPTY;

    Snapshot of(long tenant);

    /** Applies a committed change at once. Other replicas are notified. */
    default void forget(long tenant) {}

    /**
     * The tools of a tenant at one time.
     *
     * @param version differs where the tools do, also between tenants that have some
     * @param appTools those that only the pages of apps call: clients with such pages list them, and no model sees them
     * @param requests what can be run but is in no list, such as reading a resource of a server
     * @param unusable the tools that are not approved, or no longer there: they are in no list, and a call of one says why
     * @param servers the names of all servers, which are also toolsets
     */
    record Snapshot(
            String version,
            List<Tool<?, ?>> tools,
            List<Tool<?, ?>> appTools,
            List<Tool<?, ?>> requests,
            List<Tool<?, ?>> unusable,
            List<String> servers) {
        /** No tools. */
        public static final Snapshot EMPTY = new Snapshot("", List.of(), List.of(), List.of(), List.of(), List.of());

        public Snapshot {
            tools = List.copyOf(tools);
            appTools = List.copyOf(appTools);
            requests = List.copyOf(requests);
            unusable = List.copyOf(unusable);
            servers = List.copyOf(servers);
        }
    }
}
