package io.agentworkspace.engine.kernel.outbound;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.util.InetAddressSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which addresses the server may connect to for a customer: those of the public internet. Refused are the IANA
 * special-purpose address registries (RFC 6890, with later entries), multicast, the metadata addresses of clouds, and
 * IPv6 addresses that carry a refused IPv4 address.
 */
public final class PublicAddress {
    /**
     * A row has a network, its kind, and for some the word {@code local}, which means allowed where private addresses
     * are. The first network that contains an address decides. In IPv6, only 2000::/3 is assigned for global unicast,
     * so the last row refuses the rest. A NAT64 address is public if the IPv4 address in it is.
     */
    private static final List<AddressBlock> BLOCKS =
            """
            168.63.129.16/32   a cloud's metadata
            100.100.100.200/32 a cloud's metadata
            169.254.0.0/16     link-local
            10.0.0.0/8         private           local
            172.16.0.0/12      private           local
            192.168.0.0/16     private           local
            100.64.0.0/10      shared            local
            127.0.0.0/8        loopback          local
            0.0.0.0/8          of this network
            192.0.0.0/24       reserved
            192.0.2.0/24       for documentation
            198.51.100.0/24    for documentation
            203.0.113.0/24     for documentation
            192.31.196.0/24    reserved
            192.52.193.0/24    reserved
            192.88.99.0/24     a 6to4 relay
            192.175.48.0/24    reserved
            198.18.0.0/15      for benchmarks
            224.0.0.0/4        multicast
            255.255.255.255/32 broadcast
            240.0.0.0/4        reserved
            fd00:ec2::/32      a cloud's metadata
            fd20:ce::254/128   a cloud's metadata
            fd00:42::42/128    a cloud's metadata
            fd00:c1::a9fe:a9fe/128 a cloud's metadata
            ::1/128            loopback          local
            fc00::/7           unique-local      local
            ::/128             unspecified
            fe80::/10          link-local
            fec0::/10          site-local
            ff00::/8           multicast
            2001:db8::/32      for documentation
            3fff::/20          for documentation
            2001::/23          reserved
            2620:4f:8000::/48  reserved
            64:ff9b::/96       public
            2000::/3           public
            ::/0               reserved
            """.lines().map(AddressBlock::parse).toList();

    /** IPv6 networks whose addresses carry an IPv4 address, with its byte offset: 6to4 (RFC 3056), NAT64 (RFC 6052). */
    private static final List<Carrier> CARRIERS =
            List.of(new Carrier(only("2002::/16"), 2), new Carrier(only("64:ff9b::/96"), 12));

    private static final int INTERFACE = 8;

    private PublicAddress() {}

    private record Carrier(InetAddressSet network, int offset) {}

    private record AddressBlock(InetAddressSet network, String kind, boolean local) {
        static AddressBlock parse(String row) {
            var words = row.strip().split(" +", 2);
            var local = words[1].endsWith(" local");
            var kind = local ? words[1].substring(0, words[1].length() - " local".length()) : words[1];
            return new AddressBlock(only(words[0]), kind.strip(), local);
        }
    }

    private static InetAddressSet only(String text) {
        var network = new InetAddressSet();
        network.add(text);
        return network;
    }

    /**
     * Returns the kind of a forbidden address, such as {@code private}; null if the address is allowed.
     *
     * @param allowPrivate whether private, shared, unique-local and loopback addresses are allowed, for development
     */
    static @Nullable public String refusal(InetAddress address, boolean allowPrivate) {
        for (var each : withCarried(address)) {
            var refusal = refusalOfOne(each, allowPrivate);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    private static @Nullable String refusalOfOne(InetAddress address, boolean allowPrivate) {
        for (var block : BLOCKS) {
            if (block.network().test(address)) {
                return block.kind().equals("public") || block.local() && allowPrivate ? null : block.kind();
            }
        }
        return null;
    }

    /**
     * Returns the address and the IPv4 addresses that it carries. Those in Teredo, mapped and compatible addresses do
     * not matter: these networks are refused as a whole.
     */
    private static List<InetAddress> withCarried(InetAddress address) {
        var bytes = address.getAddress();
        var all = new ArrayList<InetAddress>();
        all.add(address);
        for (var carrier : CARRIERS) {
            if (carrier.network().test(address)) {
                all.add(carried(bytes, carrier.offset()));
            }
        }
        if (isIsatap(bytes)) {
            all.add(carried(bytes, 12));
        }
        return all;
    }

    private static InetAddress carried(byte[] address, int offset) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(address, offset, offset + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("every four bytes are an address of IPv4", e);
        }
    }

    /**
     * Returns whether the interface identifier has the form of RFC 5214, section 6.1: {@code 0000:5efe} or {@code
     * 0200:5efe}, then the IPv4 address.
     */
    private static boolean isIsatap(byte[] address) {
        return address.length == 16
                && (address[INTERFACE] & ~2) == 0
                && address[INTERFACE + 1] == 0
                && address[INTERFACE + 2] == 0x5e
                && address[INTERFACE + 3] == (byte) 0xfe;
    }
}
