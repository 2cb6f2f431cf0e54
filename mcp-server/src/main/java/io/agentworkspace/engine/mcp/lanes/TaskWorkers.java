package io.agentworkspace.engine.mcp.lanes;

import static java.util.Objects.requireNonNull;

import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.scheduling.Worker;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.methods.ToolMethods;
import io.agentworkspace.engine.mcp.tasks.McpTaskStore;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks, whichever replica created them: each replica claims a few at a time. */
public final class TaskWorkers implements Worker.Queue<TaskAttempt>, DatabaseSignals.Listener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskWorkers.class);
    private static final String CANCELLED = "task-cancelled";

    /** Kept small, since long tools hold a database connection while they run. */
    private static final int AT_ONCE = 4;

    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    /** Runs after the interval. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(
            POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread);

    private final McpTaskStore store;
    private final Callers callers;
    private final String server;
    private final ToolMethods tools;
    private final Clock clock;
    private final Worker<TaskAttempt> worker = new Worker<>(
            "tasks are run",
            Thread.ofVirtual().name("tasks"),
            new Worker.Pace(AT_ONCE, POLL_INTERVAL, Duration.ZERO),
            this);

    public TaskWorkers(McpTaskStore store, Callers callers, McpMethods methods, Clock clock) {
        this.store = store;
        this.callers = callers;
        this.server = methods.offer().identity().name();
        this.tools = methods.tools();
        this.clock = clock;
    }

    public void start() {
        worker.start();
    }

    /** Looks for work at once. */
    public void wake() {
        worker.wake();
    }

    @Override
    public List<TaskAttempt> claim(int most) {
        return store.claim(server, most, LEASE).stream()
                .flatMap(task -> attempt(task).stream())
                .toList();
    }

    /** Returns a task's next attempt; nothing if what is stored of it cannot be read, as after a change of the version. */
    private static Optional<TaskAttempt> attempt(McpTaskStore.Task task) {
        try {
            return Optional.of(new TaskAttempt(task));
        } catch (RuntimeException e) {
            LOG.warn("cannot read the stored task {}", task.claim().id(), e);
            return Optional.empty();
        }
    }

    @Override
    public boolean work(TaskAttempt run) {
        var step = run.work(tools, callers.current(run.principal()), progress(run.claim()));
        step.ifPresentOrElse(done -> store.step(run.claim(), done, clock.instant()), () -> store.release(run.claim()));
        return true;
    }

    @Override
    public boolean renew(TaskAttempt run) {
        if (run.tookTooLong() || callers.current(run.principal()).isEmpty()) {
            run.stopForGood();
        }
        return store.renew(run.claim(), LEASE);
    }

    @Override
    public void stop(TaskAttempt run) {
        run.stop();
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

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(CANCELLED) && !signal.n().isEmpty()) {
            var id = signal.n().getFirst();
            worker.running().stream()
                    .filter(run -> run.claim().tenant() == signal.t()
                            && run.claim().id().equals(id))
                    .forEach(TaskAttempt::stop);
        }
    }

    @Override
    public void gap() {
        worker.renew();
    }

    /** Releases the running tasks, so that another replica continues them at once. */
    @Override
    public void close() {
        worker.close();
    }
}
