package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.push.PushStore.Changed;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.TaskQueries;
import io.agentworkspace.engine.a2a.tasks.TaskReader;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.scheduling.WorkLoop;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for tasks whose state has changed, and puts a notification for each into the outbox. It reads a task with the permissions of the
 * credential that made the push notification. Without access to the agent it sends nothing. If the credential has ended, so does the push notification.
 */
public final class PushLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PushLoop.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int MOST = 100;

    private final PushStore store;
    private final Callers callers;
    private final ToolRunner runner;
    private final TaskQueries queries;
    private final TaskReader reader;
    private final Clock clock;

    private PushLoop(
            PushStore store, Callers callers, ToolRunner runner, TaskQueries queries, TaskReader reader, Clock clock) {
        this.store = store;
        this.callers = callers;
        this.runner = runner;
        this.queries = queries;
        this.reader = reader;
        this.clock = clock;
    }

    public static void addTo(
            Feature feature,
            PushStore store,
            Callers callers,
            ToolRunner runner,
            TaskQueries queries,
            TaskReader reader,
            Clock clock) {
        var pushes = new PushLoop(store, callers, runner, queries, reader, clock);
        var loop = new WorkLoop(
                "states of tasks are put into the outbox", Thread.ofVirtual().name("a2a: push"), PAUSE, pushes::round);
        feature.running(loop, loop::start);
    }

    private boolean round() {
        store.clear();
        var changed = store.changed(clock.instant(), MOST);
        changed.forEach(this::look);
        return changed.size() == MOST;
    }

    private void look(Changed push) {
        var caller = callers.current(push.principal()).filter(current -> current.tenant() == push.tenant());
        if (caller.isEmpty()) {
            store.forget(push);
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
        } catch (A2aError refused) {
            if (refused.problem() != null && refused.problem().failure() == Failure.UNAVAILABLE) {
                throw refused.problem(); // The next round looks again.
            }
            LOG.debug("no push notification of the task {}: {}", push.task(), refused.getMessage());
            store.looked(push, now);
        }
    }
}
