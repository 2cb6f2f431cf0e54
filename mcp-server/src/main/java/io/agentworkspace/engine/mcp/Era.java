package io.agentworkspace.engine.mcp;

/** The names of the protocol's eras: clients of each are served by a lane of their own. */
final class Era {
    /** The contract's own clients, without a handshake. */
    static final String BARE = "bare";

    /** Clients that begin a session with {@code initialize}. */
    static final String SESSION = "session";

    /** Clients of the stateless revisions. */
    static final String MODERN = "modern";

    private Era() {}
}
