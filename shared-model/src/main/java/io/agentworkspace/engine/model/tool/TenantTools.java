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
     */
    record Snapshot(String version, List<Tool<?, ?>> tools) {
        /** No tools. */
        public static final Snapshot EMPTY = new Snapshot("", List.of());

        public Snapshot {
            tools = List.copyOf(tools);
        }
    }
}
