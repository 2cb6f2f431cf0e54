package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a change of an agent replaced. */
@Titled
record AgentRevision(
        @Doc("The revision that had these values.") long revision,
        @Doc("Its name then.") String name,
        @Doc("Its description then.") String description,

        @Doc("Its persona then; absent if it had none.") @Nullable
        String profile,

        @Doc("Who could see it then.") Access access,

        @Doc("Who replaced it: an agent, else a user.") String replacedBy,

        @Doc("When it was stored.") Instant storedAt,
        @Doc("When it was replaced.") Instant replacedAt) {}
