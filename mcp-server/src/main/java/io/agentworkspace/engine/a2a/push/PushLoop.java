package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.push.PushStore.Changed;
import io.agentworkspace.engine.a2a.push.PushStore.Owner;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.TaskQueries;
import io.agentworkspace.engine.a2a.tasks.TaskReader;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.scheduling.WorkLoop;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for tasks whose state has changed, and puts a notification for each into the outbox. It reads a task with the permissions of the
 * credential that made the push notification. Without access to the agent it sends nothing. If the credential has ended, so does the push notification.
 */
public final class PushLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PushLoop.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** When a task is looked at again that could not be read: access may come back. */
    private static final Duration LATER = Duration.ofMinutes(1);

    private static final int MOST = 100;

    /** How many rounds are left out while there are no push notifications: those of other replicas are noticed then. */
    private static final int REST = 10;

    private final PushStore store;
    private final Callers callers;
    private final ToolRunner runner;
    private final TaskQueries queries;
    private final TaskReader reader;
    private final Clock clock;
    private final AtomicInteger resting = new AtomicInteger();

    public PushLoop(
            PushStore store, Callers callers, ToolRunner runner, TaskQueries queries, TaskReader reader, Clock clock) {
        this.store = store;
        this.callers = callers;
        this.runner = runner;
        this.queries = queries;
        this.reader = reader;
        this.clock = clock;
    }

    public void addTo(Feature feature) {
        var loop = new WorkLoop(
                "states of tasks are put into the outbox", Thread.ofVirtual().name("a2a: push"), PAUSE, this::round);
        feature.running(loop, loop::start).background(work -> work.clearing("push notifications", _ -> clear()));
    }

    /** There is another push notification. */
    public void made() {
        resting.set(0);
    }

    private boolean round() {
        if (resting.getAndUpdate(left -> Math.max(left - 1, 0)) > 0) {
            return false;
        }
        resting.set(REST); // Before the look: made() ends the rest.
        if (!store.isAny()) {
            return false;
        }
        resting.set(0);
        var changed = store.changed(clock.instant(), MOST);
        changed.forEach(this::look);
        return changed.size() == MOST;
    }

    /** Deletes those that have ended, and those of credentials that are not valid any more. */
    private void clear() {
        store.owners().stream().filter(owner -> current(owner).isEmpty()).forEach(store::forget);
        store.clear();
    }

    private Optional<Caller> current(Owner owner) {
        return callers.current(owner.principal()).filter(caller -> caller.tenant() == owner.tenant());
    }

    private void look(Changed push) {
        var caller = current(push.owner());
        if (caller.isEmpty()) {
            store.forget(push.owner());
            return;
        }
        var call = new AgentCall(
                runner,
                caller.get().asProgram(),
                "push-" + push.endpoint(),
                AgentCall.source("push", null),
                () -> true);
        var now = clock.instant();
        try {
            var place = call.find(queries, push.agent());
            reader.state(place, push.task().toString())
                    .filter(task -> !PushStore.state(task).equals(push.was()))
                    .ifPresentOrElse(task -> store.tell(push, task, now), () -> store.looked(push, now));
        } catch (RuntimeException failed) {
            var problem = failed instanceof A2aError refused ? refused.problem() : failed;
            if (problem instanceof Problem known && known.failure() == Failure.UNAVAILABLE) {
                throw known; // The next round looks again.
            }
            if (problem instanceof Problem) {
                LOG.debug("no push notification of the task {}: {}", push.task(), problem.getMessage());
            } else { // A defect at one task does not stop the others.
                LOG.error("the state of the task {} could not be read", push.task(), failed);
            }
            store.later(push, now.plus(LATER));
        }
    }
}
