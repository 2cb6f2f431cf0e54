package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.model.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One request and its response: a JSON object, or a stream of events with one in each. */
final class UpstreamExchange implements Response.Listener, ServerEventParser.Receiver {
    /** The longest response, with all messages before the result. */
    static final int LONGEST = 8 * 1024 * 1024;

    /** The longest message of a stream of announcements, which as a whole has no limit. */
    static final int LONGEST_ANNOUNCEMENT = 256 * 1024;

    /** Up to this size, responses are read without a place. */
    private static final int SMALL = 64 * 1024;

    /** The places for parts of responses that are being read, of {@link #SMALL} each: together a sixteenth of the memory. */
    private static final Semaphore PLACES =
            new Semaphore((int) Math.min(65_536, Runtime.getRuntime().maxMemory() / 16 / SMALL));

    /** From this size, only a few messages are parsed at once: so much takes a tenth of a second, and far more just after a start. */
    private static final int LARGE = 1024 * 1024;

    private static final Semaphore PARSERS =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() - 1), true);

    private static final Duration GRACE = Duration.ofMillis(500);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Predicate<ObjectNode> isLast;
    private final boolean readsNotFound;
    private final boolean announces;
    private final Reception reception;
    private final ServerEventParser events = new ServerEventParser(this);
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private long read;
    private int places;
    private boolean isStream;
    private boolean isOver;
    private @Nullable String unreadable;
    private volatile boolean sent;
    private volatile @Nullable UpstreamFailure failure;
    private volatile @Nullable Throwable broken;

    /**
     * @param isLast receives each message; returns true for the last one that matters
     * @param readsNotFound whether the body of a 404 is a message, too
     * @param announces whether it is a stream of announcements, which each message may only be so long of
     */
    UpstreamExchange(Predicate<ObjectNode> isLast, boolean readsNotFound, boolean announces, Reception reception) {
        this.isLast = isLast;
        this.readsNotFound = readsNotFound;
        this.announces = announces;
        this.reception = reception;
    }

    int status() {
        return reception.status;
    }

    HttpFields headers() {
        return reception.headers;
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
            throw new UpstreamFailure(Kind.UNREACHABLE, VettedClient.words(why, sent || status() != 0, limit));
        }
    }

    @Override
    public void onHeaders(Response response) {
        reception.status = response.getStatus();
        reception.headers = response.getHeaders();
        isStream = type().startsWith("text/event-stream");
        if (!reception.expectsAnswer) {
            end();
        }
    }

    private String type() {
        return String.valueOf(headers().get(HttpHeader.CONTENT_TYPE)).toLowerCase(Locale.ROOT);
    }

    @Override
    public void onContent(Response response, ByteBuffer content) {
        read += content.remaining();
        if (!announces && Math.max(read, reception.add(content.remaining())) > LONGEST) {
            refuse(response, Kind.PROTOCOL, "its answer has more than %d MB".formatted(LONGEST >> 20));
            return;
        }
        if (!isOver && !announces && !hasPlaces()) {
            refuse(response, Kind.BUSY, "the engine is reading too many large answers at the moment");
            return;
        }
        if (!isStream && !isOver) {
            var bytes = new byte[content.remaining()];
            content.get(bytes);
            body.writeBytes(bytes); // All at once: byte by byte, some large answers take seconds of a processor.
        }
        while (content.hasRemaining() && !isOver) {
            events.read(content.get());
            checkAnnouncement(response);
        }
        checkAnnouncement(response);
    }

    private void checkAnnouncement(Response response) {
        if (announces && !isOver && events.waiting() + body.size() > LONGEST_ANNOUNCEMENT) {
            refuse(response, Kind.PROTOCOL, "a message has more than %d KB".formatted(LONGEST_ANNOUNCEMENT >> 10));
        }
    }

    private void refuse(Response response, Kind kind, String words) {
        fail(new UpstreamFailure(kind, words));
        response.abort(new IllegalStateException(words));
    }

    private boolean hasPlaces() {
        while ((places + 1L) * SMALL < read) {
            if (!PLACES.tryAcquire()) {
                return false;
            }
            places++;
        }
        return true;
    }

    @Override
    public void event(String type, byte[] data) {
        if (type.equals("endpoint")) {
            fail(new UpstreamFailure(Kind.TRANSPORT, McpChannel.OLDER_TRANSPORT));
        } else if (type.equals("message") && !isOver && !new String(data, StandardCharsets.US_ASCII).isBlank()) {
            receive(data);
        }
    }

    @Override
    public void id(String id) {
        reception.setLastId(id);
    }

    @Override
    public void retry(long millis) {
        reception.setPause(Duration.ofMillis(millis));
    }

    /** In the revision 2025-03-26, several messages may come as an array. */
    private void receive(byte[] json) {
        JsonNode value;
        try {
            value = json.length < LARGE ? Json.readForeign(json) : parsedInTurn(json);
        } catch (IllegalArgumentException e) {
            unreadable = "its answer " + e.getMessage(); // An answer may follow.
            return;
        }
        try {
            for (var message : value.isArray() ? value : List.of(value)) {
                if (!isOver && message instanceof ObjectNode object && isLast.test(object)) {
                    end();
                }
            }
        } catch (UpstreamFailure refused) {
            fail(refused);
        } catch (RuntimeException e) {
            fail(new UpstreamFailure(Kind.PROTOCOL, "its answer cannot be read"));
        }
    }

    private static JsonNode parsedInTurn(byte[] json) {
        PARSERS.acquireUninterruptibly();
        try {
            return Json.readForeign(json);
        } finally {
            PARSERS.release();
        }
    }

    private void fail(UpstreamFailure reason) {
        if (!isOver) {
            failure = reason;
            end();
        }
    }

    /** What follows is read and dropped. */
    private void end() {
        isOver = true;
        PLACES.release(places);
        places = 0;
        ended.countDown();
    }

    @Override
    public void onComplete(Result result) {
        if (isOver) {
            return;
        }
        if (result.getResponseFailure() != null || result.getRequestFailure() != null && status() == 0) {
            broken = result.getFailure();
        } else if (!isStream && body.size() > 0 && isJson()) {
            receive(body.toByteArray());
        }
        if (!isOver && broken == null && unreadable != null) {
            fail(new UpstreamFailure(Kind.PROTOCOL, unreadable));
        } else if (!isOver && broken == null && isStream && status() == HttpStatus.OK_200) {
            fail(new UpstreamFailure(Kind.UNREACHABLE, "its stream ended before the answer"));
        }
        if (!isOver) {
            end();
        }
    }

    /** The body of a response that refuses the credential is no message, but what OAuth or a proxy says. */
    private boolean isJson() {
        return switch (status()) {
            case HttpStatus.UNAUTHORIZED_401, HttpStatus.FORBIDDEN_403 -> false;
            case HttpStatus.NOT_FOUND_404 -> readsNotFound && type().contains("json");
            default -> type().contains("json");
        };
    }
}
