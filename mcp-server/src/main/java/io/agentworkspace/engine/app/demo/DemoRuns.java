package io.agentworkspace.engine.app.demo;

import io.agentworkspace.engine.examples.Demo;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Starts the client {@link Demo} for an admin, with a key that the admin could have created. Like any client it gets an address
 * and the key, and nothing else of the engine. Where it runs is where it was started; all replicas see how far it is.
 */
final class DemoRuns implements AutoCloseable {
    private static final List<Family> CHANGED =
            List.of(Family.AGENT, Family.DOMAIN, Family.ZONE, Family.BANK, Family.KEY);

    private static final Logger LOG = LoggerFactory.getLogger(DemoRuns.class);
    private static final ObjectNode NONE = Json.object().put("state", "none");

    /** An hour longer than those that it creates for its agents. */
    private static final int KEY_SECONDS = 90_000;

    private final ToolRunner runner;
    private final DemoStore store;
    private final URI engine;
    private final Clock clock;
    private final Map<Long, Thread> threads = new ConcurrentHashMap<>();

    /** @param engine the URL at which this replica serves */
    public DemoRuns(ToolRunner runner, Db db, URI engine, Clock clock) {
        this.runner = runner;
        this.store = new DemoStore(db);
        this.engine = engine;
        this.clock = clock;
    }

    /** Returns the demo's state. */
    ObjectNode state(Caller caller) {
        return store.find(caller.tenant(), clock.instant()).map(DemoRuns::state).orElseGet(NONE::deepCopy);
    }

    private static ObjectNode state(DemoStore.Run run) {
        var isPaused = run.state().equals(DemoStore.PAUSED);
        var progress = new Demo.Progress(
                isPaused ? Demo.Phase.WAITING : DemoStore.phase(run.state()), run.step(), run.answer());
        return Json.object().put("state", run.state()).setAll(progress.document());
    }

    /**
     * Refuses callers who may not do all that builds and removes the demo, so that neither ends half-way.
     *
     * @throws Problem {@code not_permitted}
     */
    void requireAll(Caller caller) {
        if (caller.isConfined()) {
            throw Problem.notPermitted(
                    "the demo creates keys and agents: use a key that is neither bound to an agent nor another key's child");
        }
        CHANGED.forEach(family -> AccessCheck.requireNone(caller.obstacleToChange(family, "the demo")));
    }

    /** @param seconds how long the demo takes, without the wait for the person's answer */
    ObjectNode start(Caller caller, int seconds) {
        if (store.find(caller.tenant(), clock.instant()).isPresent()) {
            throw Problem.conflict("the demo already exists: pause, resume, replay or remove it");
        }
        var key = createKey(caller);
        var demo = new Demo(engine, key.path("api_key").asString());
        var keyId = key.at("/key/id").asString();
        try {
            use(demo::setUp);
        } catch (RuntimeException failed) {
            deleteKey(caller, keyId);
            throw failed;
        }
        var run = UUID.randomUUID();
        if (!store.begin(caller.tenant(), run, seconds, keyId, clock.instant())) {
            use(demo::remove);
            deleteKey(caller, keyId);
            throw Problem.conflict("the demo has just been started by somebody else");
        }
        var thread = Thread.ofVirtual()
                .name("demo " + caller.tenant())
                .unstarted(() -> play(demo, caller.tenant(), run, seconds));
        threads.put(caller.tenant(), thread);
        thread.start();
        return state(caller);
    }

    private void play(Demo demo, long tenant, UUID run, int seconds) {
        try {
            demo.play(seconds, progress -> store.report(tenant, run, progress, clock.instant()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            LOG.warn("the demo of tenant {} has stopped", tenant, e);
        } finally {
            threads.remove(tenant, Thread.currentThread());
        }
    }

    /** What a client does over HTTP. */
    @FunctionalInterface
    private interface ClientWork {
        void run() throws IOException, InterruptedException;
    }

    private static void use(ClientWork work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        } catch (IOException e) {
            throw Problem.conflict("the demo: " + e.getMessage());
        }
    }

    private JsonNode createKey(Caller caller) {
        var arguments = Json.object().put("name", "demo").put("environment", "demo");
        arguments.put("expires_in_seconds", KEY_SECONDS);
        var capabilities = arguments.putArray("capabilities");
        CHANGED.forEach(family -> capabilities.add(family.word() + ":read").add(family.word() + ":write"));
        return run(caller, "AK_Create", arguments);
    }

    private void deleteKey(Caller caller, String id) {
        try {
            run(caller, "AK_Delete", Json.object().put("id", id));
        } catch (Problem gone) {
            LOG.debug("the demo's key was not deleted: {}", gone.note());
        }
    }

    private JsonNode run(Caller caller, String tool, ObjectNode arguments) {
        var request = new ToolRunner.Request(tool, arguments, caller, "demo-" + UUID.randomUUID(), true, null);
        var answer = runner.run(request);
        if (answer.problem() != null) {
            throw answer.problem();
        }
        return answer.envelope();
    }

    ObjectNode pause(Caller caller) {
        present(caller);
        store.pause(caller.tenant());
        return state(caller);
    }

    ObjectNode resume(Caller caller) {
        present(caller);
        store.resume(caller.tenant());
        return state(caller);
    }

    /** Restarts the demo from the beginning. */
    ObjectNode replay(Caller caller) {
        var seconds = present(caller).seconds();
        remove(caller);
        return start(caller, seconds);
    }

    private DemoStore.Run present(Caller caller) {
        return store.find(caller.tenant(), clock.instant())
                .orElseThrow(() -> Problem.conflict("there is no demo: start it first"));
    }

    /** Removes everything that belongs to the demo. */
    ObjectNode remove(Caller caller) {
        var run = store.find(caller.tenant(), clock.instant());
        if (run.isPresent()) {
            var key = createKey(caller);
            store.delete(caller.tenant()); // First, so that the client stops.
            try {
                use(new Demo(engine, key.path("api_key").asString())::remove);
            } finally {
                deleteKey(caller, key.at("/key/id").asString());
                run.get().keyIds().forEach(id -> deleteKey(caller, id));
            }
        }
        return NONE.deepCopy();
    }

    @Override
    public void close() {
        threads.values().forEach(Thread::interrupt);
    }
}
