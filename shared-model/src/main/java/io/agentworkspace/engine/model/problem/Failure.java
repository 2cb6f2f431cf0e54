package io.agentworkspace.engine.model.problem;

import java.util.Arrays;

/**
 * Every way in which a request can be refused, with its form at each endpoint (decisions, section 3). A new failure
 * does not compile until it declares its code, its symbolic name, its status on command routes and its status
 * elsewhere.
 */
public enum Failure {
    MALFORMED_JSON(1001, "malformed_json", 400, 400, "Malformed JSON"),
    UNKNOWN_SERVICE(1002, "unknown_service", 400, 404, "Unknown service"),
    MISSING_FIELD(1003, "missing_field", 400, 422, "Missing field"),
    INVALID_FIELD(1004, "invalid_field", 400, 422, "Invalid field"),
    TOO_LARGE(1005, "too_large", 400, 413, "Too large"),
    NO_CONTEXT(1006, "no_context", 400, 422, "Nothing selected"),
    UNAUTHENTICATED(2001, "unauthenticated", 401, 401, "Not authenticated"),
    NOT_PERMITTED(2003, "not_permitted", 401, 403, "Not permitted"),
    NOT_FOUND(3001, "not_found", 400, 404, "Not found"),
    ALREADY_EXISTS(3002, "already_exists", 400, 409, "Already exists"),
    CONFLICT(3003, "conflict", 400, 409, "Conflict"),
    RULE_REFUSED(3004, "rule_refused", 400, 403, "Refused by a rule"),
    IDEMPOTENCY_MISMATCH(3005, "idempotency_mismatch", 400, 422, "Idempotency key reused"),
    RATE_LIMITED(4001, "rate_limited", 429, 429, "Rate limited"),
    QUOTA_EXCEEDED(4002, "quota_exceeded", 429, 429, "Quota exceeded"),
    INTERNAL(5001, "internal", 500, 500, "Internal error"),
    UNAVAILABLE(5002, "unavailable", 500, 503, "Unavailable"),
    // Used only in the HTTP layer: command routes report these as the matching command error.
    BAD_REQUEST(1004, "bad_request", 400, 400, "Bad request"),
    METHOD_NOT_ALLOWED(1002, "method_not_allowed", 400, 405, "Method not allowed"),
    UNSUPPORTED_MEDIA_TYPE(1001, "unsupported_media_type", 400, 415, "Unsupported media type");

    private final int code;
    private final String error;
    private final int commandStatus;
    private final int httpStatus;
    private final String title;

    Failure(int code, String error, int commandStatus, int httpStatus, String title) {
        this.code = code;
        this.error = error;
        this.commandStatus = commandStatus;
        this.httpStatus = httpStatus;
        this.title = title;
    }

    /** Returns the code: {@code status.internal_code}. */
    public int code() {
        return code;
    }

    /** Returns the symbolic name: {@code status.error}. */
    public String error() {
        return error;
    }

    /** Returns the symbolic name on command routes: that of the command error with the same code. */
    public String commandError() {
        return Arrays.stream(values())
                .filter(failure -> failure.code == code)
                .findFirst()
                .orElse(this)
                .error;
    }

    /** Returns the HTTP status on command routes: 400, 401, 429 or 500. */
    public int commandStatus() {
        return commandStatus;
    }

    /** Returns the HTTP status on all other routes. */
    public int httpStatus() {
        return httpStatus;
    }

    public String title() {
        return title;
    }
}
