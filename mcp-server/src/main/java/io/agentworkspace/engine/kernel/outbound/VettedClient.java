package io.agentworkspace.engine.kernel.outbound;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests to servers that a tenant named, with the protection that deliveries have: the name is resolved for each
 * request, every address is checked, and the connection leads to one of these addresses.
 */
public final class VettedClient implements AutoCloseable {
    private static final Duration RESOLVE = Duration.ofSeconds(5);
    private static final int LOOK_UPS = 64;
    private static final byte[] NOTHING = {};

    private final AddressPolicy policy;
    private final AddressResolver resolver;
    private final GuardedHttpClient client;

    /** @param authorities trusted in addition to the JVM's */
    public VettedClient(AddressPolicy policy, List<X509Certificate> authorities) {
        this(policy, new GuardedHttpClient(authorities));
    }

    private VettedClient(AddressPolicy policy, GuardedHttpClient client) {
        this.policy = policy;
        this.resolver = new AddressResolver(InetAddress::getAllByName, policy, LOOK_UPS, LOOK_UPS);
        this.client = client;
    }

    /** Returns the same client for public addresses only. Closing either closes the connections of both. */
    public VettedClient ofPublic() {
        return new VettedClient(AddressPolicy.PUBLIC, client);
    }

    /**
     * Parses a URL and checks what its text shows.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem if no request may be made to it
     */
    public URI parse(String url) {
        return OutboundUrl.parse(url, policy);
    }

    /**
     * Creates a request to a URL from {@link #parse}.
     *
     * @throws IOException in words for an admin, if its addresses are not allowed, or there are none
     */
    public Request request(URI url) throws IOException, InterruptedException {
        client.client();
        try {
            var addresses = resolver.resolve(url.getHost(), RESOLVE);
            if (url.getScheme().equals("http") && !addresses.stream().allMatch(VettedClient::isInside)) {
                throw new IOException("http:// is allowed only to private addresses: use https://");
            }
            return client.request(url, addresses);
        } catch (OutboundFailure e) {
            throw new IOException(e.words(), e);
        }
    }

    /**
     * Returns the body of a URL from {@link #parse}, without following redirects.
     *
     * @throws IOException in words for an admin, if there is no answer 200 of at most this many bytes
     */
    public byte[] read(URI url, int most, Duration limit) throws IOException, InterruptedException {
        var reply = reply(request(url), most, limit);
        if (reply.status() != HttpStatus.OK_200) {
            throw new IOException("it answered " + reply.status());
        }
        return reply.content();
    }

    /** A whole response. */
    public record Reply(int status, HttpFields headers, byte[] content) {}

    /**
     * What a POST sends.
     *
     * @param type of its content
     */
    public record Content(String type, byte[] bytes) {}

    /**
     * Sends a request to a URL from {@link #parse}, without following redirects.
     *
     * @param content of a POST; null for a GET
     * @throws IOException in words for an admin, if there is no response of at most this many bytes; its cause is the {@link OutboundFailure}
     */
    public Reply send(URI url, Map<String, String> headers, @Nullable Content content, int most, Duration limit)
            throws IOException, InterruptedException {
        var request = request(url).headers(fields -> headers.forEach(fields::put));
        if (content != null) {
            request.method(HttpMethod.POST).body(new BytesRequestContent(content.type(), content.bytes()));
        }
        return reply(request, most, limit);
    }

    private static Reply reply(Request request, int most, Duration limit) throws IOException, InterruptedException {
        try {
            var answer = new CompletableResponseListener(
                            request.timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                                    .idleTimeout(limit.toMillis(), TimeUnit.MILLISECONDS),
                            most)
                    .send()
                    .get();
            return new Reply(
                    answer.getStatus(), answer.getHeaders(), Objects.requireNonNullElse(answer.getContent(), NOTHING));
        } catch (ExecutionException e) {
            var failure = failure(Objects.requireNonNullElse(e.getCause(), e), most, limit);
            throw new IOException(failure.words(), failure);
        } catch (InterruptedException e) {
            request.abort(e);
            throw e;
        }
    }

    private static OutboundFailure failure(Throwable cause, int most, Duration limit) {
        return cause instanceof IllegalArgumentException // So the listener ends an answer that is too large.
                ? new OutboundFailure(OutboundFailure.Stage.SIZE, "the answer has more than %,d bytes".formatted(most))
                : OutboundFailure.of(cause, true, limit.toSeconds());
    }

    private static boolean isInside(InetAddress address) {
        return PublicAddress.refusal(address, false) != null;
    }

    /** Returns what a failure of a request was, in words for an admin. */
    public static String words(Throwable failure, boolean sent, Duration limit) {
        return OutboundFailure.of(failure, sent, limit.toSeconds()).words();
    }

    @Override
    public void close() {
        client.close();
        resolver.close();
    }
}
