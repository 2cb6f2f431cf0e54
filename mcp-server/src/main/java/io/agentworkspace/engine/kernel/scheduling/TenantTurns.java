package io.agentworkspace.engine.kernel.scheduling;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Work in the background for several tenants, which take turns. One whose work fails does not hold up the others. */
public final class TenantTurns {
    private TenantTurns() {}

    /**
     * Does a portion of each tenant's work in turn, until none has more to do.
     *
     * @param portion does some of a tenant's work, and returns whether there may be more
     * @throws RuntimeException the first failure, with the others in it, after the work of the tenants without one
     */
    public static void take(Collection<Long> tenants, LongPredicate portion) {
        var open = new ArrayDeque<>(tenants);
        @Nullable RuntimeException failure = null;
        while (!open.isEmpty()) {
            var tenant = open.remove();
            try {
                if (portion.test(tenant)) {
                    open.add(tenant);
                }
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else if (failure != e) {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
