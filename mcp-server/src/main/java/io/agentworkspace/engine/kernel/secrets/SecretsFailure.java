package io.agentworkspace.engine.kernel.secrets;

/** Secrets at rest cannot be read or stored. The message is one line for the operator of the engine. */
public final class SecretsFailure extends RuntimeException {
    SecretsFailure(String message) {
        super(message);
    }

    SecretsFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
