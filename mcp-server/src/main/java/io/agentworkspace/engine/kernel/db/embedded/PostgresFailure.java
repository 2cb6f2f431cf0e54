package io.agentworkspace.engine.kernel.db.embedded;

import org.jspecify.annotations.Nullable;

/** The embedded database cannot be started. The message is one line for the operator who started the engine. */
public final class PostgresFailure extends RuntimeException {
    PostgresFailure(String message) {
        super(message);
    }

    PostgresFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
