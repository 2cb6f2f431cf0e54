package io.agentworkspace.engine.model.document;

import java.util.UUID;

/**
 * A file that arrived with a request and was stored while it did, so that it is never in memory as a whole.
 *
 * @param sha256 in hex
 */
public record Upload(UUID id, long size, String sha256) {
    /** The largest file, in bytes: 20 MiB (decisions, section 1). */
    public static final int MAX_BYTES = 20 << 20;

    /** Bound while the tool runs that the file is for. */
    public static final ScopedValue<Upload> CURRENT = ScopedValue.newInstance();
}
