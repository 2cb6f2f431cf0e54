package io.agentworkspace.engine.kernel.streams;

import io.agentworkspace.engine.kernel.http.FairShare;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Limits this replica's open streams, by number and by memory, and how long a client may take to read from one. All
 * streams together have a quarter of the heap; one caller gets at most a third of that. Only callers with open streams
 * use memory.
 */
public final class StreamLimits {
    private static final int KIB = 1024;

    /** What a stream needs before it has subscribed to anything (measured: 4 to 6 KiB). */
    private static final int STREAM = 8 * KIB;

    private static final Duration RETRY = Duration.ofSeconds(5);

    private final Share share;
    private final FairShare memory;
    private final Duration patience;
    private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    /**
     * The maximum number of open streams: of a key or session, of a user with all its keys, of a tenant, and in
     * total.
     */
    public record Share(int principal, int user, int tenant, int all) {
        /**
         * Returns these limits for a server with so many connections. Streams may have half of them, so that requests are
         * always served; one tenant may have half of that.
         */
        public Share within(int connections) {
            var most = Math.min(all, Math.max(2, connections / 2));
            var each = most / 2;
            return new Share(Math.min(principal, each), Math.min(user, each), Math.min(tenant, each), most);
        }
    }

    /** @param heap the maximum size of the heap, in bytes */
    public StreamLimits(Share share, long heap, Duration patience) {
        this.share = share;
        this.memory = new FairShare("much memory for streams", heap / 4 / KIB);
        this.patience = patience;
    }

    /** Returns the slots of one caller. */
    public Places of(Caller caller) {
        var limits = new LinkedHashMap<String, Integer>();
        limits.put("", share.all());
        limits.put("%d".formatted(caller.tenant()), share.tenant());
        limits.put("%d/%d".formatted(caller.tenant(), caller.user()), share.user());
        limits.put("%d/%d/%s".formatted(caller.tenant(), caller.user(), caller.principal()), share.principal());
        return new Places(limits, new Owner(caller.tenant(), caller.principal()));
    }

    /** Returns how long a client may take to read what is written. */
    public Duration patience() {
        return patience;
    }

    /** How many streams are open. */
    public int open() {
        return counts.getOrDefault("", 0);
    }

    private boolean take(String name, int limit) {
        var taken = new boolean[1];
        counts.compute(name, (_, number) -> {
            var count = number == null ? 0 : number;
            taken[0] = count < limit;
            return taken[0] ? (Integer) (count + 1) : number;
        });
        return taken[0];
    }

    private void giveBack(String name) {
        counts.computeIfPresent(name, (_, number) -> number == 1 ? null : (Integer) (number - 1));
    }

    /** The slots of one stream, which it takes when it opens and returns at its end. */
    public final class Places {
        private final Map<String, Integer> limits;
        private final Owner caller;
        private FairShare.@Nullable Reservation room;
        private long bytes;

        private Places(Map<String, Integer> limits, Owner caller) {
            this.limits = limits;
            this.caller = caller;
        }

        public Duration patience() {
            return patience;
        }

        /**
         * Takes the slots.
         *
         * @param kept the memory in bytes of what the stream keeps: subscriptions, credential
         * @throws Problem {@code rate_limited} or {@code unavailable}
         */
        public void take(long kept) {
            for (var limit : limits.entrySet()) {
                if (!StreamLimits.this.take(limit.getKey(), limit.getValue())) {
                    giveBackBefore(limit.getKey());
                    throw Problem.rateLimited("too many streams are open; end one of yours, or try again later", RETRY);
                }
            }
            try {
                room = memory.take(caller, kib(kept));
                bytes = kept;
            } catch (Problem refused) {
                limits.keySet().forEach(StreamLimits.this::giveBack);
                throw refused;
            }
        }

        /**
         * Takes more memory, or returns some.
         *
         * @param more the difference in bytes
         * @throws Problem as {@link #take}
         */
        public synchronized void grow(long more) {
            var taken = Objects.requireNonNull(room);
            taken.shrink(kib(bytes + more));
            taken.grow(kib(bytes + more));
            bytes += more;
        }

        public void giveBack() {
            Objects.requireNonNull(room).close();
            limits.keySet().forEach(StreamLimits.this::giveBack);
        }

        private void giveBackBefore(String refused) {
            limits.keySet().stream().takeWhile(name -> !name.equals(refused)).forEach(StreamLimits.this::giveBack);
        }
    }

    /** Returns the memory of the credential that a stream keeps: an access token may be as long as all headers together. */
    public static long credential(Request request) {
        var token = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        return token == null ? 0 : 2L * token.length();
    }

    private static long kib(long bytes) {
        return Math.ceilDiv(STREAM + bytes, KIB);
    }
}
