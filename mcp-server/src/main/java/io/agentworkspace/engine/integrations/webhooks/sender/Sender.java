package io.agentworkspace.engine.integrations.webhooks.sender;

import io.agentworkspace.engine.integrations.webhooks.sender.DeliveryExchange.ReceiverResponse;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import io.agentworkspace.engine.kernel.outbound.GuardedHttpClient;
import io.agentworkspace.engine.kernel.outbound.OutboundFailure;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import java.net.InetAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to customers' receivers. On each attempt the name is resolved and every address checked. A connection
 * is used only if it leads to one of these addresses: new ones are made to them, and they are part of the pool key.
 */
public final class Sender implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Duration RESOLVE = Duration.ofSeconds(5);

    private final AddressResolver resolver;
    private final GuardedHttpClient client;
    private final Clock clock;

    /** A header of a request. */
    public record Header(String name, String value) {}

    /**
     * @param allowPrivate whether private and loopback addresses are allowed, for development
     * @param authorities trusted in addition to the JVM's
     */
    public Sender(boolean allowPrivate, List<X509Certificate> authorities, Clock clock) {
        this(new AddressResolver(InetAddress::getAllByName, allowPrivate), authorities, clock);
    }

    public Sender(AddressResolver resolver, List<X509Certificate> authorities, Clock clock) {
        this.resolver = resolver;
        this.client = new GuardedHttpClient(authorities);
        this.clock = clock;
    }

    /**
     * Parses a stored URL and checks that it may be sent to.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem if it may not, or no longer may
     */
    public URI address(String stored) {
        return OutboundUrl.parse(stored, resolver.policy());
    }

    /**
     * Posts the body and waits at most 15 s for the response. Once the head of the response has arrived, its
     * status counts. Of the body only the beginning is read. This call blocks: make it on a virtual thread.
     *
     * @param url from {@link OutboundUrl}
     * @throws InterruptedException if the thread is interrupted; whether the receiver got the request is then unknown
     */
    public AttemptResult send(URI url, List<Header> headers, byte[] body) throws InterruptedException {
        return send(url, headers, "application/json", body);
    }

    /** @param type of the body */
    public AttemptResult send(URI url, List<Header> headers, String type, byte[] body) throws InterruptedException {
        var startNanos = System.nanoTime();
        try {
            var answer = exchange(
                    url,
                    LIMIT,
                    request -> request.method(HttpMethod.POST)
                            .headers(fields -> headers.forEach(header -> fields.add(header.name(), header.value())))
                            .body(new BytesRequestContent(type, body)));
            var retryAfter = RetryAfter.parse(answer.retryAfter(), clock.instant());
            var failing = failing(answer.status());
            var response = failing == null || answer.body().isEmpty() ? null : answer.body();
            return new AttemptResult(answer.status(), failing, since(startNanos), retryAfter, response);
        } catch (OutboundFailure e) {
            return AttemptResult.none(e.words(), since(startNanos));
        }
    }

    private static @Nullable String failing(int status) {
        return switch (status / 100) {
            case 2 -> null;
            case 3 -> "redirects are not followed (%d)".formatted(status);
            default -> "answered %d".formatted(status);
        };
    }

    /** Checks a receiver without sending it an event: resolves, connects, and sends HEAD, in at most 5 s. */
    public PreflightReport check(URI url) {
        return PreflightReport.of(url, clock.instant(), this);
    }

    /** @param limit for the whole exchange, in whole seconds */
    ReceiverResponse exchange(URI url, Duration limit, UnaryOperator<Request> filled)
            throws OutboundFailure, InterruptedException {
        client.client();
        var startNanos = System.nanoTime();
        var addresses = resolver.resolve(url.getHost(), limit.compareTo(RESOLVE) < 0 ? limit : RESOLVE);
        var request = filled.apply(client.request(url, addresses));
        return new DeliveryExchange().run(request, limit.minus(since(startNanos)), limit.toSeconds());
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Fails the running exchanges. Stop sending first. */
    @Override
    public void close() {
        client.close();
        resolver.close();
    }
}
