package io.agentworkspace.engine.model.webhook;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The record of a webhook endpoint (decisions, section 8): where events are sent, and its state. */
public record Endpoint(
        @Doc("Its id.") UUID id,
        @Doc("Where events are sent to.") String url,
        @Doc("What it is sent; * for all.") List<String> events,
        @Doc("What it is for.") @Nullable String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("Whether it is sent anything.") boolean enabled,

        @Doc("Why not: manual, gone (answered 410) or failing (nothing but failures for 120 h).") @Nullable
        String disabledReason,

        @Doc("When it was made.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt,
        @Doc("Grows with each change.") long revision,

        @Doc(
                value = "What deliveries are signed with, whsec_…; shown when it is new and never again: keep it now.",
                once = true)
        @Nullable
        String secret,

        @Doc("Until when the secret of before the rotation signs, too.") @Nullable
        Instant previousWorksUntil,

        @Doc("What a look at the URL found.") @Nullable Preflight preflight,

        @Doc("What was not queued for it when it was last disabled: read it with WH_Feed.") @Nullable
        Missed missed,

        @Doc("How deliveries go.") Health health) {

    /** The part of the feed that an endpoint missed while it was disabled. It gets no deliveries of these events. */
    public record Missed(
            @Doc("The seq up to which it was queued: give it as after.")
            long after,

            @Doc("The last seq that was not, once it is enabled again.") @Nullable
            Long until) {}

    /**
     * A check of an endpoint before anything is sent to it. A failed check blocks nothing: the receiver may not exist
     * yet.
     */
    public record Preflight(
            @Doc("When.") Instant checkedAt,
            @Doc("Whether a delivery gets there.") boolean ok,

            @Doc("Whether the name resolves, to allowed addresses.")
            boolean resolves,

            @Doc("Whether TLS is right; absent where it did not come to that.") @Nullable
            Boolean tls,

            @Doc("Whether anything answers.") boolean answers,
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

            @Doc("Since when there are nothing but failures.") @Nullable
            Instant failingSince,

            @Doc("open: after failures in a row nothing is attempted for a while; half-open: one delivery tries it.")
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
