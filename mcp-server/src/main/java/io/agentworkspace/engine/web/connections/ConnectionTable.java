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
 * The open connections and the memory that each uses, limited for the engine and for each address
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
    static final int HEADER = 128;

    /** What remains of each header of the largest request when its response is complete: its place in a list. */
    static final int PLACE = 8;

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
    enum Waiting {
        /** Its request has so many headers that it takes the memory of others. */
        MANY_HEADERS,
        HEADERS,
        STRANGER,
        CALLER
    }

    /** What one address uses, or all together. Those that wait for a request are in the order of their waiting. */
    static final class Share {
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

    /** Records that a request is cancelled. */
    synchronized void abandoned() {
        cancelled++;
    }

    /** Adds a connection. If there is no room for it, it is closed, and the result is empty. */
    Optional<OpenConnection> open(InetAddress address, Runnable close) {
        var name = FairShare.network(address.getHostAddress());
        List<OpenConnection> ousted = new ArrayList<>();
        OpenConnection connection = null;
        synchronized (this) {
            var share = addresses.computeIfAbsent(name, _ -> share(address));
            if (makeRoom(share, 1, OPEN, ousted)) {
                connection = new OpenConnection(this, name, share, close);
                addresses.putIfAbsent(name, share); // Its last connection may have given way.
                add(connection, 1, OPEN);
                enqueue(connection, Waiting.STRANGER);
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
            late = all.waiting()
                    .filter(connection -> connection.isLate(now, limits))
                    .toList();
            late.forEach(this::remove);
        }
        late.forEach(OpenConnection::disconnect);
    }

    /** Cancels the requests whose clients have gone. */
    void cancelAbandoned() {
        List<OpenConnection> served;
        synchronized (this) {
            served = List.copyOf(admitted);
        }
        served.forEach(OpenConnection::check);
    }

    /** Records that the headers of a request begin. */
    void begin(OpenConnection connection) {
        enqueueOpen(connection, Waiting.HEADERS);
        grow(connection, HEADERS);
    }

    /** Adds memory to a connection. If there is not enough, the oldest gives way, which may be this one. */
    void grow(OpenConnection connection, long bytes) {
        List<OpenConnection> ousted = new ArrayList<>();
        synchronized (this) {
            if (!connection.isOpen()) {
                return;
            }
            var fits = makeRoom(connection.share(), 0, bytes, ousted);
            if (fits && connection.isOpen()) {
                add(connection, 0, bytes);
            } else if (connection.isOpen()) {
                closed++;
                remove(connection);
                ousted.add(connection);
            }
        }
        ousted.forEach(OpenConnection::disconnect);
    }

    synchronized boolean isOpen(OpenConnection connection) {
        return connection.isOpen();
    }

    /** Records that the response is complete, and that the connection waits for the next request. */
    synchronized void await(OpenConnection connection, Waiting kind) {
        if (connection.isOpen()) {
            shrink(connection);
            enqueueOpen(connection, kind);
        }
    }

    /** Puts an open connection at the end of those that wait for the same. */
    synchronized void enqueueOpen(OpenConnection connection, Waiting kind) {
        if (connection.isOpen()) {
            leaveQueues(connection);
            enqueue(connection, kind);
        }
    }

    private void enqueue(OpenConnection connection, Waiting kind) {
        connection.share().add(connection, kind);
        all.add(connection, kind);
    }

    /** Records that the request of a connection is served. Returns false if there are too many, or too many of the tenant. */
    synchronized boolean admit(OpenConnection connection, long tenant) {
        if (!connection.isOpen() || admitted.contains(connection)) {
            return true;
        }
        if (admitted.size() >= limits.requests() || admittedOf.getOrDefault(tenant, 0) >= limits.requests(tenant)) {
            return false;
        }
        leaveQueues(connection);
        shrink(connection);
        admitted.add(connection);
        admittedOf.merge(tenant, 1, Integer::sum);
        connection.setTenant(tenant);
        return true;
    }

    /** Removes a connection that is to be closed. */
    synchronized void remove(OpenConnection connection) {
        if (connection.isOpen()) {
            leaveQueues(connection);
            connection.setClosed();
            add(connection, -1, -connection.memory());
            forget(connection.address(), connection.share());
        }
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
            remove(oldest);
            ousted.add(oldest);
        }
        return true;
    }

    private void add(OpenConnection connection, int count, long bytes) {
        connection.add(bytes);
        for (var share : List.of(all, connection.share())) {
            share.connections += count;
            share.memory += bytes;
        }
    }

    private void shrink(OpenConnection connection) {
        add(connection, 0, OPEN + connection.kept() - connection.memory());
    }

    private void leaveQueues(OpenConnection connection) {
        if (admitted.remove(connection)) {
            admittedOf.merge(connection.tenant(), -1, Integer::sum);
            admittedOf.remove(connection.tenant(), 0);
        }
        for (var share : List.of(all, connection.share())) {
            share.waiting.values().forEach(queue -> queue.remove(connection));
        }
    }

    private void forget(String address, Share share) {
        if (share.connections == 0) {
            addresses.remove(address, share);
        }
    }

    /** Closes or checks a connection. What goes wrong concerns no other: above all not the one thread that accepts connections. */
    static void quietly(AutoCloseable connection) {
        try {
            connection.close();
        } catch (Exception e) {
            LOG.debug("a connection could not be closed or checked", e);
        }
    }
}
