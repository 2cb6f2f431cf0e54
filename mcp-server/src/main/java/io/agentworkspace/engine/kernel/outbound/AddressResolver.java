package io.agentworkspace.engine.kernel.outbound;

import io.agentworkspace.engine.kernel.outbound.OutboundFailure.Stage;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves names on every attempt, and returns only allowed addresses. A name with a single forbidden address is
 * refused: such a response is either broken or malicious.
 */
public final class AddressResolver implements AutoCloseable {
    /**
     * The number of concurrent look-ups. They run on platform threads, since a look-up blocks in native code and would
     * pin a virtual thread's carrier.
     */
    private static final int THREADS = 128;

    /** The number of look-ups that may wait for a thread. It is more than normal use needs; others are refused. */
    private static final int WAITING = 256;

    private static final int MOST_ADDRESSES = 16;

    private final Lookup lookup;
    private final AddressPolicy policy;
    private final ConcurrentHashMap<String, CompletableFuture<List<InetAddress>>> underWay = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;

    /** Returns all addresses of a name. The implementation is DNS through {@link InetAddress#getAllByName}. */
    @FunctionalInterface
    public interface Lookup {
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    public AddressResolver(Lookup lookup, boolean allowPrivate) {
        this(lookup, AddressPolicy.ofPrivate(allowPrivate), THREADS, WAITING);
    }

    public AddressResolver(Lookup lookup, AddressPolicy policy, int atOnce, int waiting) {
        this.lookup = lookup;
        this.policy = policy;
        this.threads = new ThreadPoolExecutor(
                atOnce,
                atOnce,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(waiting),
                Thread.ofPlatform().name("webhook-names-", 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
    }

    public AddressPolicy policy() {
        return policy;
    }

    /** Returns the addresses in the order of the look-up. Sets with the same addresses are equal. */
    public Set<InetAddress> resolve(String host, Duration limit) throws OutboundFailure, InterruptedException {
        var addresses = new LinkedHashSet<InetAddress>();
        for (var address : lookedUp(host, limit)) {
            var kind = policy.refusal(address);
            if (kind != null) {
                // The address is not disclosed: the name may belong to a network that the caller cannot see into.
                throw new OutboundFailure(Stage.RESOLVE, "the name leads to an address that is not allowed: " + kind);
            }
            if (addresses.size() < MOST_ADDRESSES) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    private List<InetAddress> lookedUp(String host, Duration limit) throws OutboundFailure, InterruptedException {
        try {
            return startLookup(host).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new OutboundFailure(
                    Stage.RESOLVE,
                    e.getCause() instanceof RejectedExecutionException
                            ? "the name was not looked up: too many are at once"
                            : "the name does not resolve");
        } catch (TimeoutException e) {
            throw new OutboundFailure(Stage.RESOLVE, "the name did not resolve in time");
        }
    }

    /** Starts a look-up, which concurrent callers share, so that a name with slow servers holds only one thread. */
    private CompletableFuture<List<InetAddress>> startLookup(String host) {
        var mine = new CompletableFuture<List<InetAddress>>();
        var others = underWay.putIfAbsent(host, mine);
        if (others != null) {
            return others;
        }
        try {
            threads.execute(() -> resolve(host, mine));
        } catch (RejectedExecutionException e) {
            underWay.remove(host);
            mine.completeExceptionally(e);
        }
        return mine;
    }

    private void resolve(String host, CompletableFuture<List<InetAddress>> future) {
        try {
            var found = List.of(lookup.addresses(host));
            underWay.remove(host);
            future.complete(found);
        } catch (UnknownHostException | RuntimeException e) {
            underWay.remove(host);
            future.completeExceptionally(e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
