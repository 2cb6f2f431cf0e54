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

    /** A client that is still sending hears the answer only once it is through; one that waits for 100 is not. */
    private static void discard(Request request, InputStream in) throws IOException {
        if (request.getHeaders().contains(HttpHeader.EXPECT)) {
            return;
        }
        var scratch = new byte[16 * 1024];
        var left = DISCARDED;
        for (var count = 0; count >= 0 && left > 0; left -= count) {
            count = in.read(scratch);
        }
    }
}
