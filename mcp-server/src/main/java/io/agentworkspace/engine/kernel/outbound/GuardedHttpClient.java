package io.agentworkspace.engine.kernel.outbound;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.ProxyAuthenticationProtocolHandler;
import org.eclipse.jetty.client.RedirectProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.UpgradeProtocolHandler;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's HTTP client without the features that a server could misuse: redirects, cookies, authentication, content
 * decoding and proxies. A request's tag contains the addresses that it may go to. They are part of the pool key, and
 * new connections are made to them. {@code Host} and the name in the certificate are still those of the URL.
 */
public final class GuardedHttpClient implements AutoCloseable {
    static final Duration CONNECT = Duration.ofSeconds(5);

    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration LONGEST_LIFE = Duration.ofSeconds(60);
    private static final int MOST_TO_ONE_HOST = 512;
    private static final int MOST_KEPT = 512;
    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final List<String> UNWANTED = List.of(
            RedirectProtocolHandler.NAME,
            WWWAuthenticationProtocolHandler.NAME,
            ProxyAuthenticationProtocolHandler.NAME,
            new UpgradeProtocolHandler().getName());
    private static final HttpField AGENT = new HttpField(HttpHeader.USER_AGENT, "agent-workspace-engine");

    private final AtomicInteger open = new AtomicInteger();
    private final List<X509Certificate> authorities;

    /** Started with the first request, since most installations have no webhooks. */
    private @Nullable HttpClient client;

    public GuardedHttpClient(List<X509Certificate> authorities) {
        this.authorities = authorities;
    }

    /**
     * Creates a request to the URL's host that goes to one of these addresses. Above a number of
     * connections, its own is not kept.
     */
    public Request request(URI url, Set<InetAddress> addresses) {
        var request = client().newRequest(url).tag(addresses);
        return open.get() < MOST_KEPT
                ? request
                : request.headers(headers -> headers.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE));
    }

    /** Starts the client at the first request, outside that request's time limit. */
    public synchronized HttpClient client() {
        if (client == null) {
            client = start();
        }
        return client;
    }

    private HttpClient start() {
        var made = new HttpClient(transport());
        made.setConnectTimeout(CONNECT.toMillis());
        made.setIdleTimeout(IDLE.toMillis());
        made.setDestinationIdleTimeout(LONGEST_LIFE.toMillis());
        made.setFollowRedirects(false);
        made.setHttpCookieStore(new HttpCookieStore.Empty());
        made.setUserAgentField(AGENT);
        made.setMaxResponseHeadersSize(MAX_HEADER_BYTES);
        made.setSocketAddressResolver(GuardedHttpClient::vetted);
        try {
            made.start();
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP client of webhooks does not start", e);
        }
        UNWANTED.forEach(made.getProtocolHandlers()::remove);
        InterimResponses.limit(made.getProtocolHandlers());
        made.getContentDecoderFactories().clear();
        return made;
    }

    private HttpClientTransport transport() {
        var connector = new ClientConnector();
        connector.setSelectors(1);
        connector.setExecutor(new VirtualThreadPool());
        connector.setSslContextFactory(TrustedCertificates.tls(authorities));
        connector.addBean(new Counting());
        var transport = new HttpClientTransportOverHTTP(connector);
        transport.setConnectionPoolFactory(destination -> {
            var pool = new DuplexConnectionPool(destination, MOST_TO_ONE_HOST);
            pool.setMaxDuration(LONGEST_LIFE.toMillis());
            return pool;
        });
        return transport;
    }

    /** Returns the addresses of the request instead of looking any up. */
    private static void vetted(
            String host, int port, Map<String, Object> context, Promise<List<InetSocketAddress>> promise) {
        var destination = (Destination) context.get(Destination.CONTEXT_KEY);
        if (destination != null && destination.getOrigin().getTag() instanceof Set<?> addresses) {
            promise.succeeded(addresses.stream()
                    .map(address -> new InetSocketAddress(named(host, (InetAddress) address), port))
                    .toList());
        } else {
            promise.failed(new IllegalStateException("a request without vetted addresses"));
        }
    }

    /** Returns the address with the URL's host name, which TLS sends to the server and compares with the certificate. */
    private static InetAddress named(String host, InetAddress address) {
        try {
            return InetAddress.getByAddress(host, address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of no length that there is", e);
        }
    }

    /** Counts sockets. A connection with TLS is two of Jetty's connections. */
    private final class Counting implements Connection.Listener {
        @Override
        public void onOpened(Connection connection) {
            if (!(connection instanceof SslConnection)) {
                open.incrementAndGet();
            }
        }

        @Override
        public void onClosed(Connection connection) {
            if (!(connection instanceof SslConnection)) {
                open.decrementAndGet();
            }
        }
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            try {
                client.stop();
            } catch (Exception e) {
                throw new IllegalStateException("the HTTP client of webhooks does not stop", e);
            }
        }
    }
}
