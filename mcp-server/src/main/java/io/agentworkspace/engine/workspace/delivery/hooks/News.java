package io.agentworkspace.engine.workspace.delivery.hooks;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for an agent. It has names only, never a text of others.
 *
 * @param agent the agent's name
 * @param owner whose agent it is
 * @param isReadable whether the session has our tools, as far as is known
 * @param positions the last message of each stream with unread messages
 */
record News(
        String agent, String owner, String description, List<Sender> senders, boolean isReadable, Positions positions) {
    private static final int NAMED = 5;

    /**
     * What one party has said in one place: {@code domain} and {@code zone} are null for direct messages. An agent may have the
     * name of a user, so a user is called one.
     */
    record Sender(
            String name,
            boolean user,
            long count,
            @Nullable String domain,
            @Nullable String zone) {
        private String label() {
            return (user ? "the user " : "") + DisplayName.of(name);
        }

        private String where() {
            return domain == null
                    ? ""
                    : " in %s/%s".formatted(DisplayName.of(domain), DisplayName.of(Objects.requireNonNull(zone)));
        }
    }

    boolean isEmpty() {
        return senders.isEmpty();
    }

    private long count() {
        return senders.stream().mapToLong(Sender::count).sum();
    }

    /** Returns how many messages wait, from whom, as a wake-up: "2 new messages from ada". */
    String line() {
        var names = senders.stream().map(Sender::label).distinct().toList();
        return "%s from %s; read %s with AP_Wait"
                .formatted(
                        number("new "),
                        names.stream().limit(NAMED).collect(Collectors.joining(", "))
                                + (names.size() > NAMED ? " and others" : ""),
                        them());
    }

    /**
     * Returns how many messages wait, from whom and where, and how they are read.
     *
     * @param kind "new " or nothing
     */
    String sentence(String kind) {
        var from = senders.stream()
                .limit(NAMED)
                .map(sender -> "%d from %s%s".formatted(sender.count(), sender.label(), sender.where()))
                .collect(Collectors.joining(", "));
        return "%s %s for the agent %s: %s%s. %s"
                .formatted(
                        number(kind),
                        count() == 1 ? "waits" : "wait",
                        DisplayName.of(agent),
                        from,
                        senders.size() > NAMED ? ", and others" : "",
                        isReadable
                                ? "Read %s with AP_Wait (wait_seconds: 0).".formatted(them())
                                : "You cannot read %s: this program started while the engine was down, so it has no tools of the workspace. Ask your user to restart it, or to read in the engine's console."
                                        .formatted(them()));
    }

    private String number(String kind) {
        return "%d %smessage%s".formatted(count(), kind, count() == 1 ? "" : "s");
    }

    private String them() {
        return count() == 1 ? "it" : "them";
    }
}
