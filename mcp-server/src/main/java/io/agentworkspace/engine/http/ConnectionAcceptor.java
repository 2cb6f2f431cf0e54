package io.agentworkspace.engine.http;

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
final class ConnectionAcceptor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionAcceptor.class);
    private static final List<byte[]> PROBES = List.of(
            "GET /api/health".getBytes(StandardCharsets.US_ASCII),
            "HEAD /api/health".getBytes(StandardCharsets.US_ASCII));
    private static final int FIRST = 1_024;
    private static final int BACKLOG = 1_024;
    private static final Duration SWEEP = Duration.ofSeconds(1);

    private final ServerSocketChannel listening;
    private final Selector selector;
    private final Duration idle;

    /** Takes over a connection. */
    @FunctionalInterface
    interface Connections {
        void take(SocketChannel connection, ByteBuffer first);
    }

    private ConnectionAcceptor(ServerSocketChannel listening, Duration idle) throws IOException {
        this.listening = listening;
        this.selector = Selector.open();
        this.idle = idle;
        listening.configureBlocking(false);
        listening.register(selector, SelectionKey.OP_ACCEPT);
    }

    /**
     * @param idle how long a connection may be silent before its first bytes
     * @throws IOException if the host is not an address of this machine, or the port is in use
     */
    static ConnectionAcceptor bind(String host, int port, Duration idle) throws IOException {
        var listening = ServerSocketChannel.open();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listening.bind(new InetSocketAddress(host, port), BACKLOG);
            return new ConnectionAcceptor(listening, idle);
        } catch (IOException | RuntimeException e) {
            listening.close();
            throw e;
        }
    }

    int port() {
        return listening.socket().getLocalPort();
    }

    void start(Connections probes, Connections others) {
        Thread.ofPlatform().daemon().name("front").start(() -> run(probes, others));
    }

    private void run(Connections probes, Connections others) {
        var swept = System.nanoTime();
        while (listening.isOpen()) {
            try {
                selector.select(SWEEP.toMillis());
                for (var key : selector.selectedKeys()) {
                    if (key.isValid() && key.isAcceptable()) {
                        accept();
                    } else if (key.isValid()) {
                        pass(key, probes, others);
                    }
                }
                selector.selectedKeys().clear();
            } catch (IOException | RuntimeException e) {
                refrain(e);
            }
            if (System.nanoTime() - swept > SWEEP.toNanos()) {
                swept = System.nanoTime();
                sweep(swept - idle.toNanos());
            }
        }
        selector.keys().forEach(key -> quietly(key.channel()));
        quietly(selector);
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
        for (var connection = listening.accept(); connection != null; connection = listening.accept()) {
            try {
                connection.configureBlocking(false);
                connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
                connection.register(selector, SelectionKey.OP_READ, System.nanoTime());
            } catch (IOException e) {
                quietly(connection); // The client has already reset the connection, which some systems report here.
            }
        }
    }

    private static void pass(SelectionKey key, Connections probes, Connections others) {
        var connection = (SocketChannel) key.channel();
        var first = ByteBuffer.allocate(FIRST);
        try {
            if (connection.read(first) < 0) {
                quietly(connection);
                return;
            }
        } catch (IOException e) {
            quietly(connection);
            return;
        }
        if (first.flip().hasRemaining()) {
            key.cancel();
            (isProbe(first) ? probes : others).take(connection, first);
        }
    }

    private static boolean isProbe(ByteBuffer first) {
        return PROBES.stream()
                .anyMatch(probe -> first.remaining() >= probe.length
                        && ByteBuffer.wrap(probe).equals(first.slice(0, probe.length)));
    }

    private void sweep(long since) {
        for (var key : selector.keys()) {
            if (key.attachment() instanceof Long begun && begun - since < 0) {
                quietly(key.channel());
            }
        }
    }

    private static void quietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            LOG.debug("a connection could not be closed", e);
        }
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
