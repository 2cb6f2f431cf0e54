package io.agentworkspace.engine.upstreams.client;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.webhooks.sender.VettedClient;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One POST and its response: a JSON object, or a stream of events with one in each. */
final class UpstreamExchange implements Response.Listener {
    /** The longest response, with all messages before the result. */
    static final int LONGEST = 8 * 1024 * 1024;

    /** The longest message of a stream of announcements, which as a whole has no limit. */
    static final int LONGEST_ANNOUNCEMENT = 256 * 1024;

    private static final Duration GRACE = Duration.ofMillis(500);
    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Predicate<ObjectNode> isLast;
    private final boolean readsNotFound;
    private final boolean announces;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private long read;
    private boolean isStream;
    private boolean isOver;
    private volatile boolean sent;
    private volatile int status;
    private volatile HttpFields headers = HttpFields.EMPTY;
    private volatile @Nullable UpstreamFailure failure;
    private volatile @Nullable Throwable broken;

    /**
     * @param isLast receives each message; returns true for the last one that matters
     * @param readsNotFound whether the body of a 404 is a message, too
     * @param announces whether it is a stream of announcements, which each message may only be so long of
     */
    UpstreamExchange(Predicate<ObjectNode> isLast, boolean readsNotFound, boolean announces) {
        this.isLast = isLast;
        this.readsNotFound = readsNotFound;
        this.announces = announces;
    }

    int status() {
        return status;
    }

    HttpFields headers() {
        return headers;
    }

    /** @throws UpstreamFailure if there is no response, or an invalid one */
    void run(Request request, Duration limit) throws InterruptedException {
        request.timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .idleTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .onRequestHeaders(head -> sent = "http".equals(head.getScheme()))
                .onRequestCommit(_ -> sent = true)
                .send(this);
        try {
            if (!ended.await(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)) {
                request.abort(new TimeoutException());
                throw new UpstreamFailure(Kind.UNREACHABLE, "no answer within %d s".formatted(limit.toSeconds()));
            }
        } catch (InterruptedException e) {
            request.abort(e);
            throw e;
        }
        if (failure != null) {
            throw failure;
        }
        var why = broken;
        if (why != null) {
            throw new UpstreamFailure(Kind.UNREACHABLE, VettedClient.words(why, sent || status != 0, limit));
        }
    }

    @Override
    public void onHeaders(Response response) {
        status = response.getStatus();
        headers = response.getHeaders();
        var type = String.valueOf(headers.get(HttpHeader.CONTENT_TYPE)).toLowerCase(Locale.ROOT);
        isStream = type.startsWith("text/event-stream");
    }

    @Override
    public void onContent(Response response, ByteBuffer content) {
        read += content.remaining();
        if (read > LONGEST && !announces) {
            fail(new UpstreamFailure(Kind.PROTOCOL, "its answer has more than %d MB".formatted(LONGEST >> 20)));
            response.abort(new IllegalStateException("too long"));
            return;
        }
        while (content.hasRemaining() && !isOver) {
            var next = content.get();
            if (!isStream || next != '\n') {
                line.write(next);
                if (announces && line.size() + data.size() > LONGEST_ANNOUNCEMENT) {
                    fail(new UpstreamFailure(
                            Kind.PROTOCOL, "a message has more than %d KB".formatted(LONGEST_ANNOUNCEMENT >> 10)));
                    response.abort(new IllegalStateException("too long"));
                }
            } else {
                endLine();
            }
        }
    }

    private void endLine() {
        var bytes = line.toByteArray();
        line.reset();
        var length = bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? bytes.length - 1 : bytes.length;
        if (length == 0) {
            if (data.size() > 0) {
                receive(data.toByteArray());
                data.reset();
            }
        } else if (length >= DATA.length && Arrays.equals(bytes, 0, DATA.length, DATA, 0, DATA.length)) {
            data.write(bytes, DATA.length, length - DATA.length);
            data.write('\n');
        }
    }

    private void receive(byte[] message) {
        try {
            isOver = isLast.test(Json.readValue(new String(message, StandardCharsets.UTF_8), ObjectNode.class));
        } catch (UpstreamFailure refused) {
            fail(refused);
        } catch (RuntimeException unreadable) {
            fail(new UpstreamFailure(Kind.PROTOCOL, "its answer is not valid JSON"));
        }
        if (isOver) {
            ended.countDown(); // What follows is read and dropped.
        }
    }

    private void fail(UpstreamFailure reason) {
        failure = reason;
        isOver = true;
        ended.countDown();
    }

    @Override
    public void onComplete(Result result) {
        if (isOver) {
            return;
        }
        if (result.getResponseFailure() != null || result.getRequestFailure() != null && status == 0) {
            broken = result.getFailure();
        } else if (!isStream && line.size() > 0 && isJson()) {
            receive(line.toByteArray());
        } else if (isStream) {
            endLine();
            endLine();
            if (!isOver && status == HttpStatus.OK_200) {
                fail(new UpstreamFailure(Kind.UNREACHABLE, "its stream ended before the answer"));
            }
        }
        ended.countDown();
    }

    private boolean isJson() {
        return (readsNotFound || status != HttpStatus.NOT_FOUND_404)
                && String.valueOf(headers.get(HttpHeader.CONTENT_TYPE))
                        .toLowerCase(Locale.ROOT)
                        .contains("json");
    }
}
