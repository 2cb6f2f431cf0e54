package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.client.CallOwner;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Goes on with calls that wait on another replica: the answers reach it through the database, and so does the outcome the way back.
 * Progress does not.
 */
final class CallRelay implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(CallRelay.class);
    private static final String ANSWERED = "upstream-answered";
    private static final String FINISHED = "upstream-finished";
    private static final String FAILED = "failed";
    private static final String KIND = "kind";
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final RoundStore store;
    private final Connections connections;
    private final Clock clock;
    private final Map<UUID, Semaphore> waiting = new ConcurrentHashMap<>();

    public CallRelay(Db db, Connections connections, Clock clock) {
        this.store = new RoundStore(db);
        this.connections = connections;
        this.clock = clock;
    }

    /**
     * Gives answers to a call that waits on any other replica.
     *
     * @param limit how long a call may take
     * @return the result, or further questions
     * @throws UpstreamFailure if it failed, or no replica has it
     */
    ObjectNode resume(CallOwner owner, String call, Map<String, ObjectNode> answers, Duration limit) {
        var id = UUID.randomUUID();
        var tenant = owner.tenant();
        var woken = new Semaphore(0);
        waiting.put(id, woken);
        try {
            var json = Json.object();
            answers.forEach(json::set);
            store.insert(tenant, id, call, json, clock.instant().plus(LIFE), signal(ANSWERED, id, owner, call));
            var end = System.nanoTime() + limit.plus(GRACE).toNanos();
            while (woken.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                var outcome = store.take(tenant, id);
                if (outcome.isPresent()) {
                    return result(outcome.get());
                }
            }
            throw new UpstreamFailure(Kind.UNANSWERED, "the call waits on no replica any more");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UpstreamFailure(Kind.CANCELLED, "the call was cancelled");
        } finally {
            waiting.remove(id);
        }
    }

    private static DatabaseSignals.Signal signal(String kind, UUID id, CallOwner owner, String call) {
        var names = List.of(id.toString(), owner.upstream(), Long.toString(owner.user()), call);
        return new DatabaseSignals.Signal(owner.tenant(), kind, names, null);
    }

    private static ObjectNode result(ObjectNode outcome) {
        if (outcome.get(FAILED) instanceof ObjectNode failed) {
            throw new UpstreamFailure(
                    Kind.valueOf(failed.path(KIND).asString()),
                    failed.path("words").asString(""));
        }
        return outcome.path("result").asObject();
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(ANSWERED)) {
            answered(signal);
        } else if (signal.k().equals(FINISHED)) {
            var woken = waiting.get(UUID.fromString(signal.n().getFirst()));
            if (woken != null) {
                woken.release();
            }
        }
    }

    private void answered(DatabaseSignals.Signal signal) {
        var names = signal.n();
        var owner = new CallOwner(signal.t(), names.get(1), Long.parseLong(names.get(2)));
        if (connections.open(owner, names.getLast()).isPresent()) {
            Thread.startVirtualThread(() -> goOn(owner, UUID.fromString(names.getFirst()), names.getLast()));
        }
    }

    private void goOn(CallOwner owner, UUID id, String call) {
        var answers = store.answers(owner.tenant(), id);
        if (answers.isPresent()) {
            var outcome = Json.object();
            try {
                outcome.set("result", connections.resume(owner, call, answers.get(), Progress.SILENT));
            } catch (UpstreamFailure e) {
                fail(outcome, e);
            } catch (RuntimeException | Error e) {
                fail(outcome, new UpstreamFailure(Kind.UNANSWERED, "the replica that has the call failed"));
                LOG.warn("a call of another replica failed", e);
            }
            store.finish(owner.tenant(), id, outcome, signal(FINISHED, id, owner, call));
        }
    }

    private static void fail(ObjectNode outcome, UpstreamFailure e) {
        outcome.putObject(FAILED).put(KIND, e.kind().name()).put("words", e.words());
    }

    @Override
    public void gap() {
        waiting.values().forEach(Semaphore::release); // Whatever has come by now is read.
    }

    public void purge(Instant now) {
        store.purge(now);
    }
}
