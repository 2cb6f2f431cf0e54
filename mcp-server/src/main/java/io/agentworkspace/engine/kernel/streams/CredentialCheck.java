package io.agentworkspace.engine.kernel.streams;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A round of checks whether credentials are still valid. Each is looked up once, however many streams or calls it has. */
public final class CredentialCheck {
    private final Map<BooleanSupplier, Boolean> results = new HashMap<>();

    /** @param validity of a credential; equal suppliers return the same */
    public boolean isValid(BooleanSupplier validity) {
        return results.computeIfAbsent(validity, BooleanSupplier::getAsBoolean);
    }
}
