package io.agentworkspace.engine.kernel.outbound;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Makes requests to servers that a tenant named, with the protection that deliveries have: the name is resolved for each
 * request, every address is checked, and the connection leads to one of these addresses.
 */
public final class VettedClient implements AutoCloseable {
    private static final Duration RESOLVE = Duration.ofSeconds(5);
    private static final int LOOK_UPS = 64;

    private final AddressPolicy policy;
    private final AddressResolver resolver;
    private final GuardedHttpClient client;

    /** @param authorities trusted in addition to the JVM's */
    public VettedClient(AddressPolicy policy, List<X509Certificate> authorities) {
        this.policy = policy;
        this.resolver = new AddressResolver(InetAddress::getAllByName, policy, LOOK_UPS, LOOK_UPS);
        this.client = new GuardedHttpClient(authorities);
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
        var request = request(url).timeout(limit.toMillis(), TimeUnit.MILLISECONDS);
        try {
            var answer = new CompletableResponseListener(request, most).send().get();
            if (answer.getStatus() != HttpStatus.OK_200) {
                throw new IOException("it answered " + answer.getStatus());
            }
            return answer.getContent();
        } catch (ExecutionException e) {
            throw new IOException(words(Objects.requireNonNullElse(e.getCause(), e), true, limit), e);
        }
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
