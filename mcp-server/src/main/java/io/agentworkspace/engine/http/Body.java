package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/** The bytes of a request, never more than {@link Incoming#MAX_BODY} of them, whether their number was announced or not. */
public final class Body {
    private static final int DISCARDED = 8 * Incoming.MAX_BODY;

    private Body() {}

    /** @throws Problem {@code too_large}, or {@code bad_request} when the body breaks off */
    public static byte[] read(Request request) {
        try (var in = Content.Source.asInputStream(request)) {
            var announced = request.getLength() > Incoming.MAX_BODY;
            var bytes = announced ? new byte[0] : in.readNBytes(Incoming.MAX_BODY + 1);
            if (announced || bytes.length > Incoming.MAX_BODY) {
                discard(request, in);
                throw new Problem(
                        Failure.TOO_LARGE,
                        "the body is too large: at most %,d bytes are allowed".formatted(Incoming.MAX_BODY));
            }
            return bytes;
        } catch (IOException e) {
            throw new Problem(Failure.BAD_REQUEST, "the body could not be read to its end; send the request again");
        }
    }

    /**
     * Takes in what a client is still sending although its answer is ready: an answer to a half-sent request can be
     * lost, and so can the next request on the connection.
     *
     * @return whether it is through, so that the connection can go on being used
     */
    static boolean finish(Request request) {
        // Not Request.consumeAvailable: that gives up the connection when the rest is not there yet.
        try (var in = Content.Source.asInputStream(request)) {
            return discard(request, in);
        } catch (IOException e) {
            return false;
        }
    }

    /** A client that is still sending hears the answer only once it is through; one that waits for 100 is not. */
    private static boolean discard(Request request, InputStream in) throws IOException {
        if (request.getHeaders().contains(HttpHeader.EXPECT)) {
            return false;
        }
        var scratch = new byte[16 * 1024];
        for (var left = DISCARDED; left > 0; ) {
            var count = in.read(scratch);
            if (count < 0) {
                return true;
            }
            left -= count;
        }
        return false;
    }
}
