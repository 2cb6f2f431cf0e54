package io.agentworkspace.engine.webhooks.sender;

import io.agentworkspace.engine.webhooks.sender.SendFailure.Stage;
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
 * Looks names up, each time anew, and gives only addresses that may be connected to. A name with a single bad address is refused
 * whole: what answers so is broken or means harm.
 */
public final class AddressResolver implements AutoCloseable {
    /** As many look-ups at once; threads of the platform, since one blocks in native code and would hold up all virtual ones. */
    private static final int THREADS = 128;

    /** As many wait for a thread, which is more than are asked for while servers answer; any others are refused. */
    private static final int WAITING = 256;

    private static final int MOST_ADDRESSES = 16;

    private final Lookup lookup;
    private final boolean allowPrivate;
    private final ConcurrentHashMap<String, CompletableFuture<List<InetAddress>>> underWay = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;

    /** All addresses of a name: DNS, as {@link InetAddress#getAllByName} knows it. */
    @FunctionalInterface
    public interface Lookup {
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    public AddressResolver(Lookup lookup, boolean allowPrivate) {
        this(lookup, allowPrivate, THREADS, WAITING);
    }

    AddressResolver(Lookup lookup, boolean allowPrivate, int atOnce, int waiting) {
        this.lookup = lookup;
        this.allowPrivate = allowPrivate;
        this.threads = new ThreadPoolExecutor(
                atOnce,
                atOnce,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(waiting),
                Thread.ofPlatform().name("webhook-names-", 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
    }

    boolean allowPrivate() {
        return allowPrivate;
    }

    /** In the order of the look-up; two sets are equal when the same addresses are in them. */
    Set<InetAddress> resolve(String host, Duration limit) throws SendFailure, InterruptedException {
        var addresses = new LinkedHashSet<InetAddress>();
        for (var address : lookedUp(host, limit)) {
            var kind = PublicAddress.refusal(address, allowPrivate);
            if (kind != null) {
                // Not which one: the name may be one of a network that its asker cannot see into.
                throw new SendFailure(Stage.RESOLVE, "the name leads to an address that is not allowed: " + kind);
            }
            if (addresses.size() < MOST_ADDRESSES) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    private List<InetAddress> lookedUp(String host, Duration limit) throws SendFailure, InterruptedException {
        try {
            return begun(host).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new SendFailure(
                    Stage.RESOLVE,
                    e.getCause() instanceof RejectedExecutionException
                            ? "the name was not looked up: too many are at once"
                            : "the name does not resolve");
        } catch (TimeoutException e) {
            throw new SendFailure(Stage.RESOLVE, "the name did not resolve in time");
        }
    }

    /** One look-up for all who ask at the same moment, so that a name whose servers are slow holds one thread. */
    private CompletableFuture<List<InetAddress>> begun(String host) {
        var mine = new CompletableFuture<List<InetAddress>>();
        var others = underWay.putIfAbsent(host, mine);
        if (others != null) {
            return others;
        }
        try {
            threads.execute(() -> look(host, mine));
        } catch (RejectedExecutionException e) {
            underWay.remove(host);
            mine.completeExceptionally(e);
        }
        return mine;
    }

    private void look(String host, CompletableFuture<List<InetAddress>> asked) {
        try {
            var found = List.of(lookup.addresses(host));
            underWay.remove(host);
            asked.complete(found);
        } catch (UnknownHostException | RuntimeException e) {
            underWay.remove(host);
            asked.completeExceptionally(e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
