package io.agentworkspace.engine.integrations.webhooks.sender;

import io.agentworkspace.engine.kernel.outbound.OutboundFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/** One request and its response. Only the head of the response counts; of the body the beginning is kept, and a long one is cut off. */
final class DeliveryExchange implements Response.Listener {
    private static final int LONGEST_BODY = 4 * 1024;
    private static final int KEPT = 500;

    /** What neither PostgreSQL's JSON nor a page can show. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}&&[^\n\t]]");

    private static final Duration GRACE = Duration.ofMillis(500);

    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean sent;
    private volatile int status;
    private volatile @Nullable String retryAfter;
    private volatile @Nullable Throwable failure;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private int read;

    /**
     * The head of a response.
     *
     * @param body the beginning of its body, as text without control characters
     */
    record ReceiverResponse(int status, @Nullable String retryAfter, String body) {}

    /** @param limit for the whole exchange, from now */
    ReceiverResponse run(Request request, Duration limit, long seconds) throws OutboundFailure, InterruptedException {
        request.timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                // With TLS, the end of the request may be reported after the response;
                // without TLS, the headers suffice.
                .onRequestHeaders(head -> sent = "http".equals(head.getScheme()))
                .onRequestCommit(_ -> sent = true)
                .send(this);
        try {
            // Jetty ends the request at the limit, except for rare cases in which it loses track of it.
            if (!ended.await(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)) {
                failure = new TimeoutException();
                request.abort(failure);
            }
        } catch (InterruptedException e) {
            request.abort(e);
            throw e;
        }
        if (status != 0) {
            return new ReceiverResponse(status, retryAfter, excerpt());
        }
        var why = failure;
        throw OutboundFailure.of(why == null ? new IOException("no answer") : why, sent, seconds);
    }

    private String excerpt() {
        return CONTROL.matcher(kept.toString(StandardCharsets.UTF_8))
                .replaceAll(" ")
                .strip();
    }

    @Override
    public void onHeaders(Response response) {
        if (response.getStatus() < HttpStatus.OK_200) { // Not an interim response.
            response.abort(new HttpResponseException("no answer", response));
            return;
        }
        retryAfter = response.getHeaders().get(HttpHeader.RETRY_AFTER);
        status = response.getStatus();
    }

    @Override
    public void onContent(Response response, ByteBuffer content) {
        var length = Math.min(content.remaining(), KEPT - kept.size());
        if (length > 0) {
            var bytes = new byte[length];
            content.slice().get(bytes);
            kept.writeBytes(bytes);
        }
        read += content.remaining();
        if (read > LONGEST_BODY) {
            response.abort(new IOException("long body"));
        }
    }

    @Override
    public void onComplete(Result result) {
        failure = result.getFailure();
        ended.countDown();
    }
}
