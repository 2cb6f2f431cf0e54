package io.agentworkspace.engine.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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

/**
 * The proxies in front of this server that are believed when they tell whose request they pass on, in {@code X-Forwarded-For}
 * or {@code Forwarded} (RFC 7239). Of several addresses the last counts that is none of theirs: what precedes it anybody can write.
 */
public final class Proxies {
    private static final Pattern FOR = Pattern.compile("(?i)(?:^|;)\\s*for\\s*=\\s*(\"[^\"]*\"|[^;\\s]*)");
    private static final Pattern WITH_PORT = Pattern.compile("\\[([^\\]]*)\\](?::\\w+)?|([^:]*):\\w+");

    private final List<Network> trusted;

    /** @param trusted addresses, or networks like {@code 10.0.0.0/8} */
    public Proxies(Collection<String> trusted) {
        this.trusted = trusted.stream().map(Network::parse).toList();
    }

    /** The addresses that begin with so many bits of this one. */
    private record Network(InetAddress address, int bits) {
        static Network parse(String text) {
            var parts = text.strip().split("/", 2);
            var address = InetAddress.ofLiteral(parts[0]);
            var longest = address.getAddress().length * Byte.SIZE;
            var bits = parts.length == 1 ? longest : Integer.parseInt(parts[1]);
            if (bits < 0 || bits > longest) {
                throw new IllegalArgumentException("'%s' is not a network".formatted(text));
            }
            return new Network(address, bits);
        }

        boolean has(InetAddress other) {
            var mine = address.getAddress();
            var its = other.getAddress();
            var whole = bits / Byte.SIZE;
            var mask = 0xff << (Byte.SIZE - bits % Byte.SIZE) & 0xff;
            return mine.length == its.length
                    && Arrays.equals(mine, 0, whole, its, 0, whole)
                    && (mask == 0 || (mine[whole] & mask) == (its[whole] & mask));
        }
    }

    /** Throws an {@code IllegalArgumentException} where the text is neither an address nor a network. */
    public static String checked(String text) {
        Network.parse(text);
        return text.strip();
    }

    /** The request as its client has sent it: from then on its address is the client's. */
    Request seenThrough(Request request) {
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

    private boolean isTrusted(InetAddress address) {
        return trusted.stream().anyMatch(network -> network.has(address));
    }

    /** A proxy that writes one of the headers may pass on the other as a stranger wrote it: both must not disagree. */
    private InetAddress client(Request request, InetAddress peer) {
        var plain = parts(request, HttpHeader.X_FORWARDED_FOR).toList();
        var named = parts(request, HttpHeader.FORWARDED).map(Proxies::whom).toList();
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
