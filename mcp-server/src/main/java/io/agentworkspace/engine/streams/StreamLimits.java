package io.agentworkspace.engine.streams;

import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the open streams of this replica, and how long a client may take to read from one. Only callers with open
 * streams take memory.
 */
public final class StreamLimits {
    private final Share share;
    private final Duration patience;
    private final ConcurrentHashMap<String, Integer> held = new ConcurrentHashMap<>();

    /** How many streams a key or session, a user with all its keys, a tenant, and all together may have open. */
    public record Share(int principal, int user, int tenant, int all) {}

    public StreamLimits(Share share, Duration patience) {
        this.share = share;
        this.patience = patience;
    }

    /** The slots of one caller. */
    public Places of(Caller caller) {
        var limits = new LinkedHashMap<String, Integer>();
        limits.put("", share.all());
        limits.put("%d".formatted(caller.tenant()), share.tenant());
        limits.put("%d/%d".formatted(caller.tenant(), caller.user()), share.user());
        limits.put("%d/%d/%s".formatted(caller.tenant(), caller.user(), caller.principal()), share.principal());
        return new Places(limits);
    }

    /** How long a client may take to read what is written. */
    public Duration patience() {
        return patience;
    }

    int open() {
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

    /** Takes a slot for a stream, and returns it. */
    public final class Places {
        private final Map<String, Integer> limits;

        private Places(Map<String, Integer> limits) {
            this.limits = limits;
        }

        public Duration patience() {
            return patience;
        }

        /** Whether a slot was free. */
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
