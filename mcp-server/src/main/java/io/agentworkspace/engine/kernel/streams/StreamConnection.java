package io.agentworkspace.engine.kernel.streams;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a stream after its request; with Jetty's own, {@code LargestRequestsTest.streamsKeepNothingOfTheirRequests}
 * fills the heap. Jetty keeps a request, with all its headers, until the response has
 * ended. So the request ends as soon as the response's headers are sent, and this takes over its connection, which only
 * writes the rest of the response and then closes.
 */
final class StreamConnection extends AbstractConnection implements Connection.UpgradeTo, EventStream.Line {
    private static final ByteBuffer END_OF_LINE = ascii("\r\n");
    private static final ByteBuffer LAST_CHUNK = ascii("0\r\n\r\n");

    private final boolean isChunked;
    private final AtomicReference<@Nullable Runnable> beginning = new AtomicReference<>();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();

    private StreamConnection(Request request) {
        super(
                request.getConnectionMetaData().getConnection().getEndPoint(),
                request.getConnectionMetaData().getConnector().getExecutor());
        isChunked = request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_1_0;
    }

    /** The first write ends the request. Its bytes follow the headers when the request's handler has returned. */
    static StreamConnection after(Request request, Response response, Callback callback) {
        var connection = new StreamConnection(request);
        connection.beginning.set(() -> connection.begin(request, response, callback));
        return connection;
    }

    /** Sends the response's headers, and ends the request. */
    private void begin(Request request, Response response, Callback callback) {
        response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        if (isChunked) {
            response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
        }
        request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, this);
        request.addHttpStreamWrapper(Unended::new);
        Request.addCompletionListener(request, this::requestEnded);
        response.write(false, BufferUtil.EMPTY_BUFFER, callback);
    }

    /** Keeps Jetty from ending the response with its request. */
    private static final class Unended extends HttpStream.Wrapper {
        Unended(HttpStream stream) {
            super(stream);
        }

        @Override
        public void send(
                MetaData.Request request,
                MetaData.Response response,
                boolean last,
                ByteBuffer content,
                Callback callback) {
            if (last) {
                callback.succeeded();
            } else {
                super.send(request, response, false, content, callback);
            }
        }
    }

    private void requestEnded(@Nullable Throwable failure) {
        if (failure != null) {
            opened.completeExceptionally(failure);
        }
    }

    @Override
    public void onUpgradeTo(ByteBuffer received) {
        // Whatever the client sent after its request is not read: the connection serves no other.
    }

    @Override
    public void onOpen() {
        super.onOpen();
        opened.complete(null);
    }

    @Override
    public void onFillable() {
        // Nothing is read.
    }

    /** The connection is written to regularly, and each write has its own time limit. */
    @Override
    public boolean onIdleExpired(TimeoutException timeout) {
        return false;
    }

    @Override
    public void write(byte[] bytes, Callback callback) {
        var content = ByteBuffer.wrap(bytes);
        send(
                callback,
                isChunked ? new ByteBuffer[] {head(bytes), content, END_OF_LINE.slice()} : new ByteBuffer[] {content});
    }

    @Override
    public void end(byte[] bytes, Callback callback) {
        var content = ByteBuffer.wrap(bytes);
        if (!isChunked) {
            send(callback, content);
        } else if (bytes.length == 0) {
            send(callback, LAST_CHUNK.slice());
        } else {
            send(callback, head(bytes), content, END_OF_LINE.slice(), LAST_CHUNK.slice());
        }
    }

    private void send(Callback callback, ByteBuffer... buffers) {
        var begin = beginning.getAndSet(null);
        if (begin != null) {
            begin.run();
        }
        opened.whenComplete((_, failure) -> {
            if (failure == null) {
                getEndPoint().write(callback, buffers);
            } else {
                callback.failed(failure);
            }
        });
    }

    private static ByteBuffer head(byte[] bytes) {
        return ascii(Integer.toHexString(bytes.length) + "\r\n");
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void ended() {
        close();
    }

    @Override
    public void cut(Throwable why) {
        close();
    }
}
