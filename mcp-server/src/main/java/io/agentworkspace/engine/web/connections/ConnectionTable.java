package io.agentworkspace.engine.web.connections;

import io.agentworkspace.engine.kernel.http.FairShare;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our own, since Jetty's {@code NetworkConnectionLimit} stops to accept, and then {@code ConnectionFloodTest} finds that no
 * probe gets in. The open connections and the memory that each uses, limited for the engine and for each address
 * (docs/limits.md, "Connections"). At a limit the connection that has waited longest gives way: first one with many
 * headers, then one whose headers are unfinished, then one that never sent a valid credential. One whose request was admitted never does.
 */
public final class ConnectionTable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionTable.class);
    private static final int KIB = 1 << 10;

    /** The memory of a connection without a request. */
    public static final int OPEN = 16 * KIB;

    /** The memory of the headers of a request, besides the number of them. */
    static final int HEADERS = 32 * KIB;

    /** The memory of each header besides its text. */
    private static final int HEADER = 128;

    /** What remains of each header of the largest request when its response is complete: its place in a list. */
    private static final int PLACE = 8;

    /** Memory for headers is taken for this many at once. */
    private static final int PORTION = 32;

    /** Whose requests have no valid credential. No tenant has this number. */
    public static final long STRANGERS = 0;

    /** One address may use this part of the memory and of the connections. */
    private static final int ADDRESSES = 3;

    private final Limits limits;
    private final Predicate<InetAddress> isShared;
    private final Share all;
    private final Map<String, Share> addresses = new HashMap<>();
    private final Set<OpenConnection> admitted = new HashSet<>();
    private final Map<Long, Integer> admittedOf = new HashMap<>();
    private long closed;
    private long cancelled;

    /**
     * How many connections there may be, and how much memory they may use.
     *
     * @param headerTime how long the headers of a request may take to arrive
     * @param idle how long a connection may be silent
     */
    public record Limits(int connections, long memory, Duration headerTime, Duration idle) {
        /** Returns how many requests may be in progress. Some connections must always be able to give way. */
        int requests() {
            return Math.max(1, connections - Math.ceilDiv(connections, 8));
        }

        /** Returns how many of them one tenant may have, or all strangers together: no one takes the last place of the others. */
        int requests(long tenant) {
            var all = requests();
            return Math.max(1, tenant == STRANGERS ? all / 2 : all - Math.ceilDiv(all, 8));
        }
    }

    /** What a connection waits for, in the order in which they give way. */
    private enum Waiting {
        /** Its request has so many headers that it takes the memory of others. */
        MANY_HEADERS,
        HEADERS,
        STRANGER,
        CALLER
    }

    /** What one address uses, or all together. Those that wait for a request are in the order of their waiting. */
    private static final class Share {
        private final int most;
        private final long mostMemory;
        private final Map<Waiting, SequencedSet<OpenConnection>> waiting = new EnumMap<>(Waiting.class);
        private int connections;
        private long memory;

        private Share(int most, long mostMemory) {
            this.most = most;
            this.mostMemory = mostMemory;
            for (var each : Waiting.values()) {
                waiting.put(each, new LinkedHashSet<>());
            }
        }

        private boolean hasRoom(int count, long bytes) {
            return connections + count <= most && memory + bytes <= mostMemory;
        }

        private @Nullable OpenConnection oldest() {
            return waiting().findFirst().orElse(null);
        }

        private Stream<OpenConnection> waiting() {
            return waiting.values().stream().flatMap(Collection::stream);
        }

        private void add(OpenConnection connection, Waiting kind) {
            waiting.getOrDefault(kind, new LinkedHashSet<>()).add(connection);
        }
    }

    /** @param isShared whether many clients use an address, as that of a proxy: it may use everything */
    public ConnectionTable(Limits limits, Predicate<InetAddress> isShared) {
        this.limits = limits;
        this.isShared = isShared;
        this.all = new Share(limits.connections(), limits.memory());
    }

    /** Returns how many connections are open. */
    public synchronized int size() {
        return all.connections;
    }

    /** Returns how many connections there may be. */
    public int most() {
        return limits.connections();
    }

    /** Returns how many connections were refused or had to give way since the start. */
    public synchronized long closed() {
        return closed;
    }

    /** Returns how many requests were cancelled since the start, since their clients had gone. */
    public synchronized long cancelled() {
        return cancelled;
    }

    /** Adds a connection. If there is no room for it, it is closed, and the result is empty. */
    Optional<OpenConnection> open(InetAddress address, Runnable close) {
        var name = FairShare.network(address.getHostAddress());
        List<OpenConnection> ousted = new ArrayList<>();
        OpenConnection connection = null;
        synchronized (this) {
            var share = addresses.computeIfAbsent(name, _ -> share(address));
            if (makeRoom(share, 1, OPEN, ousted)) {
                connection = new OpenConnection(name, share, close);
                addresses.putIfAbsent(name, share); // Its last connection may have given way.
                connection.add(1, OPEN);
                connection.enqueue(Waiting.STRANGER);
            } else {
                closed++;
                forget(name, share);
                close.run();
            }
        }
        ousted.forEach(OpenConnection::disconnect);
        return Optional.ofNullable(connection);
    }

    private Share share(InetAddress address) {
        return isShared.test(address)
                ? new Share(limits.connections(), limits.memory())
                : new Share(Math.max(1, limits.connections() / ADDRESSES), limits.memory() / ADDRESSES);
    }

    /** Closes the connections whose headers, or whose next request, did not arrive in time. */
    void expire() {
        var now = System.nanoTime();
        List<OpenConnection> late;
        synchronized (this) {
            late = all.waiting().filter(connection -> connection.isLate(now)).toList();
            late.forEach(OpenConnection::remove);
        }
        late.forEach(OpenConnection::disconnect);
    }

    /** Cancels the requests whose clients have gone. */
    void cancelAbandoned() {
        List<OpenConnection> served;
        synchronized (this) {
            served = List.copyOf(admitted);
        }
        served.forEach(connection -> quietly(connection.check::run));
    }

    private boolean makeRoom(Share share, int count, long bytes, List<OpenConnection> ousted) {
        return makeRoomIn(share, count, bytes, ousted) && makeRoomIn(all, count, bytes, ousted);
    }

    private boolean makeRoomIn(Share share, int count, long bytes, List<OpenConnection> ousted) {
        while (!share.hasRoom(count, bytes)) {
            var oldest = share.oldest();
            if (oldest == null) {
                return false;
            }
            closed++;
            oldest.remove();
            ousted.add(oldest);
        }
        return true;
    }

    private void forget(String address, Share share) {
        if (share.connections == 0) {
            addresses.remove(address, share);
        }
    }

    /** Closes or checks a connection. What goes wrong concerns no other. */
    static void quietly(AutoCloseable connection) {
        try {
            connection.close();
        } catch (Exception e) {
            LOG.debug("a connection could not be closed or checked", e);
        }
    }

    /** An open connection. The table guards what changes here. */
    final class OpenConnection {
        private final String address;
        private final Share share;
        private volatile Runnable close;
        private volatile Runnable check = () -> {};
        private long memory;
        private boolean isOpen = true;
        private long tenant;
        private int headers;
        private int mostHeaders;
        private volatile long since = System.nanoTime();
        private volatile Waiting kind = Waiting.STRANGER;
        private volatile boolean isReading;
        private volatile boolean isReceived;

        private OpenConnection(String address, Share share, Runnable close) {
            this.address = address;
            this.share = share;
            this.close = close;
        }

        /** Records how to close the connection from now on. Closes it if it had to give way in the meantime. */
        void closedBy(Runnable other) {
            close = other;
            synchronized (ConnectionTable.this) {
                if (isOpen) {
                    return;
                }
            }
            disconnect();
        }

        /** Records that the first byte of a request arrived. */
        void began() {
            since = System.nanoTime();
            headers = 0;
            isReceived = false;
            isReading = true;
            requeue(Waiting.HEADERS);
            grow(HEADERS);
        }

        /** Records that a header arrived. */
        void header() {
            headers++;
            mostHeaders = Math.max(mostHeaders, headers);
            if (headers == PORTION) {
                requeue(Waiting.MANY_HEADERS);
            }
            if (headers % PORTION == 0) {
                grow(PORTION * HEADER);
            }
        }

        /** Records that all headers arrived: from now on, the deadlines of the request apply. */
        void received() {
            isReading = false;
            isReceived = true;
            var isLarge = kind == Waiting.STRANGER && headers >= PORTION;
            requeue(isLarge ? Waiting.MANY_HEADERS : kind);
        }

        /**
         * Records that the request is served, so that the connection does not give way to others.
         *
         * @param caller the tenant whose request it is
         * @return whether there is room for another request, and for another of the tenant
         */
        boolean admit(long caller) {
            synchronized (ConnectionTable.this) {
                if (!isOpen || admitted.contains(this)) {
                    return true;
                }
                if (admitted.size() >= limits.requests()
                        || admittedOf.getOrDefault(caller, 0) >= limits.requests(caller)) {
                    return false;
                }
                leaveQueues();
                shrink();
                admitted.add(this);
                admittedOf.merge(caller, 1, Integer::sum);
                tenant = caller;
                return true;
            }
        }

        /** Records how to find out whether the client of the request that is being served has gone. */
        void served(Runnable checking) {
            check = checking;
        }

        /** Records that the client has gone before the response. */
        void abandoned() {
            synchronized (ConnectionTable.this) {
                cancelled++;
            }
        }

        /** Returns the memory of the headers in bytes. */
        long headerMemory() {
            return HEADERS + (long) headers * HEADER;
        }

        /** Records that the response is complete, and that the connection waits for the next request. */
        void ended(boolean isCaller) {
            isReading = false;
            isReceived = false;
            since = System.nanoTime();
            kind = isCaller ? Waiting.CALLER : Waiting.STRANGER;
            synchronized (ConnectionTable.this) {
                if (isOpen) {
                    shrink();
                    requeue(kind);
                }
            }
        }

        /** Records that the connection is closed. */
        void closed() {
            synchronized (ConnectionTable.this) {
                remove();
            }
        }

        private boolean isLate(long now) {
            var most = isReading ? limits.headerTime() : limits.idle();
            return !isReceived && now - since > most.toNanos();
        }

        /** Closes the connection, which the table has removed. */
        private void disconnect() {
            quietly(close::run);
        }

        /** Adds memory. If there is not enough, the oldest connection gives way, which may be this one. */
        private void grow(long bytes) {
            List<OpenConnection> ousted = new ArrayList<>();
            synchronized (ConnectionTable.this) {
                if (!isOpen) {
                    return;
                }
                var fits = makeRoom(share, 0, bytes, ousted);
                if (fits && isOpen) {
                    add(0, bytes);
                } else if (isOpen) {
                    closed++;
                    remove();
                    ousted.add(this);
                }
            }
            ousted.forEach(OpenConnection::disconnect);
        }

        /** Keeps what each connection needs, and the places of the most headers that it had. */
        private void shrink() {
            add(0, OPEN + (long) mostHeaders * PLACE - memory);
        }

        private void add(int count, long bytes) {
            memory += bytes;
            for (var each : List.of(all, share)) {
                each.connections += count;
                each.memory += bytes;
            }
        }

        private void remove() {
            if (isOpen) {
                leaveQueues();
                isOpen = false;
                add(-1, -memory);
                forget(address, share);
            }
        }

        /** Puts an open connection at the end of those that wait for the same. */
        private void requeue(Waiting next) {
            synchronized (ConnectionTable.this) {
                if (isOpen) {
                    leaveQueues();
                    enqueue(next);
                }
            }
        }

        private void enqueue(Waiting next) {
            share.add(this, next);
            all.add(this, next);
        }

        private void leaveQueues() {
            if (admitted.remove(this)) {
                admittedOf.merge(tenant, -1, Integer::sum);
                admittedOf.remove(tenant, 0);
            }
            for (var each : List.of(all, share)) {
                each.waiting.values().forEach(queue -> queue.remove(this));
            }
        }
    }
}
