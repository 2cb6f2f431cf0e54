package io.agentworkspace.engine.web.connections;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
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

/**
 * Jetty's connector on the engine's port, which enters each connection in the {@link ConnectionTable}. It selects on platform
 * threads, so that it accepts and sorts connections even while all carriers of virtual threads are busy.
 */
public final class EngineConnector extends ServerConnector {
    /** The threads that accept and select, and two that open and close connections. */
    private static final int THREADS = 4;

    /** The number of probes answered at once. */
    private static final int PROBES = 8;

    /** This part of the connections may wait for a virtual thread. */
    private static final int WAITING = 8;

    private static final int BACKLOG = 1_024;
    private static final Duration SWEEP = Duration.ofMillis(250);
    private static final Duration BEHIND = Duration.ofMillis(5);

    private final ConnectionTable table;
    private final QueuedThreadPool probes = new QueuedThreadPool(PROBES, 2);

    /** How many connections wait for a virtual thread. */
    private final AtomicInteger waiting = new AtomicInteger();

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
        super(server, threads(server), null, null, 1, 1, new Factory(configuration));
        addBean(probes);
    }

    /** What may block goes to the server's virtual threads. */
    private static Executor threads(Server server) {
        var threads = new QueuedThreadPool(THREADS, THREADS);
        threads.setReservedThreads(0);
        threads.setVirtualThreadsExecutor(server.getThreadPool());
        return threads;
    }

    /** Returns the threads that serve the connections of health probes. */
    Executor probes() {
        return probes;
    }

    /** Returns the threads that serve all other connections. */
    Executor others() {
        return work -> {
            waiting.incrementAndGet();
            getServer().getThreadPool().execute(() -> {
                waiting.decrementAndGet();
                work.run();
            });
        };
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
        table.expire();
        table.cancelAbandoned();
        getScheduler().schedule(this::sweep, SWEEP.toMillis(), TimeUnit.MILLISECONDS);
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
        var endPoint = new ObservedEndPoint(channel, selector, key, getScheduler(), getExecutor());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }

    @Override
    protected void onEndPointClosed(EndPoint endPoint) {
        super.onEndPointClosed(endPoint);
        ((ObservedEndPoint) endPoint).entry().closed();
    }

    @Override
    protected SelectorManager newSelectorManager(Executor threads, Scheduler scheduler, int selectors) {
        return new ServerConnectorManager(threads, scheduler, selectors) {
            @Override
            public void accept(SelectableChannel channel, Object attachment) {
                try {
                    var remote = (InetSocketAddress) ((SocketChannel) channel).getRemoteAddress();
                    table.open(remote.getAddress(), () -> ConnectionTable.quietly(channel))
                            .ifPresent(entry -> super.accept(channel, entry));
                } catch (IOException e) {
                    ConnectionTable.quietly(channel); // It was reset before it was accepted.
                }
            }

            /** The connection was never made: nothing else reports that it has ended. */
            @Override
            protected void onAcceptFailed(SelectableChannel channel, Throwable failure, Object attachment) {
                if (attachment instanceof OpenConnection entry) {
                    entry.closed();
                }
                super.onAcceptFailed(channel, failure, attachment);
            }
        };
    }
}
