package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.KeyFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;

/** Gives every request an id for logs and responses: the client's own if it is a plain token, else a new one. */
final class RequestIds {
    static final String HEADER = "X-Request-Id";

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Fifteen digits, since models need a third as many tokens for digits as for hexadecimal numbers. */
    private static final long LEAST = 100_000_000_000_000L;

    private RequestIds() {}

    static String of(Request request) {
        var header = request.getHeaders().get(HEADER);
        // A key pasted into the wrong header must not appear in the log.
        return header != null && TOKEN.matcher(header).matches() && !KeyFormat.isIn(header) ? header : fresh();
    }

    private static String fresh() {
        return Long.toString(ThreadLocalRandom.current().nextLong(LEAST, 10 * LEAST));
    }
}
