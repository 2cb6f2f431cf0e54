package io.agentworkspace.engine.http;

import io.agentworkspace.engine.credentials.KeyFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;

/** Gives every request a name for logs and answers: the client's own when it is a plain token, else a fresh one. */
final class RequestIds {
    static final String HEADER = "X-Request-Id";

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Fifteen digits: models read digits as a third as many tokens as hexadecimal ones. */
    private static final long LEAST = 100_000_000_000_000L;

    private RequestIds() {}

    static String of(Request request) {
        var given = request.getHeaders().get(HEADER);
        // A key pasted into the wrong header must not end up in the log.
        return given != null && TOKEN.matcher(given).matches() && !KeyFormat.isIn(given) ? given : fresh();
    }

    private static String fresh() {
        return Long.toString(ThreadLocalRandom.current().nextLong(LEAST, 10 * LEAST));
    }
}
