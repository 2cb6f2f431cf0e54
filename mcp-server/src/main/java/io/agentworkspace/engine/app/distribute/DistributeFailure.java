package io.agentworkspace.engine.app.distribute;

/** Tables cannot be distributed, or moved back. Nothing was changed. The message says what is wrong, and what to do. */
public final class DistributeFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DistributeFailure(String message) {
        super(message);
    }
}
