package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.time.Duration;
import java.util.Arrays;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * How much memory requests may take, by the size of the heap: their number, their bodies, and the answers that are being made
 * or are not yet sent. What exceeds it is refused before memory is taken (docs/operations.md, "Memory").
 */
public final class Capacity {
    private static final int KIB = 1 << 10;
    private static final Duration AT_ONCE = Duration.ZERO;

    /** What a request takes on its way besides its body and its answer. */
    private static final int REQUEST = 128 * KIB;

    /** What making an answer takes at most: rows, tree and text of 1 MiB of JSON. */
    private static final int ANSWER = 8 * KIB;

    /** As much of a body as is searched for the id of a message that is refused. */
    private static final int ID_WITHIN = 16 * KIB;

    private final FairShare requests;
    private final FairShare bodies;
    private final FairShare answers;
    private final Duration bodyTime;
    private final Duration turnTime;

    /** @param heap the most that the heap may grow to, in bytes */
    public static Capacity of(long heap) {
        return new Capacity(heap, Duration.ofSeconds(30), Duration.ofSeconds(10));
    }

    /**
     * @param bodyTime how long a body may take to arrive
     * @param turnTime how long a request waits until there is room for its answer
     */
    Capacity(long heap, Duration bodyTime, Duration turnTime) {
        this.requests = new FairShare("many places", heap / REQUEST);
        this.bodies = new FairShare("much memory for bodies", heap / 4 / KIB);
        this.answers = new FairShare("much memory for answers", heap / 3 / KIB);
        this.bodyTime = bodyTime;
        this.turnTime = turnTime;
    }

    /** How much of everything nobody has taken. */
    int free() {
        return requests.free() + bodies.free() + answers.free();
    }

    /** In KiB: the bytes, their copies and text, and the tree that is made of them, which of short bodies can be 43 times as large. */
    private static long weight(long bytes) {
        return Math.ceilDiv(8 * bytes + 36 * Math.min(bytes, 64 * KIB), KIB);
    }

    private record Asker(long tenant, String principal) {}

    private static Object asker(Request request) {
        return request.getAttribute(Incoming.CALLER) instanceof Caller caller
                ? new Asker(caller.tenant(), caller.principal())
                : Admission.network(Request.getRemoteAddr(request));
    }

    /**
     * Takes a place for the request, until it is closed and the answer is sent.
     *
     * @throws Problem {@code rate_limited} or {@code unavailable}
     */
    Place enter(Request request) {
        return new Place(request, requests.take(asker(request), 1, AT_ONCE));
    }

    /** Finds the id of the JSON-RPC request that is refused without having been read, where it comes soon and there is room for it. */
    void readId(Request request) {
        var length = request.getLength() < 0 ? ID_WITHIN : Math.min(request.getLength(), ID_WITHIN);
        try (var _ = bodies.take(asker(request), weight(length), AT_ONCE)) {
            var begin = Body.receive(request, ID_WITHIN, bodyTime, _ -> {});
            noteId(request, begin.bytes());
        } catch (Problem unread) {
            // Then the refusal has no id.
        }
    }

    /** Finds the id of a JSON-RPC request that was read and is refused before it reaches its endpoint. */
    static void noteId(Request request) {
        if (request instanceof Body.Received read && Doors.isMcp(Request.getPathInContext(request))) {
            noteId(request, Arrays.copyOf(read.bytes(), Math.min(read.bytes().length, ID_WITHIN)));
        }
    }

    private static void noteId(Request request, byte[] body) {
        Json.scalar(body, "id")
                .filter(id -> id.isString() || id.isIntegralNumber())
                .ifPresent(id -> request.setAttribute(Incoming.MESSAGE_ID, id));
    }

    /** What one request has taken. */
    final class Place implements AutoCloseable {
        private final Request request;
        private final FairShare.Part place;
        private FairShare.@Nullable Part body;
        private FairShare.@Nullable Part answer;
        private boolean answering;

        private Place(Request request, FairShare.Part place) {
            this.request = request;
            this.place = place;
        }

        /**
         * Takes the body in, and waits until there is room for the answer.
         *
         * @return the request with its body at hand
         * @throws Problem {@code rate_limited}, {@code unavailable}, or {@code bad_request} for a body that does not come
         */
        Request received() {
            var asker = asker(request);
            var whole = request;
            if (request.getLength() <= Incoming.MAX_BODY) { // What announces more is refused unread, behind the gate.
                var room = bodies.take(asker, weight(Math.max(0, request.getLength())), AT_ONCE);
                body = room;
                whole = Body.receive(
                        request, Incoming.MAX_BODY, bodyTime, length -> room.grow(weight(length), AT_ONCE));
            }
            try {
                var room = answers.take(asker, ANSWER, turnTime);
                answer = room;
                Request.addCompletionListener(request, _ -> room.close());
            } catch (Problem refused) {
                noteId(whole);
                throw refused;
            }
            return whole;
        }

        /** The answer is made, and has this many bytes to be sent. */
        void answers(long bytes) {
            answering = true;
            if (answer != null) {
                answer.shrink(Math.ceilDiv(bytes, KIB));
            }
        }

        /** The request is worked off. Its answer may still be on its way; a stream's messages are bounded by themselves. */
        @Override
        public void close() {
            place.close();
            if (body != null) {
                body.close();
            }
            if (answer != null && !answering) {
                answer.close();
            }
        }
    }
}
