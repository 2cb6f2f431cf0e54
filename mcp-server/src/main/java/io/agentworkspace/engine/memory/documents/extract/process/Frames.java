package io.agentworkspace.engine.memory.documents.extract.process;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The frames that the engine and the extraction process exchange: byte strings, each preceded by its length. */
final class Frames {
    /** The maximum length of a frame. A compromised process could claim any length. */
    private static final int LONGEST = 64 << 20;

    private final DataInputStream in;
    private final DataOutputStream out;

    Frames(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = new DataOutputStream(out);
    }

    byte[] read() throws IOException {
        var length = in.readInt();
        if (length < 0 || length > LONGEST) {
            throw new EOFException("a frame of " + length + " bytes");
        }
        return in.readNBytes(length);
    }

    void write(byte[] frame, int length) throws IOException {
        out.writeInt(length);
        out.write(frame, 0, length);
    }

    void write(byte[] frame) throws IOException {
        write(frame, frame.length);
    }

    void flush() throws IOException {
        out.flush();
    }
}
