package io.agentworkspace.engine.streams;

import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits this replica's open streams, and how long a client may take to read from one. Only callers with open streams
 * use memory.
 */
public final class StreamLimits {
    private final Share share;
    private final Duration patience;
    private final ConcurrentHashMap<String, Integer> held = new ConcurrentHashMap<>();

    /**
     * The maximum number of open streams: of a key or session, of a user with all its keys, of a tenant, and in
     * total.
     */
    public record Share(int principal, int user, int tenant, int all) {}

    public StreamLimits(Share share, Duration patience) {
        this.share = share;
        this.patience = patience;
    }

    /** Returns the slots of one caller. */
    public Places of(Caller caller) {
        var limits = new LinkedHashMap<String, Integer>();
        limits.put("", share.all());
        limits.put("%d".formatted(caller.tenant()), share.tenant());
        limits.put("%d/%d".formatted(caller.tenant(), caller.user()), share.user());
        limits.put("%d/%d/%s".formatted(caller.tenant(), caller.user(), caller.principal()), share.principal());
        return new Places(limits);
    }

    /** Returns how long a client may take to read what is written. */
    public Duration patience() {
        return patience;
    }

    /** How many streams are open. */
    public int open() {
        return held.getOrDefault("", 0);
    }

    private boolean take(String name, int limit) {
        var taken = new boolean[1];
        held.compute(name, (_, number) -> {
            var count = number == null ? 0 : number;
            taken[0] = count < limit;
            return taken[0] ? (Integer) (count + 1) : number;
        });
        return taken[0];
    }

    private void giveBack(String name) {
        held.computeIfPresent(name, (_, number) -> number == 1 ? null : (Integer) (number - 1));
    }

    /** A caller's slots. Each open stream takes one and returns it at its end. */
    public final class Places {
        private final Map<String, Integer> limits;

        private Places(Map<String, Integer> limits) {
            this.limits = limits;
        }

        public Duration patience() {
            return patience;
        }

        /** Takes a slot, and returns whether one was free. */
        public boolean take() {
            for (var limit : limits.entrySet()) {
                if (!StreamLimits.this.take(limit.getKey(), limit.getValue())) {
                    giveBackBefore(limit.getKey());
                    return false;
                }
            }
            return true;
        }

        public void giveBack() {
            limits.keySet().forEach(StreamLimits.this::giveBack);
        }

        private void giveBackBefore(String refused) {
            limits.keySet().stream().takeWhile(name -> !name.equals(refused)).forEach(StreamLimits.this::giveBack);
        }
    }
}
