package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.push.PushStore.ClaimedPush;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.TaskQueries;
import io.agentworkspace.engine.a2a.tasks.TaskReader;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.scheduling.Worker;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sends tasks to where their clients want to be notified, at least once for each change that lasts, until they have ended. */
public final class PushQueue implements Worker.Queue<ClaimedPush> {
    private static final String TYPE = "application/a2a+json";
    private static final Worker.Pace PACE = new Worker.Pace(32, Duration.ofSeconds(1), Duration.ofMillis(200));

    /** Longer than an attempt can take. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final int TRIES = 12;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(30);

    private final PushStore store;
    private final Sender sender;
    private final Callers callers;
    private final ToolRunner runner;
    private final TaskReader reader;
    private final TaskQueries queries;
    private final Clock clock;
    private final Worker<ClaimedPush> worker =
            new Worker<>("tasks are sent", Thread.ofVirtual().name("a2a: push"), PACE, this);

    public PushQueue(
            PushConfigs configs,
            Sender sender,
            Callers callers,
            ToolRunner runner,
            TaskReader reader,
            TaskQueries queries,
            Clock clock) {
        this.store = configs.store();
        this.sender = sender;
        this.callers = callers;
        this.runner = runner;
        this.reader = reader;
        this.queries = queries;
        this.clock = clock;
    }

    /** Adds its loop and its clearing to the feature. */
    public Feature addTo(Feature feature) {
        return feature.running(worker, worker::start)
                .background(work -> work.clearing("push notifications", store::purge));
    }

    @Override
    public List<ClaimedPush> claim(int most) {
        return store.claim(most, clock.instant(), LEASE);
    }

    @Override
    public boolean work(ClaimedPush push) {
        var task = task(push);
        if (task.isEmpty()) {
            store.delete(push); // Its caller may not read it any more, or it is gone.
        } else if (task.get().version().equals(push.sent())) {
            store.sent(push, push.sent(), clock.instant());
        } else if (deliver(push, task.get())) {
            done(push, task.get());
        } else {
            failed(push);
        }
        return true;
    }

    private void done(ClaimedPush push, TaskRecord task) {
        if (task.state().isFinal()) {
            store.delete(push);
        } else {
            store.sent(push, task.version(), clock.instant());
        }
    }

    private void failed(ClaimedPush push) {
        if (push.tries() >= TRIES) {
            store.delete(push);
            return;
        }
        var pause = Duration.ofSeconds(1L << push.tries());
        store.later(push, clock.instant().plus(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE));
    }

    private Optional<TaskRecord> task(ClaimedPush push) {
        var caller = callers.current(push.principal()).filter(current -> current.tenant() == push.tenant());
        if (caller.isEmpty()) {
            return Optional.empty();
        }
        var call = AgentCall.unasked(runner, caller.get(), "push-" + push.id());
        try {
            return reader.look(
                    call, call.find(queries, push.agent()), push.task().toString());
        } catch (A2aError refused) {
            if (AgentCall.isMissing(refused) || refused.status() == 403) {
                return Optional.empty();
            }
            throw refused; // It is tried again when the lease has expired.
        }
    }

    private boolean deliver(ClaimedPush push, TaskRecord task) {
        var config = store.open(push.tenant(), push.task(), push.sealed());
        var headers = new ArrayList<Sender.Header>();
        if (!config.token().isEmpty()) {
            headers.add(new Sender.Header("X-A2A-Notification-Token", config.token()));
        }
        if (!config.scheme().isEmpty()) {
            headers.add(new Sender.Header("Authorization", (config.scheme() + " " + config.credentials()).strip()));
        }
        headers.add(new Sender.Header("A2A-Version", "1.0"));
        var body = Json.object();
        body.set("task", task.json(true, 0));
        try {
            return sender.send(sender.address(config.url()), headers, TYPE, Json.bytes(body))
                    .delivered();
        } catch (Problem refused) { // The settings have changed since.
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
