package io.agentworkspace.engine.integrations.upstreams.client;

/** Why another server's answer could not be had. The message is in words for people, without internals. */
public final class UpstreamFailure extends RuntimeException {
    private final transient Kind kind;

    /** What failed. */
    public enum Kind {
        /** No connection, no answer in time, or one that was cut off. It may work the next time. */
        UNREACHABLE,
        /** The engine has no room for the answer at the moment. The server is not at fault. */
        BUSY,
        /** The server refused the credential, or requires one. */
        CREDENTIAL,
        /** The calling user has not connected an account of their own. Nothing was sent. */
        ACCOUNT,
        /** What came is no answer of this protocol, or is too large. */
        PROTOCOL,
        /** The address is one of another transport. */
        TRANSPORT,
        /** The server knows the session no more. Nothing was done. */
        SESSION,
        /** The server answered with an error of its own. */
        ERROR,
        /** The arguments are not what the server accepts. */
        ARGUMENTS,
        /** The server asked something, and the call ended without the answer. */
        UNANSWERED,
        /** The caller left. */
        CANCELLED
    }

    public UpstreamFailure(Kind kind, String words) {
        super(words, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public String words() {
        return String.valueOf(getMessage());
    }

    /** Returns whether the server itself is at fault, so that further calls are likely to fail, too. */
    public boolean isOutage() {
        return kind == Kind.UNREACHABLE || kind == Kind.PROTOCOL || kind == Kind.TRANSPORT || kind == Kind.CREDENTIAL;
    }
}
