package io.agentworkspace.engine.kernel.wire;

/** The names of the protocol eras. Each era has its own lane. */
public final class Era {
    /** The contract's own clients, without a handshake. */
    public static final String BARE = "bare";

    /** Clients that begin a session with {@code initialize}. */
    public static final String SESSION = "session";

    /** Clients of the stateless revisions. */
    public static final String MODERN = "modern";

    private Era() {}
}
