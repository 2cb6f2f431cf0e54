package io.agentworkspace.engine.mcp.lanes;

import static java.util.Objects.requireNonNull;

import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.methods.ToolMethods;
import io.agentworkspace.engine.mcp.tasks.McpTaskStore;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks, whichever replica created them. Each replica claims a few unclaimed tasks at a time and renews its leases
 * while it works. If a replica fails, another one claims its tasks when their leases have expired.
 */
public final class TaskWorkers implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(TaskWorkers.class);
    private static final String CANCELLED = "task-cancelled";

    /** Kept small, since long tools hold a database connection while they run. */
    private static final int AT_ONCE = 4;

    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final Duration RENEWAL = Duration.ofSeconds(3);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final long PATIENCE_MILLIS = 2_000;

    /** Runs after the interval. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(
            POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread);

    private final McpTaskStore store;
    private final Callers callers;
    private final String server;
    private final ToolMethods tools;
    private final Clock clock;
    private final ConcurrentHashMap<McpTaskStore.ClaimedTask, TaskAttempt> running = new ConcurrentHashMap<>();
    private final ReentrantLock claiming = new ReentrantLock();
    private volatile boolean stopping;

    public TaskWorkers(McpTaskStore store, Callers callers, McpMethods methods, Clock clock) {
        this.store = store;
        this.callers = callers;
        this.server = methods.offer().identity().name();
        this.tools = methods.tools();
        this.clock = clock;
    }

    public void start(Ticker ticker) {
        ticker.every(POLL_INTERVAL, this::poll);
        ticker.every(RENEWAL, this::renew);
    }

    /** Looks for work at once. */
    public void wake() {
        Thread.startVirtualThread(this::claim);
    }

    private void poll() {
        try {
            running.values().stream()
                    .filter(run -> run.tookTooLong()
                            || callers.current(run.principal()).isEmpty())
                    .forEach(TaskAttempt::stopForGood);
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
        claim();
    }

    private void claim() {
        if (!claiming.tryLock()) {
            return; // The holder claims as well, and we retry in a second.
        }
        try {
            var free = AT_ONCE - running.size();
            if (free > 0 && !stopping) {
                store.claim(server, free, LEASE).forEach(this::begin);
            }
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        } finally {
            claiming.unlock();
        }
    }

    private void begin(McpTaskStore.Task task) {
        var run = new TaskAttempt(task);
        running.put(run.claim(), run);
        run.start(() -> work(run));
    }

    private void work(TaskAttempt run) {
        try {
            var step = run.work(tools, callers.current(run.principal()), progress(run.claim()));
            if (step.isPresent()) {
                store.step(run.claim(), step.get(), clock.instant());
            } else {
                store.release(run.claim());
            }
        } catch (Problem e) {
            LOG.debug("the task is tried again when its lease expires: {}", e.note());
        } catch (RuntimeException e) {
            LOG.error(
                    "the task {} failed; it is tried again when its lease expires",
                    run.claim().id(),
                    e);
        } finally {
            running.remove(run.claim());
            wake();
        }
    }

    /** Shows progress as the task's message: the latest one, at most once a second. */
    private Consumer<String> progress(McpTaskStore.ClaimedTask claim) {
        var latest = new AtomicReference<@Nullable String>();
        return message -> {
            if (latest.getAndSet(message) == null) {
                // On a separate thread: the tool may be in a transaction, which hides the update until it commits.
                LATER.execute(() -> report(claim, requireNonNull(latest.getAndSet(null))));
            }
        };
    }

    private void report(McpTaskStore.ClaimedTask claim, String message) {
        try {
            store.progress(claim, message, clock.instant());
        } catch (Problem e) {
            LOG.debug("progress was not reported: {}", e.note());
        } catch (RuntimeException e) {
            LOG.warn("cannot report the progress of the task {}", claim.id(), e);
        }
    }

    private void renew() {
        var claims = Set.copyOf(running.keySet());
        if (claims.isEmpty()) {
            return;
        }
        try {
            var good = store.renew(claims, LEASE);
            stop(claim -> claims.contains(claim) && !good.contains(claim));
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
    }

    private void stop(Predicate<McpTaskStore.ClaimedTask> which) {
        running.values().stream().filter(run -> which.test(run.claim())).forEach(TaskAttempt::stop);
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(CANCELLED) && !signal.n().isEmpty()) {
            var id = signal.n().getFirst();
            stop(claim -> claim.tenant() == signal.t() && claim.id().equals(id));
        }
    }

    @Override
    public void gap() {
        Thread.startVirtualThread(this::renew);
    }

    /** Releases the running tasks, so that another replica continues them at once. */
    public void stop() {
        stopping = true;
        stop(_ -> true);
        try {
            for (var waited = 0; waited < PATIENCE_MILLIS && !running.isEmpty(); waited += 20) {
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
