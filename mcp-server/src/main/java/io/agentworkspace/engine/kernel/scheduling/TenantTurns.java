package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does work for one tenant after the other, since a transaction writes to one tenant. It begins after the tenant that it ended with. */
public final class TenantTurns {
    private static final Logger LOG = LoggerFactory.getLogger(TenantTurns.class);

    /** So many tenants in a row for which the database cannot be used: it is away, and the others would wait for it, too. */
    private static final int AWAY = 2;

    /** The same after a tenant for which it could be used: then it may be only the server of some tenants. */
    private static final int AWAY_FOR_SOME = 8;

    /** The most failures that are kept with the first one. */
    private static final int SUPPRESSED = 3;

    private final String name;
    /** The tenants that were warned of, and of which failure, as long as their work fails. */
    private final Map<Long, Class<?>> failing = new HashMap<>();

    private long last;

    /** @param name names the work in the log */
    public TenantTurns(String name) {
        this.name = name;
    }

    /** Takes up to the tenant's share of the room. */
    @FunctionalInterface
    public interface Taking<T> {
        /** @param firstHalf how much of the share is in the first half of the whole room */
        List<T> take(long tenant, int share, int firstHalf);
    }

    /**
     * Divides room between the tenants. What one leaves is for those after it.
     *
     * @param weights by which the room is divided
     */
    public <T> List<T> divide(int room, Map<Long, Long> weights, Taking<T> taking) {
        var taken = new ArrayList<T>();
        var all = new Room(weights.values().stream().mapToLong(Long::longValue).sum(), room, room / 2);
        each(weights.keySet(), tenant -> {
            var weight = weights.getOrDefault(tenant, 1L);
            var share = all.share(all.left, weight);
            var firstHalf = all.share(all.firstHalf, weight);
            all.weight -= weight;
            var part = taking.take(tenant, share, firstHalf);
            taken.addAll(part);
            all.left -= part.size();
            all.firstHalf -= Math.min(firstHalf, part.size());
            return all.left > 0;
        });
        return taken;
    }

    /** What is left while room is divided. */
    private static final class Room {
        private long weight;
        private int left;
        private int firstHalf;

        Room(long weight, int left, int firstHalf) {
            this.weight = weight;
            this.left = left;
            this.firstHalf = firstHalf;
        }

        int share(int part, long itsWeight) {
            return (int) Math.ceilDiv(part * itsWeight, weight);
        }
    }

    /**
     * Does the work for each of the tenants. One for which it fails does not stop the others, unless the database is away. If it fails
     * for all, the last failure is thrown.
     *
     * @param work returns whether there is room for the next one
     */
    public synchronized void each(Collection<Long> tenants, LongPredicate work) {
        failing.keySet().retainAll(tenants);
        RuntimeException failure = null;
        var outage = new Outage();
        for (var tenant : order(tenants)) {
            logLast(failure);
            failure = null;
            last = tenant;
            try {
                var hasRoom = work.test(tenant);
                failing.remove(tenant);
                outage.done();
                if (!hasRoom) {
                    return;
                }
            } catch (RuntimeException e) {
                failure = e;
                if (outage.isAfter(e)) {
                    break;
                }
            }
        }
        if (failure != null && !outage.isAnyDone) {
            throw failure;
        }
        logLast(failure);
    }

    private List<Long> order(Collection<Long> tenants) {
        var sorted = new TreeSet<>(tenants);
        var order = new ArrayList<>(sorted.tailSet(last, false));
        order.addAll(sorted.headSet(last, true));
        return order;
    }

    private void logLast(@Nullable RuntimeException failure) {
        if (failure == null) {
            return;
        }
        if (failure instanceof Problem || failing.put(last, failure.getClass()) != failure.getClass()) {
            log("%s: not for the tenant %d".formatted(name, last), failure);
        } else {
            LOG.debug("{}: still not for the tenant {}: {}", name, last, failure.getMessage());
        }
    }

    /** Whether the database is away. */
    private static final class Outage {
        private int inARow;
        private boolean isAnyDone;

        void done() {
            inARow = 0;
            isAnyDone = true;
        }

        boolean isAfter(RuntimeException failure) {
            var isUnavailable = failure instanceof Problem problem && problem.failure() == Failure.UNAVAILABLE;
            inARow = isUnavailable ? inARow + 1 : 0;
            return inARow == (isAnyDone ? AWAY_FOR_SOME : AWAY);
        }
    }

    private static void log(String what, RuntimeException failure) {
        if (failure instanceof Problem problem) {
            LOG.debug("{}: {}", what, problem.note());
        } else {
            LOG.warn("{}; trying again", what, failure);
        }
    }

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
            takeInOrder(tenants, tenant -> {
                var room = Math.min(portion, most - all.size());
                var some = room == 0 ? List.<T>of() : claim.of(tenant, room);
                all.addAll(some);
                return room > 0 && some.size() == room;
            });
        } catch (RuntimeException e) {
            if (all.isEmpty()) {
                throw e;
            }
            log("the work of some tenants cannot be claimed", e);
        }
        return all;
    }

    /**
     * Does a portion of each tenant's work in turn, until none has more to do. The order is another one each time, so that nobody is always
     * behind those whose server is away.
     *
     * @param portion does some of a tenant's work, and returns whether there may be more
     * @throws RuntimeException one of the failures, a defect rather than an outage, with some others in it, after the work of the tenants
     *     without one, or when the database is away
     */
    public static void take(Collection<Long> tenants, LongPredicate portion) {
        var shuffled = new ArrayList<>(tenants);
        Collections.shuffle(shuffled);
        takeInOrder(shuffled, portion);
    }

    private static void takeInOrder(Collection<Long> tenants, LongPredicate portion) {
        var open = new ArrayDeque<>(tenants);
        var outage = new Outage();
        @Nullable RuntimeException failure = null;
        while (!open.isEmpty()) {
            var tenant = open.remove();
            try {
                if (portion.test(tenant)) {
                    open.add(tenant);
                }
                outage.done();
            } catch (RuntimeException e) {
                failure = both(failure, e);
                if (outage.isAfter(e)) {
                    break;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the failure to throw of two, with the other one in it. */
    private static RuntimeException both(@Nullable RuntimeException former, RuntimeException next) {
        if (former == null || former == next) {
            return next;
        }
        var isNext = former instanceof Problem && !(next instanceof Problem);
        var thrown = isNext ? next : former;
        if (thrown.getSuppressed().length < SUPPRESSED) {
            thrown.addSuppressed(isNext ? former : next);
        }
        return thrown;
    }

    /**
     * Does work for all these tenants together, or for each of them if that fails: the server of one may be away.
     *
     * @param work does the work for some of them
     */
    public static void together(Set<Long> tenants, Consumer<Set<Long>> work) {
        try {
            work.accept(tenants);
        } catch (RuntimeException e) {
            if (tenants.size() < 2) {
                throw e;
            }
            take(tenants, tenant -> {
                work.accept(Set.of(tenant));
                return false;
            });
        }
    }
}
