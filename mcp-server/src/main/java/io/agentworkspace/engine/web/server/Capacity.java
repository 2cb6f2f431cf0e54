package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.http.FairShare;
import io.agentworkspace.engine.kernel.scheduling.FairQueue;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.web.connections.EngineConnection;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Limits the memory of requests by the size of the heap: their number, their bodies, and the responses being created or
 * not yet sent. Requests beyond the limit are refused before they take memory (docs/limits.md, "Memory"). A request waits for
 * the memory for its response; that is where calls wait if more come than the engine can serve.
 */
final class Capacity {
    private static final int KIB = 1 << 10;
    private static final Pattern WAIT = Pattern.compile("(?i)wait *= *(\\d{1,9})");
    private static final Duration ANONYMOUS_ID_TIME = Duration.ofSeconds(2);

    /** The memory of a request besides its body and its response. */
    private static final int REQUEST = 128 * KIB;

    /** Headers count twice: all requests with many of them together use half of the heap at most. */
    private static final int HEADERS = 2;

    /** The maximum memory for creating a response: rows, tree and text of 1 MiB of JSON. */
    private static final int ANSWER = 8 * KIB;

    /** The maximum memory of one value or name of a tree. */
    private static final long VALUE = 80;

    /** How much of a body is searched for the id of a refused message. */
    private static final int ID_WITHIN = 16 * KIB;

    private final FairShare requests;
    private final FairShare bodies;
    private final FairQueue answers;
    private final FairShare waiting;
    private final Duration bodyTime;
    private final Duration turnTime;

    /** @param heap the maximum size of the heap, in bytes */
    static Capacity of(long heap) {
        return new Capacity(heap, Duration.ofSeconds(30), Duration.ofSeconds(10), System::nanoTime);
    }

    /**
     * @param bodyTime how long a body may take to arrive
     * @param turnTime how long a request waits for the memory for its response while no call is served
     * @param nanos the clock by which requests wait
     */
    Capacity(long heap, Duration bodyTime, Duration turnTime, LongSupplier nanos) {
        this.requests = new FairShare("many places", heap / REQUEST);
        this.bodies = new FairShare("much memory for bodies", heap / 4 / KIB);
        this.answers = new FairQueue(Math.clamp(heap / 3 / KIB, 3, Integer.MAX_VALUE), ANSWER, nanos);
        this.waiting = new FairShare("much memory for waiting calls", heap / 8 / KIB);
        this.bodyTime = bodyTime;
        this.turnTime = turnTime;
    }

    /** Returns how many requests wait for the memory for their response. */
    int waiting() {
        return answers.waiting();
    }

    /** Returns how much of each resource is free. */
    int free() {
        return requests.free() + bodies.free() + answers.free() + waiting.free();
    }

    /**
     * Returns the memory for a body in KiB: its bytes, their copies and text, and the tree built from them. For short
     * bodies the tree can be 43 times as large.
     */
    private static long weight(long bytes) {
        return Math.ceilDiv(8 * bytes + 36 * Math.min(bytes, 64 * KIB), KIB);
    }

    /** Returns the memory of the tree of a JSON body, in bytes: its texts, and its values and names. */
    private static long tree(byte[] json) {
        var texts = 0L;
        var values = 1L;
        var isText = false;
        for (var i = 0; i < json.length; i++) {
            switch (json[i]) {
                case '"' -> isText = !isText;
                case '\\' -> {
                    i++;
                    texts += 2;
                }
                case ',', ':', '[', '{' -> values++;
                case ' ', '\t', '\r', '\n' -> texts += isText ? 1 : 0;
                default -> texts++;
            }
        }
        return 2 * texts + VALUE * values;
    }

    private static Owner asker(Request request) {
        return RequestContext.of(request::getAttribute).caller() instanceof Caller caller
                ? new Owner(caller.tenant(), caller.principal())
                : Owner.stranger(FairShare.network(Request.getRemoteAddr(request)));
    }

    /**
     * Takes a slot for the request, until it is closed and the response is sent.
     *
     * @throws Problem {@code rate_limited} or {@code unavailable}
     */
    RequestShare enter(Request request) {
        return new RequestShare(request, requests.take(asker(request), places(request)));
    }

    /** Returns the slots that a request needs: more than one if it has many headers. */
    private static long places(Request request) {
        return Math.max(1, Math.ceilDiv(HEADERS * headers(request), REQUEST));
    }

    /** Returns how long the client waits for its response: it may say so (RFC 7240, section 4.3). */
    private static Duration longest(Request request) {
        return request.getHeaders().getCSV("Prefer", false).stream()
                .map(WAIT::matcher)
                .filter(Matcher::matches)
                .map(wait -> Duration.ofSeconds(Long.parseLong(wait.group(1))))
                .reduce(FairQueue.LONGEST, (one, other) -> one.compareTo(other) < 0 ? one : other);
    }

    private static long headers(Request request) {
        return EngineConnection.of(request).map(EngineConnection::headerMemory).orElse(0L);
    }

    /**
     * Finds the id of a JSON-RPC request that is refused unread, if the id comes early and there is memory for it. A
     * body that has not begun to arrive soon is not waited for: the client may have no credential.
     */
    void readId(Request request) {
        if (!request.getMethod().equals("POST")) {
            return;
        }
        var length = request.getLength() < 0 ? ID_WITHIN : Math.min(request.getLength(), ID_WITHIN);
        try (var _ = bodies.take(asker(request), weight(length))) {
            var begin = BodyReader.receive(request, ID_WITHIN, idTime(request), _ -> {});
            noteId(request, begin.bytes());
        } catch (Problem unread) {
            // The refusal then has no id.
        }
    }

    /** Finds the id of a JSON-RPC request that was read and is refused before it reaches its endpoint. */
    static void noteId(Request request) {
        if (request instanceof BodyReader.Received read) {
            noteId(request, Arrays.copyOf(read.bytes(), Math.min(read.bytes().length, ID_WITHIN)));
        }
    }

    private Duration idTime(Request request) {
        return RequestContext.of(request::getAttribute).caller() == null ? ANONYMOUS_ID_TIME : bodyTime;
    }

    private static void noteId(Request request, byte[] body) {
        var isJsonRpc = Json.scalar(body, "jsonrpc").isPresent();
        if (isJsonRpc) {
            RequestContext.of(request::getAttribute).foundJsonRpc();
        } else if (!Endpoints.isMcp(Request.getPathInContext(request))) {
            return;
        }
        Json.scalar(body, "id")
                .filter(id -> id.isString() || id.isIntegralNumber())
                .ifPresent(id -> RequestContext.of(request::getAttribute).answers(id));
    }

    /** A way to get a slot of the queue. */
    @FunctionalInterface
    private interface SlotRequest {
        FairQueue.SlotResult await(Owner owner, Duration patience) throws InterruptedException;
    }

    /** The memory for the response of one request, in KiB. */
    private final class AnswerMemory implements AutoCloseable {
        private final Owner owner;
        private int amount;
        private boolean closed;

        AnswerMemory(Owner owner) {
            this.owner = owner;
        }

        /** @throws Problem {@code rate_limited} or {@code unavailable} */
        synchronized void take(SlotRequest request) {
            if (closed || amount > 0) {
                return;
            }
            try {
                switch (request.await(owner, turnTime)) {
                    case TAKEN -> amount = answers.slot();
                    case OWN_FAULT ->
                        throw Problem.rateLimited(
                                "your key has as many calls at once as it may, and this one would wait too long, so it did not run; read the responses of the others, and send it again after the time in Retry-After",
                                answers.pause(owner));
                    case BUSY ->
                        throw Problem.unavailable(
                                "more calls wait than the engine can serve in time, so this one did not run; send it again after the time in Retry-After",
                                answers.pause(owner));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Problem.unavailable();
            }
        }

        synchronized void shrink(long target) {
            var less = amount - (int) Math.min(target, amount);
            if (less > 0) {
                amount -= less;
                answers.giveBack(owner, less, true);
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            shrink(0);
        }
    }

    /** The resources that one request holds. */
    final class RequestShare implements AutoCloseable {
        private final Request request;
        private final FairShare.Reservation place;
        private BodyReader.@Nullable Received received;
        private FairShare.@Nullable Reservation body;
        private @Nullable AnswerMemory answer;
        private FairShare.@Nullable Reservation wait;
        private boolean answering;

        private RequestShare(Request request, FairShare.Reservation place) {
            this.request = request;
            this.place = place;
        }

        /**
         * Reads the body, and waits until there is memory for the response.
         *
         * @return the request with its body read
         * @throws Problem {@code rate_limited} or {@code unavailable}, at once if that would take too long, or
         *     {@code bad_request} for a body that does not arrive
         */
        Request received() {
            var asker = asker(request);
            var whole = request;
            // A larger body is refused unread, behind the gate.
            if (request.getLength() <= RequestContext.MAX_BODY) {
                var room = bodies.take(asker, weight(Math.max(0, request.getLength())));
                body = room;
                received = BodyReader.receive(
                        request, RequestContext.MAX_BODY, bodyTime, length -> room.grow(weight(length)));
                whole = received;
            }
            try {
                var room = new AnswerMemory(asker);
                room.take((owner, patience) -> answers.take(owner, patience, longest(request)));
                answer = room;
                Request.addCompletionListener(request, _ -> room.close());
                RequestContext.of(request::getAttribute).pauseWith(() -> pause(room));
            } catch (Problem refused) {
                noteId(whole);
                throw refused;
            }
            return whole;
        }

        /**
         * Releases the memory for the response while the call waits for a message, or for a client to answer a question,
         * which may take minutes. No response is created in the meantime. What the call keeps is counted with that of other
         * waiting calls from now on, so that together they leave memory for requests that do not wait.
         *
         * @throws Problem {@code rate_limited} or {@code unavailable} if waiting calls keep too much
         */
        private Runnable pause(AnswerMemory room) {
            if (wait == null && received != null && body != null) {
                var kept = tree(received.bytes()) + headers(request);
                wait = waiting.take(asker(request), Math.ceilDiv(kept, KIB));
                received.forget();
                body.close();
            }
            room.shrink(0);
            return () -> room.take(answers::takeAgain);
        }

        /** Records that the response is complete, with this many bytes to send. */
        void answers(long bytes) {
            answering = true;
            if (answer != null) {
                answer.shrink(Math.ceilDiv(bytes, KIB));
            }
        }

        /**
         * Releases what the request holds after it has run. Its response may still be in transit; a stream's messages
         * have their own limits.
         */
        @Override
        public void close() {
            place.close();
            if (received != null) {
                received.forget();
            }
            if (body != null) {
                body.close();
            }
            if (wait != null) {
                wait.close();
            }
            if (answer != null && !answering) {
                answer.close();
            }
        }
    }
}
