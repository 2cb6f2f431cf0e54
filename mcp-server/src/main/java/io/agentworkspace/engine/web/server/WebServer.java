package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.kernel.metrics.FileDescriptors;
import io.agentworkspace.engine.web.connections.ConnectionTable;
import io.agentworkspace.engine.web.connections.EngineConnection;
import io.agentworkspace.engine.web.connections.EngineConnector;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server on its one port. It binds first, so that the port is known (0 = any free one), and a port in use is
 * reported before anything else starts. From {@link #open} on it responds to health probes, from {@link #serve} on to
 * everything.
 */
public final class WebServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebServer.class);

    /** How long requests in progress may take to complete after the server begins to stop. */
    static final Duration GRACE = Duration.ofSeconds(10);

    private static final int MAX_HEADER_BYTES = 16 * 1024;
    /** How long the headers of a request may take to arrive, from their first byte. */
    private static final Duration HEADER_TIME = Duration.ofSeconds(10);

    /** Connections may use this part of the heap, besides the requests that are served. */
    private static final int CONNECTIONS = 4;

    private static final int MAX_CONCURRENT = 10_000;
    /**
     * Longer than clients and load balancers keep a connection. Otherwise they may send a request on one that is just
     * being closed.
     */
    private static final Duration IDLE = Duration.ofSeconds(75);

    private static final Duration IDLE_IN_REQUEST = Duration.ofSeconds(30);
    private static final Duration IDLE_WHILE_STOPPING = Duration.ofMillis(500);

    /** How often a stopping server looks whether requests are still in progress. */
    private static final Duration POLL = Duration.ofMillis(10);

    private final Server server;
    private final EngineConnector connector;
    private final ConnectionTable connections;
    private final int port;
    private final Duration grace;
    private @Nullable StagedHandler staged;
    private Duration drain = Duration.ZERO;

    private WebServer(Server server, EngineConnector connector, ConnectionTable connections, Duration grace) {
        this.server = server;
        this.grace = grace;
        this.connector = connector;
        this.connections = connections;
        this.port = connector.getLocalPort();
        connector.setIdleTimeout(IDLE.toMillis());
        connector.setShutdownIdleTimeout(IDLE_WHILE_STOPPING.toMillis());
        server.addConnector(connector);
    }

    /** @throws IOException if the host is not an address of this machine, or the port is in use */
    public static WebServer bind(String host, int port) throws IOException {
        return bind(host, port, new TrustedProxies(Set.of()));
    }

    /**
     * @param proxies may use all connections, as programs on this machine may
     * @throws IOException if the host is not an address of this machine, or the port is in use
     */
    public static WebServer bind(String host, int port, TrustedProxies proxies) throws IOException {
        return bind(host, port, GRACE, limits(Runtime.getRuntime().maxMemory()), proxies);
    }

    /** @param grace the maximum time for requests in progress to complete */
    static WebServer bind(String host, int port, Duration grace, ConnectionTable.Limits limits, TrustedProxies proxies)
            throws IOException {
        // The server's own pool instead of a platform pool that dispatches: 40 % more throughput.
        var server = new Server(new VirtualThreadPool(MAX_CONCURRENT));
        server.setStopTimeout(grace.toMillis());
        var connections =
                new ConnectionTable(limits, address -> address.isLoopbackAddress() || proxies.isTrusted(address));
        var connector = new EngineConnector(server, connections, configuration());
        connector.bind(host, port);
        return new WebServer(server, connector, connections, grace);
    }

    /** @param heap the maximum size of the heap, in bytes */
    static ConnectionTable.Limits limits(long heap) {
        var memory = heap / CONNECTIONS;
        var most = Math.min(memory / ConnectionTable.OPEN, FileDescriptors.forConnections());
        return new ConnectionTable.Limits((int) most, memory, HEADER_TIME, IDLE);
    }

    private static HttpConfiguration configuration() {
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendXPoweredBy(false);
        configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
        configuration.setResponseHeaderSize(MAX_HEADER_BYTES);
        // Otherwise a header's value may be replaced by an earlier one on the connection that differs only in case:
        // another key.
        configuration.setHeaderCacheCaseSensitive(true);
        // The gate refuses empty segments: it can read the id of a JSON-RPC request.
        configuration.setUriCompliance(UriCompliance.DEFAULT.with("engine", Violation.AMBIGUOUS_EMPTY_SEGMENT));
        configuration.setIdleTimeout(IDLE_IN_REQUEST.toMillis());
        return configuration;
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return port;
    }

    /** Returns how many connections are open. */
    public int connections() {
        return connections.size();
    }

    /** Returns how many connections there may be. */
    public int mostConnections() {
        return connections.most();
    }

    /** Returns how many connections were refused, or had to give way to others, since the start. */
    public long closedConnections() {
        return connections.closed();
    }

    /** Returns how many requests were cancelled since the start, since their clients had closed the connection. */
    public long cancelledRequests() {
        return connections.cancelled();
    }

    /**
     * Starts to respond to health probes. Other requests are refused for now.
     *
     * @param drain how long requests are still served after the server begins to stop
     */
    public void open(Clock clock, String version, Duration drain) {
        this.drain = drain;
        var handler = new StagedHandler(clock, version);
        staged = handler;
        server.setErrorHandler(new ServerErrors(new RefusalWriter(clock)));
        server.setHandler(new GracefulHandler(new Handler.Wrapper(handler) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                if (EngineConnection.of(request)
                                .filter(EngineConnection::isOfProbes)
                                .isEmpty()
                        || isProbe(request)) {
                    return super.handle(request, response, callback);
                }
                server.getThreadPool().execute(() -> handleElsewhere(handler, request, response, callback));
                return true;
            }
        }));
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException("the server cannot start", e);
        }
    }

    /** Reports to health probes that the schema is upgraded, or no longer. */
    public void upgrading(boolean isUpgrading) {
        Objects.requireNonNull(staged).enter(isUpgrading ? ServerStage.UPGRADING : ServerStage.STARTING);
    }

    /** Starts to serve requests. */
    public void serve(Handler gate, RefusalWriter refusals) {
        if (staged == null) {
            open(refusals.clock(), "", Duration.ZERO);
        }
        var handler = Objects.requireNonNull(staged);
        server.setErrorHandler(new ServerErrors(refusals));
        handler.setHandler(gate);
        try {
            handler.manage(gate);
            gate.start();
        } catch (Exception e) {
            throw new IllegalStateException("the endpoints cannot start", e);
        }
        handler.enter(ServerStage.SERVING);
    }

    /**
     * Returns whether the request is a probe without a body. A body may never arrive, and the few threads for probes
     * must not wait for one.
     */
    private static boolean isProbe(Request request) {
        var path = Request.getPathInContext(request);
        var headers = request.getHeaders();
        return PublicRoutes.isHealth(path)
                && PublicRoutes.cover(request.getMethod(), path)
                && !headers.contains(HttpHeader.CONTENT_LENGTH)
                && !headers.contains(HttpHeader.TRANSFER_ENCODING);
    }

    /** Handles a request that is not a probe on another thread, even if it came on a probe's connection. */
    private static void handleElsewhere(Handler gate, Request request, Response response, Callback callback) {
        try {
            gate.handle(request, response, callback);
        } catch (Exception e) {
            callback.failed(e);
        }
    }

    /** Reports to load balancers that it stops, and still serves what arrives meanwhile. */
    public void drain() {
        if (staged != null && staged.stage() == ServerStage.SERVING) {
            staged.enter(ServerStage.STOPPING);
            pause(drain);
        }
    }

    /**
     * Drains unless that was done. Then it accepts no more connections, lets requests in progress complete (10 s at most),
     * ends the streams, and stops.
     */
    @Override
    public void close() {
        drain();
        connector.close();
        for (var end = System.nanoTime() + grace.toNanos(); isBusy() && System.nanoTime() < end; ) {
            pause(POLL);
        }
        try {
            server.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("some requests did not finish within {} ms", server.getStopTimeout(), e);
        }
    }

    private boolean isBusy() {
        return staged != null && staged.running() > 0;
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
