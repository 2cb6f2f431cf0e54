package io.agentworkspace.engine.web.connections;

import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
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
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** A connector that does not listen: it receives accepted connections, with the first bytes of each. */
public final class HandedConnector extends ServerConnector {
    private final CountDownLatch closed = new CountDownLatch(1);

    private final Factory factory;

    /** An accepted connection: its first bytes, and its entry in the table. */
    private record Accepted(ByteBuffer first, OpenConnection entry) {}

    private static final class Factory extends HttpConnectionFactory {
        Factory(HttpConfiguration configuration) {
            super(configuration);
        }

        EngineConnection connection(Connector connector, EndPoint endPoint, OpenConnection entry) {
            var connection = new EngineConnection(getHttpConfiguration(), connector, endPoint, entry);
            connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
            configure(connection, connector, endPoint);
            return connection;
        }
    }

    /** @param threads the threads that serve its connections; null: the server's */
    public HandedConnector(Server server, @Nullable Executor threads, HttpConfiguration configuration) {
        var factory = new Factory(configuration);
        super(server, threads, null, null, 1, 1, factory);
        this.factory = factory;
    }

    void take(SocketChannel connection, ByteBuffer first, OpenConnection entry) {
        getSelectorManager().accept(connection, new Accepted(first, entry));
    }

    @Override
    public void open() {
        // This connector does not listen.
    }

    /** Waits until the connector is closed. Jetty calls this repeatedly to wait for a connection. */
    @Override
    public void accept(int acceptor) {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    protected void doStop() throws Exception {
        closed.countDown();
        super.doStop();
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        var endPoint = new ObservedEndPoint(channel, selector, key, getScheduler(), getExecutor());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }

    @Override
    protected SelectorManager newSelectorManager(Executor threads, Scheduler scheduler, int selectors) {
        return new ServerConnectorManager(threads, scheduler, selectors) {
            @Override
            public Connection newConnection(SelectableChannel channel, EndPoint endPoint, Object attachment) {
                var accepted = (Accepted) attachment;
                var connection = factory.connection(HandedConnector.this, endPoint, accepted.entry());
                ((ObservedEndPoint) endPoint).setEntry(accepted.entry());
                connection.onUpgradeTo(accepted.first());
                return connection;
            }

            /** The connection was never made: nothing else reports that it has ended. */
            @Override
            protected void onAcceptFailed(SelectableChannel channel, Throwable failure, Object attachment) {
                if (attachment instanceof Accepted accepted) {
                    accepted.entry().closed();
                }
                super.onAcceptFailed(channel, failure, attachment);
            }

            /** What was a request's connection may be a stream's by now. The entry is that of both. */
            @Override
            protected void endPointClosed(EndPoint endPoint) {
                super.endPointClosed(endPoint);
                ((ObservedEndPoint) endPoint).endEntry();
            }
        };
    }
}
