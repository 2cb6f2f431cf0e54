package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One attempt to deliver an event (decisions, section 8). */
@Titled
public record Attempt(
        @Doc("When it began.") Instant at,
        @Doc("How long it took, in milliseconds.") long durationMs,

        @Doc("The HTTP status of the response; absent if there was none.") @Nullable
        Integer status,

        @Doc("Why it failed; absent if it succeeded.") @Nullable
        String error,

        @Doc("The first 500 bytes of a failed response's body, as text; absent if it was empty.") @Nullable
        String response) {}
