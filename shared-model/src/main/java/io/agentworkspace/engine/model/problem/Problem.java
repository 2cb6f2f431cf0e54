package io.agentworkspace.engine.model.problem;

import io.agentworkspace.engine.model.text.StorableText;
import io.agentworkspace.engine.model.tool.NearestTool;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A refused request. The note is for the caller, human or model: what was wrong and how to correct it. It has no
 * stack trace, since it is a response and not a defect.
 */
public final class Problem extends RuntimeException {
    private final Failure failure;
    private final @Nullable Duration retryAfter;
    private final @Nullable LimitExceeded excess;
    private final @Nullable Cause cause;
    private final Map<String, Object> beside;

    private Problem(
            Failure failure,
            String note,
            @Nullable Duration retryAfter,
            @Nullable LimitExceeded excess,
            @Nullable Cause cause,
            Map<String, Object> beside) {
        super(StorableText.replaced(note), null, false, false); // It may quote anything.
        this.failure = failure;
        this.retryAfter = retryAfter;
        this.excess = excess;
        this.cause = cause;
        this.beside = beside;
    }

    private Problem(Failure failure, String note, @Nullable Duration retryAfter, @Nullable LimitExceeded excess) {
        this(failure, note, retryAfter, excess, null, Map.of());
    }

    public Problem(Failure failure, String note) {
        this(failure, note, null, null);
    }

    /** Returns the same problem with a cause, which code can check. */
    public Problem because(Cause reason) {
        return new Problem(failure, note(), retryAfter, excess, reason, beside);
    }

    /** Returns the same problem with another note, as of something that it is a part of. */
    public Problem withNote(String note) {
        return new Problem(failure, note, retryAfter, excess, cause, beside);
    }

    /** Returns the same problem with a record of the thing that it is about. The record is sent beside the status. */
    public Problem with(String field, Object value) {
        var all = new LinkedHashMap<>(beside);
        all.put(field, value);
        return new Problem(failure, note(), retryAfter, excess, cause, Collections.unmodifiableMap(all));
    }

    public Failure failure() {
        return failure;
    }

    public String note() {
        return Objects.requireNonNull(getMessage());
    }

    /**
     * Returns when to retry; only for {@code rate_limited}, {@code unavailable} and the daily {@code quota_exceeded}.
     */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /**
     * Returns the seconds of the header {@code Retry-After}. The value is one second for {@code unavailable} without
     * a known end.
     */
    public OptionalLong retryAfterSeconds() {
        if (retryAfter == null) {
            return failure == Failure.UNAVAILABLE ? OptionalLong.of(1) : OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(1, Math.ceilDiv(retryAfter.toMillis(), 1000)));
    }

    /** Returns the exceeded limit of the plan; only for {@code quota_exceeded}. */
    public @Nullable LimitExceeded excess() {
        return excess;
    }

    /** Returns the cause; empty where the failure is all that code needs. */
    public Optional<Cause> cause() {
        return Optional.ofNullable(cause);
    }

    /** Returns what is sent beside the status, by field name. */
    public Map<String, Object> beside() {
        return beside;
    }

    public static Problem malformed(String note) {
        return new Problem(Failure.MALFORMED_JSON, note);
    }

    public static Problem wrongType(String field, String expected) {
        return malformed("%s must be %s".formatted(field, expected));
    }

    public static Problem missing(String field) {
        return missing(List.of(field));
    }

    /** Reports all missing fields at once, and where to find a name for each. */
    public static Problem missing(List<String> fields) {
        var all = String.join(", ", fields.subList(0, fields.size() - 1));
        var named = (all.isEmpty() ? "" : all + " and ") + fields.getLast();
        var hint = fields.contains("target.bank") ? "; MB_List shows the banks that you may see" : "";
        return new Problem(
                Failure.MISSING_FIELD, "%s %s required%s".formatted(named, fields.size() == 1 ? "is" : "are", hint));
    }

    /** Reports fields that were sent without a value and would narrow what the call does. */
    public static Problem blank(List<String> fields) {
        return new Problem(
                Failure.MISSING_FIELD,
                "%s: it is blank, null or empty. Send a value, or leave the field out if you mean the call without it"
                        .formatted(missing(fields).note()));
    }

    public static Problem invalid(String field, String rule) {
        return new Problem(Failure.INVALID_FIELD, field + " " + rule);
    }

    public static Problem tooLarge(String field, long size, long limit, String unit) {
        return new Problem(
                Failure.TOO_LARGE, "%s has %,d %s; at most %,d are allowed".formatted(field, size, unit, limit));
    }

    public static Problem noContext(String note) {
        return new Problem(Failure.NO_CONTEXT, note);
    }

    public static Problem unauthenticated(String note) {
        return new Problem(Failure.UNAUTHENTICATED, note);
    }

    public static Problem notPermitted(String note) {
        return new Problem(Failure.NOT_PERMITTED, note);
    }

    /**
     * Reports that a thing does not exist. A hidden thing gets the same response as an absent one.
     *
     * @param near only names that the caller may see
     */
    public static Problem notFound(String kind, String name, List<String> near) {
        var hint = near.isEmpty() ? "" : "; did you mean " + quoted(near) + "?";
        return new Problem(Failure.NOT_FOUND, "no %s '%s' that you may see%s".formatted(kind, name, hint));
    }

    public static Problem alreadyExists(String kind, String name) {
        return alreadyExists(kind, name, "choose another name");
    }

    /** @param remedy what the caller can do instead */
    public static Problem alreadyExists(String kind, String name, String remedy) {
        return new Problem(Failure.ALREADY_EXISTS, "the %s name '%s' is taken: %s".formatted(kind, name, remedy));
    }

    public static Problem conflict(String note) {
        return new Problem(Failure.CONFLICT, note);
    }

    /** @param note the rule's name and message */
    public static Problem ruleRefused(String note) {
        return new Problem(Failure.RULE_REFUSED, note);
    }

    public static Problem staleRevision(long expected, long current) {
        return conflict("if_revision is %d, but the revision is now %d: read it again, then decide"
                .formatted(expected, current));
    }

    /**
     * @param word what the caller's endpoint calls a service
     * @param hint which service is probably meant, or how to list all: see {@link NearestTool#hint}
     */
    public static Problem unknownService(String word, String name, String hint) {
        return new Problem(
                Failure.UNKNOWN_SERVICE, "there is no %s '%s'; %s".formatted(word, Name.shortened(name), hint));
    }

    public static Problem rateLimited(String note, Duration retryAfter) {
        return new Problem(Failure.RATE_LIMITED, note, retryAfter, null);
    }

    /** Reports that a plan's limit on existing things is reached. */
    public static Problem quotaExceeded(LimitExceeded excess) {
        return new Problem(Failure.QUOTA_EXCEEDED, excess.note(Instant.MAX), null, excess);
    }

    /** Reports that a plan's daily limit is reached. */
    public static Problem quotaExceeded(LimitExceeded excess, Instant now, Instant resetsAt) {
        return new Problem(Failure.QUOTA_EXCEEDED, excess.note(resetsAt), Duration.between(now, resetsAt), excess);
    }

    public static Problem unavailable() {
        return new Problem(
                Failure.UNAVAILABLE, "the database cannot be reached; try again shortly", Duration.ofSeconds(1), null);
    }

    public static Problem unavailable(String note, Duration retryAfter) {
        return new Problem(Failure.UNAVAILABLE, note, retryAfter, null);
    }

    public static Problem internal(String requestId) {
        return new Problem(Failure.INTERNAL, "a defect on our side; tell the operator the request id " + requestId);
    }

    private static String quoted(List<String> names) {
        return String.join(" or ", names.stream().map("'%s'"::formatted).toList());
    }
}
