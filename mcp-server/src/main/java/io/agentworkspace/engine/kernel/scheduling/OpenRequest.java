package io.agentworkspace.engine.kernel.scheduling;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The HTTP request that a call belongs to, for calls that wait: bound on the request's own thread.
 *
 * @param validity returns whether the credential is still valid; equal suppliers return the same
 * @param gone returns whether the client has closed the connection
 * @param pause releases the memory reserved for the response; the result reserves it again, or throws a
 *     {@code Problem} if there is none
 */
public record OpenRequest(BooleanSupplier validity, BooleanSupplier gone, Supplier<Runnable> pause) {
    /** The current one. */
    public static final ScopedValue<OpenRequest> CURRENT = ScopedValue.newInstance();

    private static final OpenRequest NONE = new OpenRequest(() -> true, () -> false, () -> () -> {});

    /** Returns the current one; for calls that did not come over HTTP, one that is always valid. */
    public static OpenRequest current() {
        return CURRENT.orElse(NONE);
    }
}
