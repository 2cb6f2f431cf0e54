package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.agents.AgentPresence;
import io.agentworkspace.engine.workspace.delivery.hooks.HookQueries.Recalled;
import io.agentworkspace.engine.workspace.delivery.hooks.HookStore.Evidence;
import io.agentworkspace.engine.workspace.delivery.hooks.HookStore.State;
import io.agentworkspace.engine.workspace.reservations.ReservationStore;
import io.agentworkspace.engine.workspace.tasks.LeaseStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers the hooks of coding agents: what waits, and what was stored that helps. The answer is empty if there is
 * nothing to say, or if it takes longer than the client should wait.
 */
public final class Hooks {
    private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);

    private final HookStore store;
    private final HookQueries queries;
    private final Recall recall;
    private final HookTexts texts;
    private final EditGuard guard;
    private final LeaseRenewal leases;
    private final Catalogue catalogue;
    private final AgentPresence presence;
    private final Duration within;
    private final Clock clock;

    /** @param within how long a hook may take; then its answer is empty */
    public Hooks(Db db, ToolRunner runner, AgentPresence presence, Duration within, Clock clock) {
        this.store = new HookStore(db, clock);
        this.queries = new HookQueries(db);
        this.recall = new Recall(runner);
        this.catalogue = runner.catalogue();
        this.texts = new HookTexts(catalogue);
        this.guard = new EditGuard(new ReservationStore(db), clock);
        this.leases = new LeaseRenewal(new LeaseStore(db, clock), clock);
        this.presence = presence;
        this.within = within;
        this.clock = clock;
    }

    HookStore store() {
        return store;
    }

    /** @throws Problem {@code not_permitted} if the caller is no agent's program, or may not read messages */
    HookSession session(HookClient client, Caller caller, String id) {
        return HookSession.of(client, caller, id, catalogue);
    }

    /**
     * Begins to wake a session.
     *
     * @param isConnected whether nothing says that its client has no tools
     * @param received the number of the last wake-up that its listener got; -1 for a new listener
     */
    HookStore.Listener open(HookSession session, long received, boolean isConnected) {
        return store.open(session, received, isConnected, clock.instant());
    }

    /** Forgets sessions that have sent nothing for long. */
    public void purge(Instant now) {
        store.purge(now);
    }

    /**
     * Returns the answer in the client's format.
     *
     * @param body the client's event
     * @param isOverMcp whether it came over the client's own connection to our tools
     * @throws Problem if the caller is no agent's program, or the body is no event
     */
    public ObjectNode answer(HookClient client, JsonNode body, Caller caller, String requestId, boolean isOverMcp) {
        HookSession.require(caller, catalogue);
        var event = HookEvent.of(body);
        var session = session(client, caller, event.session());
        return TimeLimited.run(
                within,
                answer -> ScopedValue.where(RequestContext.CURRENT_CALLER, caller)
                        .call(() -> answered(session, event, evidence(event, isOverMcp), requestId, answer)));
    }

    /**
     * What an event says of the client's connection to our tools. No client connects again after a failure: one that started
     * while the engine was down has no tools until it is restarted.
     */
    private Evidence evidence(HookEvent event, boolean isOverMcp) {
        if (isOverMcp || event.kind() == HookEvent.Kind.AFTER_TOOL && isOurs(event.tool())) {
            return Evidence.CONNECTED;
        }
        return event.isNewProcess() ? Evidence.STARTED : Evidence.NONE;
    }

    private ObjectNode answered(
            HookSession session, HookEvent event, Evidence evidence, String requestId, TimeLimited answer) {
        try {
            var _ = answer.alongside(() -> leases.renew(session), false);
            return reply(new Turn(session, evidence, answer), event, requestId);
        } catch (Problem problem) {
            if (problem.failure() != Failure.UNAVAILABLE) {
                throw problem;
            }
            LOG.debug("a hook was answered with nothing: {}", problem.note());
            return Json.object();
        }
    }

    /** An event of a session, and its answer. */
    private record Turn(HookSession session, Evidence evidence, TimeLimited answer) {
        Caller caller() {
            return session.caller();
        }
    }

    private ObjectNode reply(Turn turn, HookEvent event, String requestId) {
        var client = turn.session().client();
        if (event.isOfSubAgent() && event.kind() != HookEvent.Kind.BEFORE_TOOL) {
            return Json.object(); // What it was told, its parent would not hear.
        }
        Optional<ObjectNode> reply = switch (event.kind()) {
            case SESSION_START -> said(start(turn)).map(text -> client.context(event, text));
            case PROMPT -> said(prompt(turn, event, requestId)).map(text -> client.context(event, text));
            case BEFORE_TOOL -> turn.answer().untilLate(() -> guard.answer(turn.session(), event));
            case AFTER_TOOL ->
                isOurs(event.tool())
                        ? seen(turn, State.BUSY)
                        : said(news(turn, State.BUSY)).map(text -> client.context(event, text));
            case STOP ->
                event.isHeld()
                        ? seen(turn, State.IDLE)
                        : said(news(turn, State.IDLE)).map(text -> client.goOn(event, text));
            case INTERRUPT -> seen(turn, State.IDLE);
            case BEFORE_COMPACT -> compact(turn, event);
            case SESSION_END -> ended(turn.session());
            case NOTIFICATION -> event.isIdle() ? seen(turn, State.IDLE) : Optional.empty();
            case WAKE_HEARD -> reported(turn, () -> store.heard(turn.session(), event.line()));
            case WAKE_FAILED -> reported(turn, () -> store.failed(turn.session(), event.line()));
            case OTHER -> Optional.empty();
        };
        return reply.orElseGet(Json::object);
    }

    /** What a listener reports is remembered, however long that takes. */
    private static Optional<ObjectNode> reported(Turn turn, Runnable note) {
        if (turn.answer().claim()) {
            note.run();
        }
        return Optional.empty();
    }

    private static Optional<String> said(String text) {
        return Optional.of(text).filter(some -> !some.isEmpty());
    }

    private String start(Turn turn) {
        if (look(turn, State.IDLE).isEmpty()) {
            return "";
        }
        var caller = turn.caller();
        var pinned = caller.may(catalogue.read("MB_Read"))
                ? queries.pinned(turn.session(), clock.instant())
                : List.<Recalled>of();
        var tasks = caller.may(catalogue.read("TK_List")) ? queries.tasks(turn.session()) : "";
        return store.announce(turn.session(), true, turn.answer()::claim)
                .map(waiting -> texts.start(caller, waiting, tasks, pinned))
                .orElse("");
    }

    private String prompt(Turn turn, HookEvent event, String requestId) {
        var recalled = turn.answer()
                .alongside(
                        () -> texts.recalled(recall.find(turn.caller(), TypedText.of(event.prompt()), requestId)), "");
        var fresh = look(turn, State.BUSY).filter(news -> !news.isEmpty());
        var memories = recalled.get();
        var news = fresh.isEmpty() ? "" : announced(turn);
        return Stream.of(news, memories).filter(text -> !text.isEmpty()).collect(Collectors.joining("\n"));
    }

    /** A turn that cannot read what waits is not made longer for it. */
    private String news(Turn turn, State state) {
        return look(turn, state)
                        .filter(news -> !news.isEmpty() && (news.isReadable() || state == State.BUSY))
                        .isEmpty()
                ? ""
                : announced(turn);
    }

    private String announced(Turn turn) {
        return store.announce(turn.session(), false, turn.answer()::claim)
                .map(news -> news.sentence("new "))
                .orElse("");
    }

    private Optional<ObjectNode> seen(Turn turn, State state) {
        look(turn, state);
        return Optional.empty();
    }

    private Optional<News> look(Turn turn, State state) {
        var now = clock.instant();
        var news = store.look(turn.session(), state, turn.evidence(), now);
        if (news.isPresent()) {
            presence.touch(turn.caller(), now);
        }
        return news;
    }

    /** Most clients take no instructions for their summary. */
    private Optional<ObjectNode> compact(Turn turn, HookEvent event) {
        var session = turn.session();
        return !session.client().takesInstructions()
                ? seen(turn, State.BUSY)
                : look(turn, State.BUSY)
                        .map(news -> session.client()
                                .context(event, texts.keep(session.caller(), news, queries.rooms(session))));
    }

    private Optional<ObjectNode> ended(HookSession session) {
        if (!store.end(session)) {
            presence.end(session.caller(), clock.instant());
        }
        return Optional.empty();
    }

    /** The answers of our own tools say how many messages wait. */
    private boolean isOurs(String tool) {
        return catalogue.tools().stream()
                .anyMatch(ours -> tool.equals(ours.name()) || tool.endsWith("_" + ours.name()));
    }
}
