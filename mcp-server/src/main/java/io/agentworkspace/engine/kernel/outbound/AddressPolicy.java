package io.agentworkspace.engine.kernel.outbound;

import java.net.InetAddress;
import java.util.Collection;
import org.eclipse.jetty.util.InetAddressSet;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses the server may connect to for a customer: those of the public internet, and what the operator allowed.
 *
 * @param everyPrivate whether all private and loopback addresses are allowed, for development
 * @param networks private networks that are allowed
 * @param setting the setting by which the operator allows others; null if nothing does
 */
public record AddressPolicy(
        boolean everyPrivate,
        InetAddressSet networks,
        @Nullable String setting) {
    /** Only the public internet, over https, whatever else is allowed: for what strangers make the engine read. */
    public static final AddressPolicy PUBLIC = new AddressPolicy(false, new InetAddressSet(), null);

    public static AddressPolicy ofPrivate(boolean everyPrivate) {
        return new AddressPolicy(everyPrivate, new InetAddressSet(), "ENGINE_WEBHOOKS_ALLOW_PRIVATE");
    }

    /** @param networks addresses, or networks like {@code 10.0.0.0/8} */
    public static AddressPolicy allowing(Collection<String> networks) {
        var set = new InetAddressSet();
        set.addAll(networks);
        return new AddressPolicy(false, set, "ENGINE_UPSTREAMS_ALLOW");
    }

    /** Returns whether {@code http://} and every port are allowed, to addresses that are not public. */
    boolean allowsPlain() {
        return everyPrivate || !networks.isEmpty();
    }

    /** Returns what is wrong with the address, in words; null if it is allowed. */
    @Nullable
    String refusal(InetAddress address) {
        return networks.test(address) ? null : PublicAddress.refusal(address, everyPrivate);
    }
}
