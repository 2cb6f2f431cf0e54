package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The record of one event on its way to one endpoint (decisions, section 8). */
@Titled
public record Delivery(
        @Doc("Its id.") UUID id,
        @Doc("The event, the same on every attempt.") UUID eventId,
        @Doc("The event's type.") String eventType,
        @Doc("The endpoint that it goes to.") UUID endpointId,

        @Doc("The endpoint's present URL; earlier attempts may have gone to another one.")
        String url,

        @Doc("Sent as X-Service-Sequence.") long sequence,

        @Doc("failed is retried, exhausted is not.") DeliveryState state,

        @Doc("The attempts, oldest first.") List<Attempt> attempts,
        @Doc("When it is attempted next.") @Nullable Instant nextAttemptAt,
        @Doc("When it was queued.") Instant createdAt) {}
