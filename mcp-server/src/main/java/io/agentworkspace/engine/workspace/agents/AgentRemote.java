package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Where an agent lives that is not here, and how sending there goes: for its owner and admins. */
@Titled
record AgentRemote(
        @Doc("Its address.") String url,

        @Doc("The header that carries the credential.") @Nullable
        String header,

        @Doc("ready or failing.") String state,
        @Doc("How many messages are still to be sent.") long waiting,

        @Doc("Why the last request failed.") @Nullable String lastError,

        @Doc("Since when all fail.") @Nullable Instant failingSince) {}
