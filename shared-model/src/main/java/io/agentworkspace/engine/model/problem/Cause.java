package io.agentworkspace.engine.model.problem;

/**
 * What a request was refused for, where code needs to know more than the {@link Failure}. It is set where the refusal is
 * thrown, so that nobody reads a note to find out.
 */
public enum Cause {
    /** The header {@code Origin} names a foreign page. */
    ORIGIN,
    /** The request names a host that is not ours. */
    HOST,
    /** The API key has no valid checksum. */
    KEY_MISTYPED,
    /** A credential is in the query string. */
    CREDENTIAL_IN_QUERY,
    /** Several credentials, or one header more than once. */
    CREDENTIAL_AMBIGUOUS,
    /** The path is ambiguous. */
    PATH,
    /** The body is JSON, but not a message that can be taken. */
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
    /** The session is unknown or over. */
    SESSION,
    /** The header {@code MCP-Protocol-Version} differs from what the session agreed on. */
    SESSION_VERSION,
    /** The response is a stream, which the header {@code Accept} does not name. */
    ACCEPT,
    /** The path names an unknown toolset. */
    TOOLSET,
    /** A header selects unknown toolsets or tools. */
    SELECTION,
    /** The header {@code X-MCP-Confirm} has an unknown value. */
    CONFIRMATION
}
