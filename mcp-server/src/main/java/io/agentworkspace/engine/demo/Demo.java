package io.agentworkspace.engine.demo;

import io.agentworkspace.engine.access.AccessCheck;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.secrets.Vault;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sets up the demo with the rights of the admin who starts it, plays it, and removes it. The agents act over MCP,
 * each with its own key; {@link DemoScript} contains what they do.
 */
public final class Demo implements AutoCloseable {
    private static final List<Family> CHANGED =
            List.of(Family.AGENT, Family.DOMAIN, Family.ZONE, Family.BANK, Family.KEY);

    private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
    private static final ObjectNode NONE = Json.object().put("state", "none");
    private static final Duration LOOK = Duration.ofMillis(300);

    /** How long the agents wait for a person's answer before they choose for themselves. */
    private static final Duration ANSWER_TIME = Duration.ofMinutes(1);

    private static final String CAPABILITIES =
            "'agent:read','agent:write','domain:read','zone:read','bank:read','bank:write'";

    private final ToolRunner runner;
    private final DemoStore store;
    private final URI endpoint;
    private final Clock clock;
    private final Map<Long, Thread> playing = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param endpoint the URL at which this replica serves MCP */
    public Demo(ToolRunner runner, Db db, Vault vault, URI endpoint, Clock clock) {
        this.runner = runner;
        this.store = new DemoStore(db, vault);
        this.endpoint = endpoint;
        this.clock = clock;
    }

    /** Returns the demo's state. */
    ObjectNode state(Caller caller) {
        play(caller.tenant()); // The replica that played it may have stopped.
        return store.find(caller.tenant()).map(Demo::shown).orElseGet(NONE::deepCopy);
    }

    private static ObjectNode shown(DemoStore.State state) {
        var shown = Json.object()
                .put("state", state.state())
                .put("step", DemoScript.before(state.step()))
                .put("steps", DemoScript.length())
                .put("domain", DemoScript.DOMAIN)
                .put("zone", DemoScript.ZONE);
        DemoScript.lastBefore(state.step(), state.branch())
                .ifPresent(step -> shown.putObject("doing")
                        .put("agent", step.agent())
                        .put("tool", step.tool())
                        .put("words", step.words()));
        if (state.state().equals(DemoStore.WAITING) || (state.state().equals(DemoStore.PAUSED) && isQuestion(state))) {
            shown.put("question", DemoScript.QUESTION);
            DemoScript.ANSWERS.forEach(shown.putArray("answers")::add);
        }
        return state.branch() == null ? shown : shown.put("answer", state.branch());
    }

    private static boolean isQuestion(DemoStore.State state) {
        return state.step() < DemoScript.STEPS.size()
                && DemoScript.STEPS.get(state.step()).isQuestion();
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
        if (store.find(caller.tenant()).isPresent()) {
            throw Problem.conflict("the demo already exists: pause, resume, replay or remove it");
        }
        var keys = new LinkedHashMap<String, String>();
        var ids = new ArrayList<String>();
        var made = new ArrayList<String[]>();
        try {
            build(caller, keys, ids, made);
        } catch (Problem refused) {
            undo(caller, made, ids);
            throw refused;
        }
        if (!store.begin(caller.tenant(), seconds, keys, ids, clock.instant())) {
            undo(caller, made, ids);
            throw Problem.conflict("the demo has just been started by somebody else");
        }
        return state(caller);
    }

    private void build(Caller caller, Map<String, String> keys, List<String> ids, List<String[]> made) {
        for (var persona : DemoScript.PERSONAS) {
            var vx = Json.object()
                    .put("name", persona.name())
                    .put("description", persona.description())
                    .put("profile", persona.profile())
                    .put("access", "public");
            run(caller, "AP_Create", Json.object().set("vx", vx));
            made.add(new String[] {"AP_Destroy", "agent", persona.name()});
        }
        var lead = DemoScript.PERSONAS.getFirst().name();
        run(
                caller,
                "DM_Create",
                "{'target':{'agent':'%s'},'vx':{'name':'%s','description':'Checkout fails. Three agents investigate.','access':'domain'}}",
                lead,
                DemoScript.DOMAIN);
        made.add(new String[] {"DM_Destroy", "domain", DemoScript.DOMAIN});
        run(
                caller,
                "ZN_Create",
                "{'target':{'domain':'%s'},'vx':{'name':'%s','description':'Reports from customers, and answers to them.'}}",
                DemoScript.DOMAIN,
                DemoScript.CUSTOMERS);
        for (var bank : List.of(DemoScript.RUNBOOKS, DemoScript.LOG)) {
            run(
                    caller,
                    "MB_Create",
                    "{'target':{'agent':'%s'},'vx':{'name':'%s','access':'bank','description':'%s'}}",
                    lead,
                    bank,
                    bank.equals(DemoScript.LOG) ? "Findings of this incident." : "Lessons of earlier incidents.");
            made.add(new String[] {"MB_Destroy", "bank", bank});
        }
        for (var persona : DemoScript.PERSONAS.subList(1, DemoScript.PERSONAS.size())) {
            run(caller, "DM_Invite", "{'target':{'domain':'%s','agent':'%s'}}", DemoScript.DOMAIN, persona.name());
            run(
                    caller,
                    "MB_Permissions",
                    "{'target':{'bank':'%s','agent':'%s'},'vx':{'access':'read'}}",
                    DemoScript.RUNBOOKS,
                    persona.name());
            run(
                    caller,
                    "MB_Permissions",
                    "{'target':{'bank':'%s','agent':'%s'},'vx':{'access':'append'}}",
                    DemoScript.LOG,
                    persona.name());
        }
        for (var memory : DemoScript.MEMORIES) {
            var arguments = DemoScript.object(
                            "{'target':{'bank':'%s','agent':'%s'}}".formatted(DemoScript.RUNBOOKS, lead))
                    .put("content", memory.text());
            arguments
                    .putObject("vx")
                    .put("name", memory.name())
                    .putArray("tags")
                    .add(memory.tag());
            run(caller, "MB_Store", arguments);
        }
        for (var persona : DemoScript.PERSONAS) {
            var answer = run(
                    caller,
                    "AK_Create",
                    "{'name':'demo %s','agent':'%s','environment':'demo','capabilities':[%s],'expires_in_seconds':86400}",
                    persona.name(),
                    persona.name(),
                    CAPABILITIES);
            keys.put(persona.name(), answer.path("api_key").asString());
            ids.add(answer.at("/key/id").asString());
        }
    }

    private JsonNode run(Caller caller, String tool, String arguments, Object... values) {
        return run(caller, tool, DemoScript.object(arguments.formatted(values)));
    }

    private JsonNode run(Caller caller, String tool, JsonNode arguments) {
        var request =
                new ToolRunner.Request(tool, (ObjectNode) arguments, caller, "demo-" + UUID.randomUUID(), true, null);
        var answer = runner.run(request);
        if (answer.problem() != null) {
            throw answer.problem();
        }
        return answer.envelope();
    }

    /**
     * Removes what the demo created. Things that are gone, or that belong to somebody else by now, stay as they are.
     */
    private void undo(Caller caller, List<String[]> made, List<String> keys) {
        for (var id : keys) {
            tried(caller, "AK_Delete", Json.object().put("id", id));
        }
        for (var thing : made.reversed()) {
            tried(caller, thing[0], DemoScript.object("{'target':{'%s':'%s'}}".formatted(thing[1], thing[2])));
        }
    }

    private void tried(Caller caller, String tool, ObjectNode arguments) {
        try {
            run(caller, tool, arguments);
        } catch (Problem gone) {
            LOG.debug("the demo: {} was refused: {}", tool, gone.note());
        }
    }

    ObjectNode pause(Caller caller) {
        present(caller);
        store.pause(caller.tenant());
        return state(caller);
    }

    ObjectNode resume(Caller caller) {
        present(caller);
        store.resume(caller.tenant(), clock.instant());
        return state(caller);
    }

    /** Restarts the demo from the beginning. */
    ObjectNode replay(Caller caller) {
        var seconds = present(caller).seconds();
        remove(caller);
        return start(caller, seconds);
    }

    private DemoStore.State present(Caller caller) {
        return store.find(caller.tenant()).orElseThrow(() -> Problem.conflict("there is no demo: start it first"));
    }

    /** Removes everything that belongs to the demo. */
    ObjectNode remove(Caller caller) {
        var state = store.find(caller.tenant());
        if (state.isPresent()) {
            remove(caller, state.get());
        }
        return NONE.deepCopy();
    }

    private void remove(Caller caller, DemoStore.State state) {
        store.delete(caller.tenant()); // First, so that the replica that plays it stops.
        var made = new ArrayList<String[]>();
        DemoScript.PERSONAS.forEach(persona -> made.add(new String[] {"AP_Destroy", "agent", persona.name()}));
        made.add(new String[] {"DM_Destroy", "domain", DemoScript.DOMAIN});
        made.add(new String[] {"MB_Destroy", "bank", DemoScript.RUNBOOKS});
        made.add(new String[] {"MB_Destroy", "bank", DemoScript.LOG});
        undo(caller, made, state.keyIds());
    }

    /** Plays the tenant's demo on this replica, unless another one does. */
    private void play(long tenant) {
        if (closed || playing.containsKey(tenant) || !store.hold(tenant, clock.instant())) {
            return;
        }
        var thread = Thread.ofVirtual().name("demo " + tenant).unstarted(() -> {
            try {
                playOn(tenant);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                LOG.warn("the demo of tenant {} has stopped", tenant, e);
            } finally {
                playing.remove(tenant);
            }
        });
        if (playing.putIfAbsent(tenant, thread) == null) {
            thread.start();
        }
    }

    private void playOn(long tenant) throws IOException, InterruptedException {
        var run = store.find(tenant).map(DemoStore.State::run);
        while (!closed && run.isPresent()) {
            var now = clock.instant();
            var state = store.keep(tenant, run.get(), now);
            if (state.isEmpty() || state.get().isOver()) {
                return;
            }
            if (state.get().dueAt().isAfter(now) && !state.get().state().equals(DemoStore.WAITING)) {
                Thread.sleep(LOOK);
            } else {
                step(tenant, state.get(), now);
            }
        }
    }

    private void step(long tenant, DemoStore.State state, Instant now) throws IOException, InterruptedException {
        var step = DemoScript.STEPS.get(state.step());
        if (step.isQuestion()) {
            question(tenant, state, now);
            return;
        }
        var last = state.last();
        if (step.branch() == null || step.branch().equals(state.branch())) {
            var arguments = step.arguments().deepCopy();
            if (step.answers() && last != null) {
                arguments.put("reply_to", last);
            }
            var answer = agent(tenant, state, step.agent()).call(step.tool(), arguments);
            if (!answer.at("/status/success").asBoolean()) {
                LOG.info(
                        "the demo: {} was refused: {}",
                        step.tool(),
                        answer.at("/status/note").asString(""));
            } else if (step.isSaid()) {
                last = answer.at("/content/0/id").asString();
            }
        }
        next(tenant, state, state.branch(), last, now);
    }

    private DemoAgent agent(long tenant, DemoStore.State state, @Nullable String name) {
        return new DemoAgent(
                endpoint,
                String.valueOf(name),
                store.keys(tenant, state).path(name).asString());
    }

    /** Waits for a person to answer in the zone. Without an answer, the agents take the safe option. */
    private void question(long tenant, DemoStore.State state, Instant now) throws IOException, InterruptedException {
        if (!state.state().equals(DemoStore.WAITING)) {
            store.advance(tenant, state, DemoStore.WAITING, state.step(), null, state.last(), now.plus(ANSWER_TIME));
            return;
        }
        var words = spoken(tenant, state);
        if (words != null || !state.dueAt().isAfter(now)) {
            next(tenant, state, DemoScript.chosen(words), null, now);
        } else {
            Thread.sleep(LOOK);
        }
    }

    /** Returns what a person has sent in the zone since the agents' last message. */
    private @Nullable String spoken(long tenant, DemoStore.State state) throws IOException, InterruptedException {
        var lead = DemoScript.PERSONAS.getFirst().name();
        var arguments = DemoScript.object("{'target':{'domain':'%s','zone':'%s'},'page':{'limit':10}}"
                .formatted(DemoScript.DOMAIN, DemoScript.ZONE));
        String words = null;
        var after = false;
        for (var message : agent(tenant, state, lead).call("ZN_Read", arguments).path("content")) {
            if (message.path("id").asString("").equals(state.last())) {
                after = true;
            } else if (after && message.path("from_kind").asString("").equals("user")) {
                words = message.path("content").asString("");
            }
        }
        return words;
    }

    private void next(long tenant, DemoStore.State state, @Nullable String branch, @Nullable String last, Instant now) {
        var index = state.step() + 1;
        while (index < DemoScript.STEPS.size() && isSkipped(DemoScript.STEPS.get(index), branch)) {
            index++;
        }
        if (index == DemoScript.STEPS.size()) {
            store.advance(tenant, state, DemoStore.FINISHED, index, branch, last, now);
        } else {
            var pause = 1000L * state.seconds() * DemoScript.STEPS.get(index).weight() / DemoScript.weight();
            store.advance(tenant, state, DemoStore.RUNNING, index, branch, last, now.plusMillis(pause));
        }
    }

    private static boolean isSkipped(DemoScript.Step step, @Nullable String branch) {
        return step.branch() != null && !step.branch().equals(branch);
    }

    @Override
    public void close() {
        closed = true;
        playing.values().forEach(Thread::interrupt);
    }
}
