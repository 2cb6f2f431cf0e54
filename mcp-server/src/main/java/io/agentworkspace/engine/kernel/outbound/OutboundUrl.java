package io.agentworkspace.engine.kernel.outbound;

import io.agentworkspace.engine.model.problem.Problem;
import java.net.IDN;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Validates the text of a URL that a customer has given: {@code https} (or {@code http} where private addresses are allowed),
 * a host in canonical spelling, no user info, no fragment. The host's addresses are checked when something is sent.
 */
public final class OutboundUrl {
    private static final int LONGEST = 2_000;
    private static final int LONGEST_HOST = 253;
    private static final int HIGHEST_PORT = 65_535;

    private static final Pattern PARTS = Pattern.compile("(?is)([a-z][a-z0-9+.-]*)://([^/?#]*)(.*)");
    private static final Pattern AUTHORITY = Pattern.compile("(?s)(\\[[^\\]]*\\]|[^:\\[\\]]*)(?::(.*))?");
    private static final Pattern NAME =
            Pattern.compile("(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)*+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])(?:\\.(?!$)|$)){4}");

    /** A host name that some parsers read as a number (WHATWG URL, "ends in a number"). */
    private static final Pattern NUMBER_AT_END = Pattern.compile("(?:.*\\.)?(?:\\d+|0x[0-9a-f]*)");

    /** The characters that IDNA 2003 and 2008 map to different names: sharp s, final sigma, the two joiners. */
    private static final Pattern AMBIGUOUS = Pattern.compile("[\u00df\u1e9e\u03c2\u200c\u200d]");

    /** Ports of protocols other than HTTP: the "bad ports" of the Fetch standard, which browsers refuse too. */
    private static final Set<Integer> BAD_PORTS = Set.of(
            1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
            109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
            526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
            3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080);

    private OutboundUrl() {}

    /**
     * Parses and normalises: scheme and host in lower case and ASCII, no default port, at least the path {@code /}.
     *
     * @param allowPrivate whether {@code http}, private addresses and all ports are allowed
     * @throws Problem {@code too_large} or {@code invalid_field}, with a note that says what is right
     */
    public static URI parse(String text, boolean allowPrivate) {
        return parse(text, AddressPolicy.ofPrivate(allowPrivate));
    }

    /** @throws Problem {@code too_large} or {@code invalid_field}, with a note that says what is right */
    public static URI parse(String text, AddressPolicy policy) {
        var length = text.codePointCount(0, text.length());
        if (length > LONGEST) {
            throw Problem.tooLarge("url", length, LONGEST, "characters");
        }
        var parts = PARTS.matcher(text);
        if (!parts.matches()) {
            throw wrong("must be a whole address, like https://hooks.example.com/engine");
        }
        var scheme = scheme(parts.group(1), policy);
        var authority = authority(parts.group(2));
        var rest = parts.group(3);
        if (rest.indexOf('#') >= 0) {
            throw wrong("must have no fragment: leave out '#' and what follows it");
        }
        var host = host(authority[0], policy);
        var path = rest.startsWith("/") ? rest : "/" + rest;
        return whole(scheme + "://" + host + port(authority[1], scheme, policy.allowsPlain()) + path);
    }

    private static URI whole(String text) {
        try {
            var url = URI.create(URI.create(text).toASCIIString());
            if (url.toString().length() > LONGEST) {
                throw Problem.tooLarge("url, percent-encoded,", url.toString().length(), LONGEST, "characters");
            }
            if (url.getHost() == null) {
                throw wrong("must have a host whose last part begins with a letter, like hooks.example.com");
            }
            return url;
        } catch (IllegalArgumentException e) {
            throw wrong("has a character that a URL cannot hold, such as a space or a backslash: percent-encode it");
        }
    }

    private static String scheme(String text, AddressPolicy policy) {
        var scheme = text.toLowerCase(Locale.ROOT);
        if (scheme.equals("https") || scheme.equals("http") && policy.allowsPlain()) {
            return scheme;
        }
        if (policy.allowsPlain()) {
            throw wrong("must begin with https:// or http://");
        }
        throw wrong(
                policy.setting() == null
                        ? "must begin with https://"
                        : "must begin with https://; the operator allows http:// with " + policy.setting());
    }

    /** Returns host and port; the port is empty if none is given. */
    private static String[] authority(String text) {
        if (text.indexOf('@') >= 0) {
            throw wrong("must have no user info: leave out what stands before '@'; deliveries are signed instead");
        }
        var parts = AUTHORITY.matcher(text);
        if (!parts.matches()) {
            throw wrong("must name a host, like https://hooks.example.com/engine");
        }
        return new String[] {parts.group(1), parts.group(2) == null ? "" : ":" + parts.group(2)};
    }

    private static String port(String text, String scheme, boolean allowPrivate) {
        if (text.isEmpty()) {
            return "";
        }
        if (!text.matches(":[1-9][0-9]{0,4}") || Integer.parseInt(text.substring(1)) > HIGHEST_PORT) {
            throw wrong("must have a port from 1 to 65535, or none");
        }
        if (!allowPrivate && BAD_PORTS.contains(Integer.parseInt(text.substring(1)))) {
            throw wrong(
                    "must not have the port %s, where something else than HTTP is spoken: leave it out, or take one like 8443"
                            .formatted(text.substring(1)));
        }
        return text.equals(scheme.equals("https") ? ":443" : ":80") ? "" : text;
    }

    private static String host(String text, AddressPolicy policy) {
        if (text.isEmpty()) {
            throw wrong("must name a host, like https://hooks.example.com/engine");
        }
        if (text.startsWith("[")) {
            return "[" + vetted(ipv6(text.substring(1, text.length() - 1)), policy) + "]";
        }
        var name = ascii(text).toLowerCase(Locale.ROOT);
        if (IPV4.matcher(name).matches()) {
            return vetted(InetAddress.ofLiteral(name), policy);
        }
        if (NUMBER_AT_END.matcher(name).matches()) {
            throw wrong("must spell an IPv4 address as four decimal numbers, like 198.41.0.4");
        }
        if (name.length() > LONGEST_HOST || !NAME.matcher(name).matches()) {
            throw wrong("must have a host of letters, digits, '-' and single dots between, like hooks.example.com");
        }
        if (!policy.allowsPlain() && (name.equals("localhost") || name.endsWith(".localhost"))) {
            throw wrong("leads to this machine itself: name a host that can be reached from the internet");
        }
        return name;
    }

    /** Returns the ASCII form of an internationalised name, as DNS uses it (IDNA 2003, by {@link IDN}). */
    private static String ascii(String host) {
        if (host.chars().allMatch(c -> c < 0x80)) {
            return host;
        }
        if (AMBIGUOUS.matcher(host).find()) {
            throw wrong("has a host that is spelt in two ways in ASCII: give it in the form that begins with xn--");
        }
        try {
            return IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES);
        } catch (IllegalArgumentException e) {
            throw wrong("has a host that is no international name: give it in the form that begins with xn--");
        }
    }

    private static Inet6Address ipv6(String text) {
        try {
            if (text.indexOf('%') < 0 && InetAddress.ofLiteral(text) instanceof Inet6Address address) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // The same text as for an IPv4 address in brackets.
        }
        throw wrong(
                "must have a plain IPv6 address between '[' and ']', without a zone and not one that stands for IPv4");
    }

    private static String vetted(InetAddress address, AddressPolicy policy) {
        var kind = policy.refusal(address);
        if (kind != null) {
            throw wrong("leads to %s, which is %s: name a host that can be reached from the internet"
                    .formatted(address.getHostAddress(), kind));
        }
        return address.getHostAddress();
    }

    private static Problem wrong(String rule) {
        return Problem.invalid("url", rule);
    }
}
