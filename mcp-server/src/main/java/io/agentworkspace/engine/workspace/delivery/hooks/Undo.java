package io.agentworkspace.engine.workspace.delivery.hooks;

import java.util.Map;
import java.util.TreeMap;

/** What a wake-up changed in the positions of a session. */
record Undo(Map<Long, Change> changes) {
    record Change(long before, long after) {}

    static Undo of(Positions before, Positions after) {
        var changes = new TreeMap<Long, Change>();
        after.last().forEach((conversation, now) -> {
            var then = before.last().getOrDefault(conversation, 0L);
            if (now > then) {
                changes.put(conversation, new Change(then, now));
            }
        });
        return new Undo(changes);
    }

    /** Returns what this wake-up and the next one changed together. */
    Undo and(Undo next) {
        var both = new TreeMap<>(changes);
        next.changes.forEach((conversation, change) ->
                both.merge(conversation, change, (one, two) -> new Change(one.before(), two.after())));
        return new Undo(both);
    }
}
