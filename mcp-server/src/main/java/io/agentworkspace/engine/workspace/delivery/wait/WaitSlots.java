package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/** Limits how many calls wait on this replica: of one key or session, of one tenant, and in all. */
final class WaitSlots {
    private static final Holder ALL = new Holder(0, "");
    static final int MOST_OF_KEY = 20;
    static final int MOST_OF_TENANT = 2_000;
    private static final Duration RETRY = Duration.ofSeconds(5);

    private record Holder(long tenant, String principal) {}

    private final ConcurrentHashMap<Holder, Integer> taken = new ConcurrentHashMap<>();
    private final int most;

    /** @param most how many may wait in all: each keeps its connection, and other requests need some */
    WaitSlots(int most) {
        this.most = most;
    }

    /** The place of one waiting call. */
    @FunctionalInterface
    interface Slot extends AutoCloseable {
        @Override
        void close();
    }

    /** @throws Problem {@code rate_limited} */
    Slot take(Caller caller) {
        var key = new Holder(caller.tenant(), caller.principal());
        var tenant = new Holder(caller.tenant(), "");
        if (!take(key, MOST_OF_KEY)) {
            throw Problem.rateLimited(
                    "your key has %d waiting calls, and one key may have %d; one AP_Wait receives every message, so end the others"
                            .formatted(MOST_OF_KEY, MOST_OF_KEY),
                    RETRY);
        }
        if (!take(tenant, MOST_OF_TENANT)) {
            giveBack(key);
            throw Problem.rateLimited(
                    "your tenant has %d waiting calls, and may have %d; send AP_Wait again when others have ended"
                            .formatted(MOST_OF_TENANT, MOST_OF_TENANT),
                    RETRY);
        }
        if (!take(ALL, most)) {
            giveBack(key);
            giveBack(tenant);
            throw Problem.rateLimited(
                    "%d calls wait here, as many as the connections of this server allow; send AP_Wait again later"
                            .formatted(most),
                    RETRY);
        }
        return () -> {
            giveBack(key);
            giveBack(tenant);
            giveBack(ALL);
        };
    }

    private boolean take(Holder holder, int most) {
        var before = new int[1];
        taken.compute(holder, (_, count) -> {
            before[0] = count == null ? 0 : count;
            return before[0] < most ? (Integer) (before[0] + 1) : count;
        });
        return before[0] < most;
    }

    private void giveBack(Holder holder) {
        taken.computeIfPresent(holder, (_, count) -> count == 1 ? null : (Integer) (count - 1));
    }
}
