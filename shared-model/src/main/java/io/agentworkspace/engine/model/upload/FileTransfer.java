package io.agentworkspace.engine.model.upload;

import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.io.OutputStream;

/** Files on their way in and out, a piece at a time. Whoever uses it has checked the caller's access. */
public interface FileTransfer {
    /** @throws Problem if the database cannot be reached */
    Intake begin(Caller caller);

    /** Writes the file of a document; no connection is held while a client reads. */
    void copy(Caller caller, String document, OutputStream to);

    /** A file that is arriving. */
    interface Intake {
        /** @throws Problem {@code too_large} as soon as the file is over its limit */
        void write(byte[] bytes, int length);

        Upload finish();

        /** Removes what has arrived, if nobody took it. */
        void abandon();
    }
}
