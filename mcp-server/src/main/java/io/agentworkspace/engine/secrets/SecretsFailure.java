package io.agentworkspace.engine.secrets;

/** Secrets at rest cannot be read or kept. The message is one line, written for whoever runs the engine. */
public final class SecretsFailure extends RuntimeException {
    SecretsFailure(String message) {
        super(message);
    }

    SecretsFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
