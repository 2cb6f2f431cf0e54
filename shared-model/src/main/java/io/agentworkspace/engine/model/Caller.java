package io.agentworkspace.engine.model;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a request, and how it proved itself.
 *
 * @param principal the credential's stable identity: contexts and idempotency keys belong to it
 * @param capabilities as words, {@code *} for all
 * @param boundAgent the only agent that this credential may act as, if it is bound to one
 */
public record Caller(
        long tenant,
        String tenantName,
        long user,
        String userName,
        Role role,
        Set<String> capabilities,
        String principal,
        @Nullable Long boundAgent) {

    /** The same user with the same powers, proved by another credential. */
    public Caller as(String otherPrincipal) {
        return new Caller(tenant, tenantName, user, userName, role, capabilities, otherPrincipal, boundAgent);
    }

    public boolean isAdmin() {
        return role.isAtLeast(Role.ADMIN);
    }

    /** Whether credential and role both allow a tool. */
    public boolean may(Tool<?, ?> tool) {
        return tool.capability().isIn(capabilities) && roleAllows(tool);
    }

    public boolean roleAllows(Tool<?, ?> tool) {
        return role.isAtLeast(tool.leastRole());
    }
}
