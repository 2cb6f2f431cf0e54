package io.agentworkspace.engine.model.document;

import java.util.UUID;

/**
 * A file that arrived with a request. It was stored while it arrived, so that it is never in memory as a whole.
 *
 * @param sha256 in hexadecimal
 */
public record Upload(UUID id, long size, String sha256) {
    /** The largest file, in bytes: 20 MiB (decisions, section 1). */
    public static final int MAX_BYTES = 20 << 20;

    /** The upload of the current request, bound while the tool that takes it runs. */
    public static final ScopedValue<Upload> CURRENT = ScopedValue.newInstance();
}
