package io.agentworkspace.engine.app.backup;

/** A backup could not be made, or is not good. The message says what is wrong, and what to do. */
public final class BackupFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BackupFailure(String message, Object... values) {
        super(message.formatted(values));
    }
}
