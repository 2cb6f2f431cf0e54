package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.model.problem.Name;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which messages a call waits for; nothing given: all that reach self.
 *
 * @param agent only direct messages of this agent
 * @param domain only messages in zones of this domain
 * @param zone only messages in this zone of it
 * @param replyTo only answers to this message
 * @param beside only messages where this one is
 */
record Narrowing(
        @Nullable Name agent,
        @Nullable Name domain,
        @Nullable Name zone,
        @Nullable UUID replyTo,
        @Nullable UUID beside) {
    static final Narrowing NOTHING = new Narrowing(null, null, null, null, null);

    /** Returns the message whose answers are waited for. */
    @Nullable
    UUID question() {
        return replyTo == null ? beside : replyTo;
    }

    @Nullable
    String agentKey() {
        return agent == null ? null : agent.key();
    }

    @Nullable
    String domainKey() {
        return domain == null ? null : domain.key();
    }

    @Nullable
    String zoneKey() {
        return zone == null ? null : zone.key();
    }
}
