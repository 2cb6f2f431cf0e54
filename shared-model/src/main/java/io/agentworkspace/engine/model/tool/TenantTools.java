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
     * @param requests what can be run but is in no list, such as reading a resource of a server
     */
    record Snapshot(String version, List<Tool<?, ?>> tools, List<Tool<?, ?>> requests) {
        /** No tools. */
        public static final Snapshot EMPTY = new Snapshot("", List.of(), List.of());

        public Snapshot {
            tools = List.copyOf(tools);
            requests = List.copyOf(requests);
        }
    }
}
