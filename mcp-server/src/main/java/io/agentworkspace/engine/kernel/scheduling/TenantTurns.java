package io.agentworkspace.engine.kernel.scheduling;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work in the background for several tenants, which take turns. One whose work fails does not hold up the others. */
public final class TenantTurns {
    private static final Logger LOG = LoggerFactory.getLogger(TenantTurns.class);

    private TenantTurns() {}

    /** Finds work of one tenant. */
    @FunctionalInterface
    public interface Claim<T> {
        List<T> of(long tenant, int most);
    }

    /**
     * Claims work of the tenants, a portion of each in turn, until there is enough.
     *
     * @throws RuntimeException a failure, if nothing could be claimed
     */
    public static <T> List<T> claim(Collection<Long> tenants, int most, int portion, Claim<T> claim) {
        var all = new ArrayList<T>();
        try {
            take(tenants, tenant -> {
                var room = Math.min(portion, most - all.size());
                var some = room == 0 ? List.<T>of() : claim.of(tenant, room);
                all.addAll(some);
                return room > 0 && some.size() == room;
            });
        } catch (RuntimeException e) {
            if (all.isEmpty()) {
                throw e;
            }
            LOG.debug("the work of some tenants cannot be claimed", e);
        }
        return all;
    }

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
