package io.agentworkspace.engine.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What was wrong about messages since somebody last asked; the test that is running answers for it. */
final class Faults {
    private static final int SHOWN = 2_000;
    private static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();
    private static volatile boolean strict = true;

    private Faults() {}

    /** @param exchange the messages that it is about */
    static void report(List<String> wrongs, Object... exchange) {
        if (!wrongs.isEmpty()) {
            var about = new StringBuilder(String.join("\n  ", wrongs));
            for (var message : exchange) {
                var text = message.toString();
                about.append("\n    ").append(text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text);
            }
            FOUND.add(about.toString());
        }
    }

    static List<String> take() {
        var taken = new ArrayList<String>();
        for (var next = FOUND.poll(); next != null; next = FOUND.poll()) {
            taken.add(next);
        }
        return taken;
    }

    /** Whether what tests send has to be valid where it is accepted. */
    static boolean strict() {
        return strict;
    }

    static void strict(boolean wanted) {
        strict = wanted;
    }
}
