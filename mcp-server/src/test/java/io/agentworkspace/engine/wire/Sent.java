package io.agentworkspace.engine.wire;

import io.agentworkspace.engine.model.tool.RequestAttributes;
import java.io.ByteArrayOutputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** A request whose body is recorded while it is read. */
final class Sent extends Request.Wrapper {
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private boolean answering;

    Sent(Request request) {
        super(request);
    }

    @Override
    public Content.Chunk read() {
        var chunk = super.read();
        if (chunk != null && chunk.hasRemaining() && !answering) {
            var bytes = new byte[chunk.remaining()];
            chunk.getByteBuffer().duplicate().get(bytes);
            read.writeBytes(bytes);
        }
        if (chunk != null && chunk.isLast() && !answering) {
            Wire.cancelled(this, body());
        }
        return chunk;
    }

    /** Ends the recording: the response does not depend on what is read from now on. */
    void answering() {
        answering = true;
    }

    /** Returns the body as far as it was read; missing if it is not JSON, or too long. */
    JsonNode body() {
        return read.size() > RequestAttributes.MAX_BODY ? MissingNode.getInstance() : Wire.read(read.toByteArray());
    }
}
