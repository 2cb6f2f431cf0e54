package io.agentworkspace.engine.kernel.metrics;

import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint.MetricsText;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /metrics} at an address of its own, which only the scraper should reach: no credential is required there. */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    private static final int THREADS = 6;
    private static final String PATH = "/metrics";

    private final Server server;
    private final ServerConnector connector;

    private MetricsServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    /** @throws UncheckedIOException if the host is not ours or the port is taken */
    public static MetricsServer start(String host, int port, MetricsText text) {
        var server = new Server(new QueuedThreadPool(THREADS, 1));
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        var connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
        connector.setHost(host);
        connector.setPort(port);
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                if (!Request.getPathInContext(request).equals(PATH)) {
                    Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
                    return true;
                }
                text.send(request, response, callback);
                return true;
            }
        });
        var started = new MetricsServer(server, connector);
        try {
            connector.open();
            server.start();
        } catch (IOException e) {
            started.close();
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            started.close();
            throw new IllegalStateException("the server of metrics cannot start", e);
        }
        LOG.info(
                "serving metrics at http://{}:{}{}",
                host.contains(":") ? "[" + host + "]" : host,
                started.port(),
                PATH);
        return started;
    }

    /** The port that it listens on. */
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            LOG.warn("the metrics server did not stop cleanly", e);
        }
    }
}
