package io.agentworkspace.engine.model.upload;

import java.io.InputStream;

/** A file that is read while it arrives with a request. */
public final class FileStream {
    /** The file of the current request, bound while its tool runs. */
    public static final ScopedValue<InputStream> CURRENT = ScopedValue.newInstance();

    private FileStream() {}
}
