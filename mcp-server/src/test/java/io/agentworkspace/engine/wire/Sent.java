package io.agentworkspace.engine.wire;

import java.io.ByteArrayOutputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.JsonNode;

/** A request whose body is kept while it is read. */
final class Sent extends Request.Wrapper {
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();

    Sent(Request request) {
        super(request);
    }

    @Override
    public Content.Chunk read() {
        var chunk = super.read();
        if (chunk != null && chunk.hasRemaining()) {
            var bytes = new byte[chunk.remaining()];
            chunk.getByteBuffer().duplicate().get(bytes);
            read.writeBytes(bytes);
        }
        return chunk;
    }

    /** As far as it was read; missing where that is no JSON. */
    JsonNode body() {
        return Wire.read(read.toByteArray());
    }
}
