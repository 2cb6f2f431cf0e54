package io.agentworkspace.engine.model.problem;

/**
 * Why a request was refused, where code needs to know more than the {@link Failure}. The code that throws the refusal
 * sets it, so that nothing has to parse a note.
 */
public enum Cause {
    /** The header {@code Origin} names a foreign page. */
    ORIGIN,
    /** The request names a host that is not one of ours. */
    HOST,
    /** The API key has no valid checksum. */
    KEY_MISTYPED,
    /** A credential is in the query string. */
    CREDENTIAL_IN_QUERY,
    /** The request has several credentials, or one header more than once. */
    CREDENTIAL_AMBIGUOUS,
    /** The path is ambiguous. */
    PATH,
    /** The body is JSON, but not a message that the endpoint accepts. */
    MESSAGE,
    /** The method is unknown. */
    METHOD,
    /** {@code initialize} lacks a field. */
    INITIALIZE,
    /** The {@code _meta} of a stateless request lacks a field. */
    META,
    /** A header is missing, or differs from the body. */
    HEADERS,
    /** The protocol revision is not supported. */
    VERSION,
    /** The session is unknown or has ended. */
    SESSION,
    /** The header {@code MCP-Protocol-Version} differs from what the session agreed on. */
    SESSION_VERSION,
    /** The response is a stream, but the header {@code Accept} does not allow one. */
    ACCEPT,
    /** The path names an unknown toolset. */
    TOOLSET,
    /** A header selects unknown toolsets or tools. */
    SELECTION,
    /** The header {@code X-MCP-Confirm} has an unknown value. */
    CONFIRMATION
}
