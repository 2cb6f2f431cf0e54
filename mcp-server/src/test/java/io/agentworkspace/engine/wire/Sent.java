package io.agentworkspace.engine.wire;

import io.agentworkspace.engine.model.tool.RequestContext;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** A request whose body is recorded while it is read. */
final class Sent extends Request.Wrapper {
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private boolean answering;
    private Consumer<ByteBuffer[]> streamed = _ -> {};

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

    /** Passes on what is written to the connection itself: a stream takes it over. */
    void streamedTo(Consumer<ByteBuffer[]> listener) {
        streamed = listener;
    }

    @Override
    public ConnectionMetaData getConnectionMetaData() {
        return new ConnectionMetaData.Wrapper(super.getConnectionMetaData()) {
            @Override
            public Connection getConnection() {
                var connection = super.getConnection();
                var endPoint = watched(EndPoint.class, connection.getEndPoint(), (method, arguments) -> {
                    if (method.equals("write")) {
                        streamed.accept((ByteBuffer[]) arguments[1]);
                    }
                    return Optional.empty();
                });
                return watched(
                        Connection.class,
                        connection,
                        (method, _) -> method.equals("getEndPoint") ? Optional.of(endPoint) : Optional.empty());
            }
        };
    }

    private static <T> T watched(Class<T> type, T target, BiFunction<String, Object[], Optional<Object>> watch) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    var own = watch.apply(method.getName(), arguments);
                    return own.isPresent() ? own.get() : method.invoke(target, arguments);
                }));
    }

    /** Ends the recording: the response does not depend on what is read from now on. */
    void answering() {
        answering = true;
    }

    /** Returns the body as far as it was read; missing if it is not JSON, or too long. */
    JsonNode body() {
        return read.size() > RequestContext.MAX_BODY ? MissingNode.getInstance() : Wire.read(read.toByteArray());
    }
}
