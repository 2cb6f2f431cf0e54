package io.agentworkspace.engine.web.connections;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.web.connections.ConnectionTable.OpenConnection;
import java.lang.ScopedValue.CallableOp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpParser.State;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's connection, which reports how far its request has arrived: Jetty has no limit for the time and the memory of
 * headers, so {@code UnfinishedRequestsTest.aByteNowAndThenDoesNotMoveTheDeadline} fails with its time-outs alone.
 */
public final class EngineConnection extends HttpConnection {
    private static final Set<State> HEADERS = EnumSet.range(State.METHOD, State.HEADER);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A probe waits at least this long between two requests on one connection. */
    private static final Duration PROBE_EVERY = Duration.ofMillis(100);

    private static final List<ByteBuffer> PROBES = Stream.of("GET /api/health", "HEAD /api/health")
            .map(probe -> ByteBuffer.wrap(probe.getBytes(StandardCharsets.US_ASCII)))
            .toList();

    private final EngineConnector connector;
    private final ObservedEndPoint endPoint;
    private final OpenConnection entry;
    private final UnfinishedHeaders unfinished;
    private @Nullable RequestHandler requests; // The superclass sets it.
    private volatile boolean isOfProbes;
    private volatile boolean isCaller;
    private volatile long checkedAt = System.nanoTime() - PROBE_EVERY.toNanos();

    EngineConnection(HttpConfiguration configuration, EngineConnector connector, ObservedEndPoint endPoint) {
        this.connector = connector;
        this.endPoint = endPoint;
        this.entry = endPoint.entry(); // The superclass makes the parser, which needs both.
        this.unfinished = new UnfinishedHeaders();
        super(configuration, connector, endPoint);
    }

    @Override
    public void onOpen() {
        entry.closedBy(() -> {
            unfinished.discard();
            endPoint.close();
        });
        super.onOpen();
    }

    /** Returns the connection that a request came on; empty if it did not come over the network. */
    public static Optional<EngineConnection> of(Request request) {
        return Request.unWrap(request).getConnectionMetaData().getConnection() instanceof EngineConnection connection
                ? Optional.of(connection)
                : Optional.empty();
    }

    /**
     * Records that the request is served.
     *
     * @param tenant the tenant of its caller; {@link ConnectionTable#STRANGERS} if it has no valid credential
     * @throws Problem {@code unavailable} if too many are being served
     */
    public void admit(long tenant) {
        isCaller = tenant != ConnectionTable.STRANGERS;
        if (!entry.admit(tenant)) {
            throw Problem.unavailable("all connections of the server are in use: try again shortly", PAUSE);
        }
    }

    /** Runs the work of a request, and cancels it if the client closes the connection before the response begins. */
    public static void run(Request request, Response response, CallableOp<Boolean, Exception> work) throws Exception {
        var connection = of(request).orElse(null);
        if (connection == null) {
            work.call();
            return;
        }
        var endPoint = connection.endPoint;
        var cancellation = new Cancellation();
        var isCancelled = new AtomicBoolean();
        connection.entry.served(() -> {
            var hasGone = !response.isCommitted() && (!endPoint.isOpen() || endPoint.isAbandoned());
            if (hasGone && isCancelled.compareAndSet(false, true)) {
                connection.entry.abandoned();
                cancellation.cancelSoon();
            }
        });
        try {
            cancellation.call(work);
        } finally {
            connection.entry.served(() -> {});
        }
    }

    /** Returns whether the client of a request that is being served has closed the connection. */
    public static boolean isAbandoned(Request request) {
        return of(request)
                .map(connection -> !connection.endPoint.isOpen() || connection.endPoint.isAbandoned())
                .orElse(false);
    }

    /** Returns whether a request for health can be a probe: the first on this connection, or the first for a while. */
    public boolean isProbe() {
        var now = System.nanoTime();
        var isProbe = now - checkedAt >= PROBE_EVERY.toNanos();
        checkedAt = now;
        return isProbe;
    }

    /** Returns the memory that the headers of the request may use, in bytes. */
    public long headerMemory() {
        return entry.headerMemory();
    }

    @Override
    protected RequestHandler newRequestHandler() {
        requests = new RequestHandler() {
            @Override
            public void parsedHeader(HttpField field) {
                unfinished.add(field);
                entry.header();
            }

            @Override
            public boolean headerComplete() {
                unfinished.take().forEach(super::parsedHeader);
                entry.received();
                return super.headerComplete();
            }
        };
        return requests;
    }

    @Override
    protected HttpParser newHttpParser(HttpCompliance compliance) {
        var configuration = getHttpConfiguration();
        var parser = new HttpParser(requests, configuration.getRequestHeaderSize(), compliance) {
            @Override
            protected void setState(State state) {
                var isFirstByte = isStart() && HEADERS.contains(state);
                super.setState(state);
                if (isFirstByte) {
                    entry.began();
                }
            }
        };
        parser.setHeaderCacheSize(configuration.getHeaderCacheSize());
        parser.setHeaderCacheCaseSensitive(configuration.isHeaderCacheCaseSensitive());
        return parser;
    }

    @Override
    protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
        return new HttpStreamOverHTTP1(method, uri, version) {
            @Override
            public void succeeded() {
                if (!isStream(getHttpChannel().getRequest())) {
                    entry.ended(isCaller); // First: the next request may begin at once.
                }
                super.succeeded();
            }
        };
    }

    /** Returns whether the request has become a stream: its connection counts as served until it is closed. */
    private static boolean isStream(@Nullable Request request) {
        return request != null && request.getAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE) != null;
    }

    /** Hands the connection over to a stream. From now on, nothing here is kept. */
    @Override
    public @Nullable ByteBuffer onUpgradeFrom() {
        entry.closedBy(endPoint::close);
        return super.onUpgradeFrom();
    }

    /** The selector's own thread finds out which threads serve the connection. */
    @Override
    public void fillInterested(Callback callback) {
        super.fillInterested(
                endPoint.isSorted()
                        ? callback
                        : Callback.from(InvocationType.NON_BLOCKING, callback::succeeded, callback::failed));
    }

    @Override
    public void onFillable() {
        var first = endPoint.isSorted() || isOfProbes ? null : endPoint.peek();
        isOfProbes |= first != null && isProbe(first);
        if (isOfProbes) {
            connector.probes().execute(super::onFillable);
        } else if (first != null && first.hasRemaining()) {
            endPoint.hand();
        } else {
            super.onFillable();
        }
    }

    private static boolean isProbe(ByteBuffer first) {
        return PROBES.stream()
                .anyMatch(probe -> first.remaining() >= probe.remaining()
                        && first.slice(0, probe.remaining()).equals(probe));
    }

    /** After a response, the same threads go on with the next request. */
    @Override
    protected Executor getExecutor() {
        return isOfProbes ? connector.probes() : getServer().getThreadPool();
    }

    /** Returns whether the threads for probes serve the connection. */
    public boolean isOfProbes() {
        return isOfProbes;
    }
}
