package io.agentworkspace.engine.a2a.outbound;

/** A request to another server that did not succeed, in words for the agent's owner and for who wrote to it. */
final class RemoteFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isFinal;

    private RemoteFailure(String words, boolean isFinal) {
        super(words);
        this.isFinal = isFinal;
    }

    /** The other server may answer later. */
    static RemoteFailure later(String words) {
        return new RemoteFailure(words, false);
    }

    /** The other server has refused the request: it would refuse it again. */
    static RemoteFailure refused(String words) {
        return new RemoteFailure(words, true);
    }

    String words() {
        return String.valueOf(getMessage());
    }

    boolean isFinal() {
        return isFinal;
    }
}
