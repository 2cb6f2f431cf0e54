package io.agentworkspace.engine.model.upload;

import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.io.OutputStream;

/**
 * Transfers files in and out, a piece at a time. Callers of this interface have checked the requesting user's access.
 */
public interface FileTransfer {
    /** @throws Problem if the database cannot be reached */
    Intake begin(Caller caller);

    /** Writes the file of a document. No connection is held while a client reads. */
    void copy(Caller caller, String document, OutputStream to);

    /** A file that is arriving. */
    interface Intake {
        /** @throws Problem {@code too_large} as soon as the file exceeds its limit */
        void write(byte[] bytes, int length);

        Upload finish();

        /** Removes what has arrived, unless a tool took it. */
        void abandon();
    }
}
