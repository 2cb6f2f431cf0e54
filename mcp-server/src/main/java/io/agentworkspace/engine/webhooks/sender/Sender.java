package io.agentworkspace.engine.webhooks.sender;

import io.agentworkspace.engine.webhooks.sender.DeliveryExchange.Answer;
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
 * Sends to customers' endpoints. At each attempt the name is resolved and every address vetted, and a connection is used only if it
 * leads to one of these addresses: new ones are made to them, and connections are pooled by them.
 */
public final class Sender implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Duration RESOLVE = Duration.ofSeconds(5);

    private final AddressResolver resolver;
    private final ReceiverClient client;
    private final Clock clock;

    /** A header of a request. */
    public record Header(String name, String value) {}

    /**
     * @param allowPrivate whether private and loopback addresses may be connected to, for development
     * @param authorities trusted besides the JVM's
     */
    public Sender(boolean allowPrivate, List<X509Certificate> authorities, Clock clock) {
        this(new AddressResolver(InetAddress::getAllByName, allowPrivate), authorities, clock);
    }

    public Sender(AddressResolver resolver, List<X509Certificate> authorities, Clock clock) {
        this.resolver = resolver;
        this.client = new ReceiverClient(authorities);
        this.clock = clock;
    }

    /**
     * Where an endpoint is, if it may be sent to.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem when it may not, or not any more
     */
    public URI address(String stored) {
        return EndpointUrl.parse(stored, resolver.allowPrivate());
    }

    /**
     * Posts the body and waits for the answer, 15 s at most for all of it. What the answer holds is not looked at: once its head has
     * come, its status counts, whatever becomes of the rest. Blocks: call it on a virtual thread.
     *
     * @param url from {@link EndpointUrl}
     * @throws InterruptedException when the thread is interrupted; whether the receiver has got it is then unknown
     */
    public AttemptResult send(URI url, List<Header> headers, byte[] body) throws InterruptedException {
        var begun = System.nanoTime();
        try {
            var answer = exchange(
                    url,
                    LIMIT,
                    request -> request.method(HttpMethod.POST)
                            .headers(fields -> headers.forEach(header -> fields.add(header.name(), header.value())))
                            .body(new BytesRequestContent("application/json", body)));
            var retryAfter = RetryAfter.parse(answer.retryAfter(), clock.instant());
            return new AttemptResult(answer.status(), failing(answer.status()), since(begun), retryAfter);
        } catch (SendFailure e) {
            return new AttemptResult(null, e.words(), since(begun), null);
        }
    }

    private static @Nullable String failing(int status) {
        return switch (status / 100) {
            case 2 -> null;
            case 3 -> "redirects are not followed (%d)".formatted(status);
            default -> "answered %d".formatted(status);
        };
    }

    /** Looks at an endpoint without sending it anything: resolves, connects, and asks with HEAD; 5 s at most. */
    public Preflight check(URI url) {
        return Preflight.of(url, clock.instant(), this);
    }

    /** @param limit for all of it, in whole seconds */
    Answer exchange(URI url, Duration limit, UnaryOperator<Request> filled) throws SendFailure, InterruptedException {
        client.client();
        var begun = System.nanoTime();
        var addresses = resolver.resolve(url.getHost(), limit.compareTo(RESOLVE) < 0 ? limit : RESOLVE);
        var request = filled.apply(client.request(url, addresses));
        return new DeliveryExchange().run(request, limit.minus(since(begun)), limit.toSeconds());
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** What is under way fails: stop sending before. */
    @Override
    public void close() {
        client.close();
        resolver.close();
    }
}
