package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.credentials.Callers;
import io.agentworkspace.engine.db.DatabaseSignals;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.methods.ToolMethods;
import io.agentworkspace.engine.mcp.tasks.TaskStore;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.streams.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works at tasks, whichever replica began them: claims those that nobody works at, a few at a time, and keeps its claims
 * while it does. One whose replica is lost is claimed by another when its lease has run out.
 */
public final class TaskWorkers implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(TaskWorkers.class);
    private static final String CANCELLED = "task-cancelled";

    /** Few, since long tools hold a connection to the database while they work. */
    private static final int AT_ONCE = 4;

    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final Duration RENEWAL = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final long PATIENCE_MILLIS = 2_000;

    private final TaskStore store;
    private final Callers callers;
    private final String server;
    private final ToolMethods tools;
    private final Clock clock;
    private final ConcurrentHashMap<TaskStore.Claim, TaskAttempt> running = new ConcurrentHashMap<>();
    private final ReentrantLock claiming = new ReentrantLock();
    private volatile boolean stopping;

    public TaskWorkers(TaskStore store, Callers callers, McpMethods methods, Clock clock) {
        this.store = store;
        this.callers = callers;
        this.server = methods.offer().identity().name();
        this.tools = methods.tools();
        this.clock = clock;
    }

    public void start(Ticker ticker) {
        ticker.every(LOOK, this::look);
        ticker.every(RENEWAL, this::renew);
    }

    /** There is work, probably. */
    public void wake() {
        Thread.startVirtualThread(this::claim);
    }

    private void look() {
        try {
            running.values().stream()
                    .filter(run -> run.tookTooLong()
                            || callers.current(run.principal()).isEmpty())
                    .forEach(TaskAttempt::stopForGood);
        } catch (Problem e) {
            LOG.debug("put off: {}", e.note());
        }
        claim();
    }

    private void claim() {
        if (!claiming.tryLock()) {
            return; // Whoever holds it looks as well, and in a second we look again.
        }
        try {
            var free = AT_ONCE - running.size();
            if (free > 0 && !stopping) {
                store.claim(server, free, LEASE).forEach(this::begin);
            }
        } catch (Problem e) {
            LOG.debug("put off: {}", e.note());
        } finally {
            claiming.unlock();
        }
    }

    private void begin(TaskStore.Task task) {
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
            LOG.debug("the task is tried again when its lease has run out: {}", e.note());
        } catch (RuntimeException e) {
            LOG.error(
                    "the task {} is tried again when its lease has run out",
                    run.claim().id(),
                    e);
        } finally {
            running.remove(run.claim());
            wake();
        }
    }

    /** Shows progress as the task's message, once a second at most. */
    private Consumer<String> progress(TaskStore.Claim claim) {
        var told = new AtomicLong(System.nanoTime());
        return message -> {
            var last = told.get();
            var now = System.nanoTime();
            if (now - last >= LOOK.toNanos() && told.compareAndSet(last, now)) {
                // On a thread of its own: the tool's may be in a transaction, which nobody else sees yet.
                Thread.startVirtualThread(() -> tell(claim, message));
            }
        };
    }

    private void tell(TaskStore.Claim claim, String message) {
        try {
            store.progress(claim, message, clock.instant());
        } catch (Problem e) {
            LOG.debug("not told: {}", e.note());
        } catch (RuntimeException e) {
            LOG.warn("the progress of the task {} cannot be told", claim.id(), e);
        }
    }

    private void renew() {
        var held = Set.copyOf(running.keySet());
        if (held.isEmpty()) {
            return;
        }
        try {
            var good = store.renew(held, LEASE);
            stop(claim -> held.contains(claim) && !good.contains(claim));
        } catch (Problem e) {
            LOG.debug("put off: {}", e.note());
        }
    }

    private void stop(Predicate<TaskStore.Claim> which) {
        running.values().stream().filter(run -> which.test(run.claim())).forEach(TaskAttempt::stop);
    }

    @Override
    public void heard(DatabaseSignals.Signal signal) {
        if (signal.k().equals(CANCELLED) && !signal.n().isEmpty()) {
            var id = signal.n().getFirst();
            stop(claim -> claim.tenant() == signal.t() && claim.id().equals(id));
        }
    }

    @Override
    public void gap() {
        Thread.startVirtualThread(this::renew);
    }

    /** Gives back what it works at, so that another replica goes on with it at once. */
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
