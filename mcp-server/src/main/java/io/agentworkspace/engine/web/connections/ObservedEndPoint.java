package io.agentworkspace.engine.web.connections;

import io.agentworkspace.engine.web.connections.ConnectionTable.OpenConnection;
import io.agentworkspace.engine.web.connections.EngineConnector.Accepted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty's end point, which can also look whether the client has gone: Jetty does not read while a request is served, so
 * {@code AbandonedCallTest} fails without it.
 */
final class ObservedEndPoint extends SocketChannelEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(ObservedEndPoint.class);

    /** How much that arrives early is read. */
    private static final int MOST_EARLY = 8 * 1024;

    private final EngineConnector connector;
    private final SelectionKey key;
    private final OpenConnection entry;
    private final boolean isSorted;
    private boolean isHanded;

    /** The next bytes of the client, of its request's body or of its next request, which arrived before they were read. */
    private @Nullable ByteBuffer early;

    ObservedEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key, EngineConnector connector) {
        super(channel, selector, key, connector.getScheduler());
        var accepted = (Accepted) key.attachment();
        this.connector = connector;
        this.key = key;
        this.entry = accepted.entry();
        this.early = accepted.first();
        this.isSorted = accepted.first() != null;
    }

    /** Returns whether virtual threads serve the connection, since its first bytes are not a probe's. */
    boolean isSorted() {
        return isSorted;
    }

    /** Hands the connection over to virtual threads, with its first bytes. */
    void hand() {
        isHanded = true;
    }

    /** The selector calls this after the connection has been looked at. Its key is not valid if the connection is closed. */
    @Override
    public void updateKey() {
        if (!isHanded) {
            super.updateKey();
        } else if (key.isValid()) {
            key.cancel();
            connector.serve(getChannel(), new Accepted(entry, early));
        }
    }

    /** Returns the entry that counts the connection, whatever it is used for. */
    OpenConnection entry() {
        return entry;
    }

    /** Returns the next bytes of the client that have arrived; they stay unread. There are none if it has closed the connection. */
    synchronized ByteBuffer peek() {
        try {
            readEarly();
        } catch (IOException e) {
            LOG.debug("a connection was reset before its first request", e);
        }
        return early == null ? BufferUtil.EMPTY_BUFFER : early.slice();
    }

    /**
     * Returns whether the client has closed or reset the connection. The result is false while the connection is being read
     * anyway, and if the client has sent so much of its next request that its end cannot be seen.
     */
    synchronized boolean isAbandoned() {
        if (isFillInterested() || !isOpen() || early != null && early.remaining() == MOST_EARLY) {
            return false;
        }
        try {
            return readEarly() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private int readEarly() throws IOException {
        if (early == null) {
            var first = ByteBuffer.allocate(1);
            var count = getChannel().read(first);
            if (count <= 0) {
                return count;
            }
            early = ByteBuffer.allocate(MOST_EARLY).put(first.flip()).flip();
        }
        var more = early.compact();
        try {
            return getChannel().read(more);
        } finally {
            more.flip();
        }
    }

    @Override
    public synchronized int fill(ByteBuffer buffer) throws IOException {
        if (early == null || !isOpen()) {
            return super.fill(buffer);
        }
        var count = BufferUtil.append(buffer, early);
        if (count > 0) { // Otherwise the buffer is full. What follows must not overtake these bytes.
            early = early.hasRemaining() ? early : null;
            notIdle();
        }
        return count;
    }

    @Override
    protected void needsFillInterest() {
        if (isEarly()) {
            // The selector does not know that there is something to read.
            var threads = isSorted ? connector.getServer().getThreadPool() : connector.getExecutor();
            threads.execute(getFillInterest()::fillable);
        } else {
            super.needsFillInterest();
        }
    }

    private synchronized boolean isEarly() {
        return early != null;
    }
}
