package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.changes.DatabaseSignals;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.upstreams.client.CallOwner;
import io.agentworkspace.engine.upstreams.client.Connections;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure.Kind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/**
 * Goes on with calls that wait on another replica: the answers reach it through the database, and so does the outcome the way back.
 * Progress does not.
 */
public final class CallRelay implements DatabaseSignals.Listener {
    private static final String ANSWERED = "upstream-answered";
    private static final String FINISHED = "upstream-finished";
    private static final String FAILED = "failed";
    private static final String KIND = "kind";
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final RoundStore store;
    private final Connections connections;
    private final Clock clock;
    private final Map<UUID, CountDownLatch> waiting = new ConcurrentHashMap<>();

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
        var finished = new CountDownLatch(1);
        waiting.put(id, finished);
        try {
            var given = Json.object();
            answers.forEach(given::set);
            store.insert(tenant, id, call, given, clock.instant().plus(LIFE), signal(ANSWERED, id, owner, call));
            var isDone = finished.await(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
            var outcome = isDone ? store.take(tenant, id) : Optional.<ObjectNode>empty();
            return result(outcome.orElseThrow(
                    () -> new UpstreamFailure(Kind.UNANSWERED, "the call waits on no replica any more")));
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
            var finished = waiting.get(UUID.fromString(signal.n().getFirst()));
            if (finished != null) {
                finished.countDown();
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
                outcome.putObject(FAILED).put(KIND, e.kind().name()).put("words", e.words());
            }
            store.finish(owner.tenant(), id, outcome, signal(FINISHED, id, owner, call));
        }
    }

    @Override
    public void gap() {
        waiting.values().forEach(CountDownLatch::countDown); // Whatever has come by now is read.
    }

    public void purge(Instant now) {
        store.purge(now);
    }
}
