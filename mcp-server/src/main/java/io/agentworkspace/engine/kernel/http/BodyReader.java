package io.agentworkspace.engine.kernel.http;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Reads the bytes of a request, at most {@link RequestContext#MAX_BODY}, with or without a declared length. */
public final class BodyReader {
    private static final int DISCARDED = 8 * RequestContext.MAX_BODY;
    private static final Duration DISCARDED_WITHIN = Duration.ofSeconds(5);
    private static final int FIRST = 8 * 1024;

    private BodyReader() {}

    /** @throws Problem {@code too_large}, or {@code bad_request} if the body is incomplete */
    public static byte[] read(Request request) {
        if (request instanceof Received received
                && received.isWhole
                && received.bytes.length <= RequestContext.MAX_BODY) {
            return received.take(); // As a stream, it would be copied through a buffer of 16 KiB.
        }
        try (var in = Content.Source.asInputStream(request)) {
            var announced = request.getLength() > RequestContext.MAX_BODY;
            var bytes = announced ? new byte[0] : in.readNBytes(RequestContext.MAX_BODY + 1);
            if (announced || bytes.length > RequestContext.MAX_BODY) {
                discard(request);
                throw new Problem(
                        Failure.TOO_LARGE,
                        "the body is too large: at most %,d bytes are allowed".formatted(RequestContext.MAX_BODY));
            }
            return bytes;
        } catch (IOException e) {
            throw brokenOff();
        }
    }

    private static Problem brokenOff() {
        return new Problem(Failure.BAD_REQUEST, "the body could not be read to its end; send the request again");
    }

    /**
     * Reads the body, up to slightly more than the limit. The rest is left to be read.
     *
     * @param room receives the number of bytes about to be stored, and may refuse
     * @throws Problem {@code bad_request} if it is incomplete or does not arrive in time
     */
    public static Received receive(Request request, int most, Duration time, LongConsumer room) {
        var deadline = System.nanoTime() + time.toNanos();
        var bytes = new byte[Math.clamp(request.getLength(), 0, most)];
        var length = 0;
        while (true) {
            var chunk = next(request, deadline);
            if (chunk == null) {
                throw new Problem(
                        Failure.BAD_REQUEST,
                        "the body did not arrive within %d s; send it faster, or less of it"
                                .formatted(time.toSeconds()));
            } else if (Content.Chunk.isFailure(chunk)) {
                throw brokenOff();
            }
            try {
                var part = chunk.getByteBuffer();
                var size = length + part.remaining();
                if (size > bytes.length) {
                    var larger = Math.max(size, Math.clamp(2L * bytes.length, FIRST, most));
                    room.accept(larger);
                    bytes = Arrays.copyOf(bytes, larger);
                }
                part.get(bytes, length, part.remaining());
                length = size;
                if (chunk.isLast() || length > most) {
                    return new Received(request, Arrays.copyOf(bytes, length), chunk.isLast());
                }
            } finally {
                chunk.release();
            }
        }
    }

    /** Returns the bytes read so far of a request that passed the gate; empty for other requests. */
    public static byte[] taken(Request request) {
        return request instanceof Received received ? received.bytes : new byte[0];
    }

    /** Returns the next chunk from the client; null if it has not arrived by then. */
    private static Content.@Nullable Chunk next(Request request, long deadline) {
        while (true) {
            var chunk = request.read();
            if (chunk != null) {
                return chunk;
            }
            var came = new CountDownLatch(1);
            request.demand(came::countDown);
            try {
                if (!came.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    RequestContext.of(request::getAttribute).giveUpBody();
                    return null;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                RequestContext.of(request::getAttribute).giveUpBody();
                return null;
            }
        }
    }

    /** A request with the beginning of its body, usually all of it, already read. */
    public static final class Received extends Request.Wrapper {
        private final boolean isWhole;
        private byte[] bytes;
        private boolean isGiven;

        private Received(Request request, byte[] bytes, boolean isWhole) {
            super(request);
            this.bytes = bytes;
            this.isWhole = isWhole;
        }

        public byte[] bytes() {
            return bytes;
        }

        private byte[] take() {
            isGiven = true;
            return bytes;
        }

        /** Releases the bytes, since a stream keeps its request for hours. */
        public void forget() {
            isGiven = true;
            bytes = new byte[0];
        }

        @Override
        public Content.@Nullable Chunk read() {
            if (!isGiven) {
                isGiven = true;
                return Content.Chunk.from(ByteBuffer.wrap(bytes), isWhole);
            }
            return isWhole ? Content.Chunk.EOF : super.read();
        }

        @Override
        public void demand(Runnable available) {
            if (isGiven && !isWhole) {
                super.demand(available);
            } else {
                available.run();
            }
        }
    }

    /**
     * Reads what a client is still sending although its response is ready. Otherwise the response to a half-sent
     * request can be lost, and so can the next request on the connection.
     *
     * @return whether the body is complete, so that the connection can be reused
     */
    public static boolean finish(Request request) {
        // Not Request.consumeAvailable, which gives up the connection if the rest has not arrived yet.
        return discard(request);
    }

    /**
     * Reads and drops the rest of the body. A client that is still sending reads the response only when it has
     * finished; one that waits for 100 is not sending.
     */
    private static boolean discard(Request request) {
        if (request.getHeaders().contains(HttpHeader.EXPECT)
                || RequestContext.of(request::getAttribute).isBodyGivenUp()) {
            return false;
        }
        var deadline = System.nanoTime() + DISCARDED_WITHIN.toNanos();
        for (var left = DISCARDED; left > 0; ) {
            var chunk = next(request, deadline);
            if (chunk == null || Content.Chunk.isFailure(chunk)) {
                return false;
            }
            left -= chunk.remaining();
            chunk.release();
            if (chunk.isLast()) {
                return true;
            }
        }
        return false;
    }
}
