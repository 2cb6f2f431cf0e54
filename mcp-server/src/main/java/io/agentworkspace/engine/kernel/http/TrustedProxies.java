package io.agentworkspace.engine.kernel.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.InetAddressSet;

/**
 * The trusted proxies in front of this server, which name the client of a request in {@code X-Forwarded-For} or
 * {@code Forwarded} (RFC 7239). Of several addresses, the last one that is not a trusted proxy's counts: anyone can
 * write those before it.
 */
public final class TrustedProxies {
    private static final Pattern FOR = Pattern.compile("(?i)(?:^|;)\\s*for\\s*=\\s*(\"[^\"]*\"|[^;\\s]*)");
    private static final Pattern WITH_PORT = Pattern.compile("\\[([^\\]]*)\\](?::\\w+)?|([^:]*):\\w+");

    private final InetAddressSet trusted = new InetAddressSet();

    /** @param trusted addresses, or networks like {@code 10.0.0.0/8} */
    public TrustedProxies(Collection<String> trusted) {
        trusted.stream().map(TrustedProxies::checked).forEach(this.trusted::add);
    }

    /**
     * Checks that the text is an address or a network. Jetty would also accept ranges and resolve names.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static String checked(String text) {
        var parts = text.strip().split("/", 2);
        var address = InetAddress.ofLiteral(parts[0]);
        var network = parts.length == 1 ? parts[0] : begin(address, Integer.parseInt(parts[1])) + "/" + parts[1];
        new InetAddressSet().add(network);
        return network;
    }

    /** Returns the first address of the network, as Jetty requires: {@code 10.1.2.3/8} means {@code 10.0.0.0/8}. */
    private static String begin(InetAddress address, int bits) {
        var bytes = address.getAddress();
        if (bits < 0 || bits > 8 * bytes.length) {
            throw new IllegalArgumentException("a prefix has 0 to %d bits".formatted(8 * bytes.length));
        }
        for (var i = 0; i < bytes.length; i++) {
            var kept = Math.clamp(bits - 8L * i, 0, 8);
            bytes[i] &= (byte) (0xff << (8 - kept));
        }
        try {
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns the request as its client sent it, with the client's address. */
    public Request seenThrough(Request request) {
        if (!(request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress peer)
                || !isTrusted(peer.getAddress())) {
            return request;
        }
        var client = client(request, peer.getAddress());
        return client.equals(peer.getAddress()) ? request : from(request, new InetSocketAddress(client, 0));
    }

    private static Request from(Request request, InetSocketAddress client) {
        var connection = new ConnectionMetaData.Wrapper(request.getConnectionMetaData()) {
            @Override
            public SocketAddress getRemoteSocketAddress() {
                return client;
            }
        };
        return new Request.Wrapper(request) {
            @Override
            public ConnectionMetaData getConnectionMetaData() {
                return connection;
            }
        };
    }

    /** Returns whether an address is one of the proxies. */
    public boolean isTrusted(InetAddress address) {
        return trusted.test(address);
    }

    /**
     * Returns the client's address. A proxy that writes one of the headers may pass on the other as a client wrote
     * it, so the two must agree.
     */
    private InetAddress client(Request request, InetAddress peer) {
        var plain = parts(request, HttpHeader.X_FORWARDED_FOR).toList();
        var named =
                parts(request, HttpHeader.FORWARDED).map(TrustedProxies::whom).toList();
        var byPlain = last(plain, peer);
        var byNamed = last(named, peer);
        if (plain.isEmpty() || named.isEmpty()) {
            return plain.isEmpty() ? byNamed : byPlain;
        }
        return byPlain.equals(byNamed) ? byPlain : peer;
    }

    private static Stream<String> parts(Request request, HttpHeader header) {
        return request.getHeaders().getFields(header).stream()
                .flatMap(field -> Arrays.stream(
                        Objects.requireNonNullElse(field.getValue(), "").split(",")))
                .map(String::strip)
                .filter(part -> !part.isEmpty());
    }

    private static String whom(String element) {
        var found = FOR.matcher(element);
        return found.find() ? found.group(1).replace("\"", "").strip() : "";
    }

    private InetAddress last(List<String> chain, InetAddress peer) {
        var address = peer;
        for (var hop : chain.reversed()) {
            var next = address(hop);
            if (next.isEmpty()) {
                return address;
            }
            address = next.get();
            if (!isTrusted(address)) {
                return address;
            }
        }
        return address;
    }

    private static Optional<InetAddress> address(String hop) {
        var parts = WITH_PORT.matcher(hop.toLowerCase(Locale.ROOT));
        var bare = !parts.matches() ? hop : parts.group(1) == null ? parts.group(2) : parts.group(1);
        try {
            return Optional.of(InetAddress.ofLiteral(bare));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
