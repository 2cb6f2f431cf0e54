package io.agentworkspace.engine.web.connections;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections on a separate thread and dispatches each by its first bytes. Health probes go to separate
 * threads, so that they never wait for the carriers of virtual threads; all others go to virtual threads.
 */
public final class ConnectionAcceptor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionAcceptor.class);
    private static final List<byte[]> PROBES = List.of(
            "GET /api/health".getBytes(StandardCharsets.US_ASCII),
            "HEAD /api/health".getBytes(StandardCharsets.US_ASCII));
    private static final int FIRST = 1_024;
    private static final int BACKLOG = 1_024;

    /** The descriptor of a closed connection is free from the next selection on, so not too many are accepted before. */
    private static final int BATCH = 64;

    private static final Duration SWEEP = Duration.ofMillis(250);
    private static final Duration BEHIND = Duration.ofMillis(5);

    private final ServerSocketChannel listening;
    private final Selector selector;
    private final SelectionKey accepting;
    private final ConnectionTable table;

    private ConnectionAcceptor(ServerSocketChannel listening, ConnectionTable table) throws IOException {
        this.listening = listening;
        this.selector = Selector.open();
        this.table = table;
        listening.configureBlocking(false);
        this.accepting = listening.register(selector, SelectionKey.OP_ACCEPT);
    }

    /**
     * @param table receives each connection, and may refuse it
     * @throws IOException if the host is not an address of this machine, or the port is in use
     */
    public static ConnectionAcceptor bind(String host, int port, ConnectionTable table) throws IOException {
        var listening = ServerSocketChannel.open();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listening.bind(new InetSocketAddress(host, port), BACKLOG);
            return new ConnectionAcceptor(listening, table);
        } catch (IOException | RuntimeException e) {
            listening.close();
            throw e;
        }
    }

    public int port() {
        return listening.socket().getLocalPort();
    }

    public void start(HandedConnector probes, HandedConnector others) {
        Thread.ofPlatform().daemon().name("front").start(() -> run(probes, others));
    }

    private void run(HandedConnector probes, HandedConnector others) {
        var swept = System.nanoTime();
        while (listening.isOpen()) {
            try {
                // The system keeps some new connections until the threads have caught up.
                var isBehind = table.isBehind();
                accepting.interestOps(isBehind ? 0 : SelectionKey.OP_ACCEPT);
                selector.select((isBehind ? BEHIND : SWEEP).toMillis());
                for (var key : selector.selectedKeys()) {
                    serve(key, probes, others);
                }
            } catch (IOException | RuntimeException e) {
                refrain(e);
            } finally {
                selector.selectedKeys().clear();
            }
            if (System.nanoTime() - swept > SWEEP.toNanos()) {
                swept = System.nanoTime();
                table.expire();
                table.cancelAbandoned();
            }
        }
        selector.keys().forEach(ConnectionAcceptor::end);
        ConnectionTable.quietly(selector);
    }

    /** Serves one key. Another thread may close a connection at any time; that concerns no other. */
    private void serve(SelectionKey key, HandedConnector probes, HandedConnector others) throws IOException {
        if (key == accepting) {
            accept();
            return;
        }
        try {
            pass(key, probes, others);
        } catch (RuntimeException e) {
            LOG.debug("a connection was closed before its first request", e);
            end(key);
        }
    }

    private static void end(SelectionKey key) {
        if (key.attachment() instanceof OpenConnection entry) {
            entry.end();
            entry.closed();
        }
        ConnectionTable.quietly(key.channel());
    }

    /**
     * Waits before the next attempt. Usually the limit of open files is reached: that passes, and a busy loop would
     * not help.
     */
    private void refrain(Exception e) {
        if (listening.isOpen()) {
            LOG.warn("a connection could not be accepted", e);
            try {
                Thread.sleep(SWEEP);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void accept() throws IOException {
        for (var count = 0; count < BATCH && !table.isBehind(); count++) {
            var connection = listening.accept();
            if (connection == null) {
                return;
            }
            try {
                connection.configureBlocking(false);
                connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
                register(connection);
            } catch (IOException | RuntimeException e) {
                LOG.debug("a connection was reset before it was accepted", e);
                ConnectionTable.quietly(connection);
            }
        }
    }

    private void register(SocketChannel connection) throws IOException {
        var remote = (InetSocketAddress) connection.getRemoteAddress();
        var entry = table.open(remote.getAddress(), () -> ConnectionTable.quietly(connection));
        if (entry.isPresent()) {
            try {
                connection.register(selector, SelectionKey.OP_READ, entry.get());
            } catch (IOException | RuntimeException e) {
                entry.get().end();
                throw e;
            }
        }
    }

    private static void pass(SelectionKey key, HandedConnector probes, HandedConnector others) {
        var connection = (SocketChannel) key.channel();
        var entry = (OpenConnection) key.attachment();
        var first = ByteBuffer.allocate(FIRST);
        try {
            if (connection.read(first) < 0) {
                end(key);
                return;
            }
        } catch (IOException e) {
            end(key);
            return;
        }
        if (first.flip().hasRemaining()) {
            key.cancel();
            entry.handed();
            (isProbe(first) ? probes : others).take(connection, first, entry);
        }
    }

    private static boolean isProbe(ByteBuffer first) {
        return PROBES.stream()
                .anyMatch(probe -> first.remaining() >= probe.length
                        && ByteBuffer.wrap(probe).equals(first.slice(0, probe.length)));
    }

    /** Stops listening, and closes connections that have not sent anything yet. */
    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        selector.wakeup();
    }
}
