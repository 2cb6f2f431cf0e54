package io.agentworkspace.engine.integrations.webhooks;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The record of a webhook endpoint (decisions, section 8): where events are sent, and its state. */
@Titled
record Endpoint(
        @Doc("Its id.") UUID id,
        @Doc("Where events are sent to.") String url,
        @Doc("The event types that it receives; * for all.") List<String> events,
        @Doc("What it is for.") @Nullable String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("Whether it receives events.") boolean enabled,

        @Doc("Why not: manual, gone (it answered 410) or failing (only failures for 120 h).") @Nullable
        String disabledReason,

        @Doc("When it was created.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt,
        @Doc("Increases with each change.") long revision,

        @Doc(
                value = "The key of the signatures, whsec_…. Store it now, since it is shown only when it is new.",
                once = true)
        @Nullable
        String secret,

        @Doc("Until when deliveries are also signed with the old secret.") @Nullable
        Instant previousWorksUntil,

        @Doc("The result of the check of its URL.") @Nullable
        Preflight preflight,

        @Doc("The events that were not queued while it was disabled: read them with WH_Feed.") @Nullable
        Missed missed,

        @Doc("The health of its deliveries.") Health health) {

    /** The part of the feed that an endpoint missed while it was disabled. It gets no deliveries of these events. */
    public record Missed(
            @Doc("The seq of the last queued event: send it to WH_Feed as after.")
            long after,

            @Doc("The last seq that was not queued, once the endpoint is enabled again.") @Nullable
            Long until) {}

    /**
     * A check of an endpoint before anything is sent to it. A failed check blocks nothing: the receiver may not exist
     * yet.
     */
    public record Preflight(
            @Doc("When.") Instant checkedAt,
            @Doc("Whether a delivery can reach it.") boolean ok,

            @Doc("Whether the name resolves, to allowed addresses.")
            boolean resolves,

            @Doc("Whether TLS is correct; absent if the check ended earlier.") @Nullable
            Boolean tls,

            @Doc("Whether a server responds.") boolean answers,
            @Doc("What was wrong, or the status.") String detail) {}

    /** The endpoint's state, and figures of its attempts in the last 24 hours. */
    public record Health(
            @Doc("Attempts in 24 h that succeeded.") long succeeded,
            @Doc("Attempts in 24 h that failed.") long failed,
            @Doc("Percent that succeeded.") @Nullable Integer successPercent,
            @Doc("Median duration.") @Nullable Long p50Ms,
            @Doc("95 % took at most this.") @Nullable Long p95Ms,
            @Doc("The last success.") @Nullable Instant lastSuccessAt,
            @Doc("The last failure.") @Nullable Instant lastFailureAt,

            @Doc("Since when all attempts have failed.") @Nullable
            Instant failingSince,

            @Doc("open: after failures in a row nothing is attempted for a while; half-open: one delivery tests it.")
            Circuit circuit) {}

    /** Whether deliveries are attempted. */
    public enum Circuit {
        CLOSED,
        OPEN,
        HALF_OPEN;

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
