package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.workspace.guard.GuardQueries.ParentMessage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loop guard's data of a new message.
 *
 * @param chain the agents whose messages it answers, oldest first
 * @param directMessages how many direct messages the agent has then sent to agents; 0 if the message does not count
 * @param partners the agents that it sent them to
 */
public record Lineage(
        @Nullable ParentMessage parent,
        List<Long> chain,
        @Nullable Instant personAt,
        long directMessages,
        List<Long> partners) {
    /** Returns the lineage of a message that is not counted. */
    public static Lineage of(@Nullable ParentMessage parent, List<Long> chain, @Nullable Instant personAt) {
        return new Lineage(parent, chain, personAt, 0, List.of());
    }

    /** Returns the id of the answered message. */
    public @Nullable String answers() {
        return parent == null ? null : parent.id().toString();
    }

    /** Returns the names of those in the chain. */
    public List<String> chainNames() {
        return chain.isEmpty() || parent == null ? List.of() : parent.chainNames();
    }
}
