package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.messages.ConversationStore.Answered;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loop guard's data of a new message.
 *
 * @param chain the agents whose messages it answers, oldest first
 * @param said how many direct messages the agent has then sent to agents; 0 if the message does not count
 * @param partners the agents that it sent them to
 */
public record Lineage(
        @Nullable Answered answered,
        List<Long> chain,
        @Nullable Instant personAt,
        long said,
        List<Long> partners) {
    /** Returns the lineage of a message that is not counted. */
    public static Lineage of(@Nullable Answered answered, List<Long> chain, @Nullable Instant personAt) {
        return new Lineage(answered, chain, personAt, 0, List.of());
    }

    @Nullable
    String answers() {
        return answered == null ? null : answered.id().toString();
    }

    List<String> chainNames() {
        return chain.isEmpty() || answered == null ? List.of() : answered.chainNames();
    }
}
