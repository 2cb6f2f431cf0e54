package io.agentworkspace.engine.webhooks.sender;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/** One request and what comes back: the head of the answer counts, its body is thrown away, and cut off where it is long. */
final class DeliveryExchange implements Response.Listener {
    private static final int LONGEST_BODY = 4 * 1024;

    private static final Duration GRACE = Duration.ofMillis(500);

    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean sent;
    private volatile int status;
    private volatile @Nullable String retryAfter;
    private volatile @Nullable Throwable failure;
    private int read;

    /** The head of an answer. */
    record Answer(int status, @Nullable String retryAfter) {}

    /** @param limit for all of it, from now */
    Answer run(Request request, Duration limit, long seconds) throws SendFailure, InterruptedException {
        request.timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                // That the request was written can be told after the answer; without TLS it is known before.
                .onRequestHeaders(begun -> sent = "http".equals(begun.getScheme()))
                .onRequestCommit(_ -> sent = true)
                .send(this);
        try {
            // Jetty ends it at the limit by itself, except where it loses sight of it.
            if (!ended.await(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)) {
                failure = new TimeoutException();
                request.abort(failure);
            }
        } catch (InterruptedException e) {
            request.abort(e);
            throw e;
        }
        if (status != 0) {
            return new Answer(status, retryAfter);
        }
        var why = failure;
        throw SendFailure.of(why == null ? new IOException("no answer") : why, sent, seconds);
    }

    @Override
    public void onHeaders(Response response) {
        if (response.getStatus() < HttpStatus.OK_200) { // Not one of those that may precede the answer.
            response.abort(new HttpResponseException("no answer", response));
            return;
        }
        retryAfter = response.getHeaders().get(HttpHeader.RETRY_AFTER);
        status = response.getStatus();
    }

    @Override
    public void onContent(Response response, ByteBuffer content) {
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
