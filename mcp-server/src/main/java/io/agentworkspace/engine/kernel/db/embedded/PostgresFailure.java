package io.agentworkspace.engine.kernel.db.embedded;

import org.jspecify.annotations.Nullable;

/** The embedded database cannot be started. The message is one line for the operator who started the engine. */
public final class PostgresFailure extends RuntimeException {
    private final boolean isInUse;

    PostgresFailure(String message) {
        this(message, false);
    }

    /** @param isInUse whether another engine uses the data directory */
    PostgresFailure(String message, boolean isInUse) {
        super(message);
        this.isInUse = isInUse;
    }

    PostgresFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.isInUse = false;
    }

    /** Returns whether another engine uses the data directory. */
    public boolean isInUse() {
        return isInUse;
    }
}
