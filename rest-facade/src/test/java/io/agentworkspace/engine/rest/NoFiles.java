package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.upload.FileTransfer;
import java.io.OutputStream;

/** A file transfer for routes without files. */
final class NoFiles implements FileTransfer {
    @Override
    public Intake begin(Caller caller) {
        throw new AssertionError("no test of this module transfers files");
    }

    @Override
    public void copy(Caller caller, String document, OutputStream to) {
        throw new AssertionError("no test of this module transfers files");
    }
}
