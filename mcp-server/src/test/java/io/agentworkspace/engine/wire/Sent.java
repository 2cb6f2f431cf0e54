package io.agentworkspace.engine.wire;

import io.agentworkspace.engine.model.tool.RequestAttributes;
import java.io.ByteArrayOutputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** A request whose body is kept while it is read. */
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

    /** What is read from now on is only got rid of: the answer does not depend on it. */
    void answering() {
        answering = true;
    }

    /** As far as somebody wanted it; missing where that is no JSON, or more than is taken. */
    JsonNode body() {
        return read.size() > RequestAttributes.MAX_BODY ? MissingNode.getInstance() : Wire.read(read.toByteArray());
    }
}
