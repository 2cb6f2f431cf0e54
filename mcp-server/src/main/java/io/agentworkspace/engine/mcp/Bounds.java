package io.agentworkspace.engine.mcp;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many streams may be open, for each principal and in all, and how long a client may take to read what is written to
 * one. What nobody holds takes no memory.
 */
public final class Bounds {
    private final int each;
    private final int all;
    private final Duration patience;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentHashMap<String, Integer> principals = new ConcurrentHashMap<>();

    public Bounds(int each, int all, Duration patience) {
        this.each = each;
        this.all = all;
        this.patience = patience;
    }

    /** The places of one principal. */
    Places of(String principal) {
        return new Places(principal);
    }

    Duration patience() {
        return patience;
    }

    int open() {
        return open.get();
    }

    /** Takes a place for a stream, and gives it back. */
    final class Places {
        private final String principal;

        private Places(String principal) {
            this.principal = principal;
        }

        Duration patience() {
            return patience;
        }

        /** Whether there was one. */
        boolean take() {
            if (open.incrementAndGet() > all) {
                open.decrementAndGet();
                return false;
            }
            var taken = new boolean[1];
            principals.compute(principal, (_, held) -> {
                var count = held == null ? 0 : held;
                taken[0] = count < each;
                return taken[0] ? (Integer) (count + 1) : held;
            });
            if (!taken[0]) {
                open.decrementAndGet();
            }
            return taken[0];
        }

        void giveBack() {
            open.decrementAndGet();
            principals.computeIfPresent(principal, (_, held) -> held == 1 ? null : (Integer) (held - 1));
        }
    }
}
