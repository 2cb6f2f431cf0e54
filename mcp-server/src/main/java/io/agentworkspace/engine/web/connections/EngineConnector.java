package io.agentworkspace.engine.web.connections;

import io.agentworkspace.engine.web.connections.ConnectionTable.OpenConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's connector with a second selector of our own: with one, {@code ProbeTest} fails, or each call costs more
 * (docs/decisions/connections.md). The first runs on platform threads, which accept connections and sort them by their first
 * bytes even while all carriers of virtual threads are busy. Health probes stay there; virtual threads serve all others.
 */
public final class EngineConnector extends ServerConnector {
    /** The threads that accept and select, and two that open and close connections. */
    private static final int THREADS = 4;

    /** The number of probes answered at once. */
    private static final int PROBES = 8;

    /** This part of the connections may wait for a thread. */
    private static final int WAITING = 8;

    private static final int BACKLOG = 1_024;
    private static final Duration SWEEP = Duration.ofMillis(250);
    private static final Duration BEHIND = Duration.ofMillis(5);

    private final ConnectionTable table;
    private final QueuedThreadPool probes = new QueuedThreadPool(PROBES, 2);

    private final SelectorManager serving;

    /** How many connections wait for a thread that opens or closes them. */
    private final AtomicInteger waiting = new AtomicInteger();

    /** An accepted connection: its entry in the table, and its first bytes once it is sorted by them. */
    record Accepted(OpenConnection entry, @Nullable ByteBuffer first) {}

    private static final class Factory extends HttpConnectionFactory {
        Factory(HttpConfiguration configuration) {
            super(configuration);
        }

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            var connection = new EngineConnection(
                    getHttpConfiguration(), (EngineConnector) connector, (ObservedEndPoint) endPoint);
            connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
            return configure(connection, connector, endPoint);
        }
    }

    /** @param table receives each connection, and may refuse it */
    public EngineConnector(Server server, ConnectionTable table, HttpConfiguration configuration) {
        this.table = table;
        super(server, new QueuedThreadPool(THREADS, THREADS), null, null, 1, 1, new Factory(configuration));
        this.serving = new Selection(server.getThreadPool(), getScheduler(), 1);
        addBean(serving);
        server.addBean(probes); // It ends after the connections.
    }

    /** Returns the threads that serve the connections of health probes. */
    Executor probes() {
        return probes;
    }

    /** Lets virtual threads serve a connection from now on. */
    void serve(SocketChannel channel, Accepted accepted) {
        serving.accept(channel, accepted);
    }

    /** @throws IOException if the host is not an address of this machine, or the port is in use */
    public void bind(String host, int port) throws IOException {
        var listening = ServerSocketChannel.open();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            open(listening.bind(new InetSocketAddress(host, port), BACKLOG));
        } catch (IOException | RuntimeException e) {
            listening.close();
            throw e;
        }
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        sweep();
    }

    private void sweep() {
        try {
            table.expire();
            table.cancelAbandoned();
        } finally {
            getScheduler().schedule(this::sweep, SWEEP.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Accepts a connection. The system keeps some new ones until the threads have caught up. */
    @Override
    public void accept(int acceptor) throws IOException {
        try {
            while (waiting.get() > table.most() / WAITING) {
                Thread.sleep(BEHIND);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        super.accept(acceptor);
    }

    /** Ends the thread that accepts connections when the port is closed. */
    @Override
    protected boolean handleAcceptFailure(Throwable failure) {
        return isOpen() && super.handleAcceptFailure(failure);
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        var endPoint = new ObservedEndPoint(channel, selector, key, this);
        endPoint.setIdleTimeout(endPoint.isSorted() ? getIdleTimeout() : 0); // Until then, the table ends silent ones.
        return endPoint;
    }

    @Override
    protected void onEndPointOpened(EndPoint endPoint) {
        if (((ObservedEndPoint) endPoint).isSorted()) {
            super.onEndPointOpened(endPoint);
        }
    }

    @Override
    protected void onEndPointClosed(EndPoint endPoint) {
        super.onEndPointClosed(endPoint);
        ((ObservedEndPoint) endPoint).entry().closed();
    }

    @Override
    protected SelectorManager newSelectorManager(Executor threads, Scheduler scheduler, int selectors) {
        return new Selection(threads, scheduler, selectors) {
            @Override
            public void accept(SelectableChannel channel, @Nullable Object none) {
                try {
                    var remote = (InetSocketAddress) ((SocketChannel) channel).getRemoteAddress();
                    table.open(remote.getAddress(), () -> ConnectionTable.quietly(channel))
                            .ifPresent(entry -> super.accept(channel, new Accepted(entry, null)));
                } catch (IOException e) {
                    ConnectionTable.quietly(channel); // It was reset before it was accepted.
                }
            }
        };
    }

    /** The connections of one selector. */
    private class Selection extends ServerConnectorManager {
        Selection(Executor threads, Scheduler scheduler, int selectors) {
            super(threads, scheduler, selectors);
        }

        @Override
        protected void execute(Runnable task) {
            waiting.incrementAndGet();
            super.execute(() -> {
                waiting.decrementAndGet();
                task.run();
            });
        }

        /** The connection was never made: nothing else reports that it has ended. */
        @Override
        protected void onAcceptFailed(SelectableChannel channel, Throwable failure, Object attachment) {
            if (attachment instanceof Accepted accepted) {
                accepted.entry().closed();
            }
            super.onAcceptFailed(channel, failure, attachment);
        }
    }
}
