package io.agentworkspace.engine.hooks;

import io.agentworkspace.engine.agents.AgentPresence;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.hooks.HookQueries.Recalled;
import io.agentworkspace.engine.hooks.HookStore.State;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.reservations.ReservationStore;
import io.agentworkspace.engine.tasks.LeaseStore;
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
     * @param received the number of the last wake-up that its listener got; -1 for a new listener
     */
    HookStore.Listener open(HookSession session, long received) {
        return store.open(session, received, clock.instant());
    }

    /** Forgets sessions that have sent nothing for long. */
    public void purge(Instant now) {
        store.purge(now);
    }

    /**
     * Returns the answer in the client's format.
     *
     * @param body the client's event
     * @throws Problem if the caller is no agent's program, or the body is no event
     */
    public ObjectNode answer(HookClient client, JsonNode body, Caller caller, String requestId) {
        HookSession.require(caller, catalogue);
        var event = HookEvent.of(body);
        var session = session(client, caller, event.session());
        return TimeLimited.run(
                within,
                answer -> ScopedValue.where(RequestContext.CURRENT_CALLER, caller)
                        .call(() -> answered(session, event, requestId, answer)));
    }

    private ObjectNode answered(HookSession session, HookEvent event, String requestId, TimeLimited answer) {
        try {
            var _ = answer.alongside(() -> leases.renew(session), false);
            return reply(session, event, requestId, answer);
        } catch (Problem problem) {
            if (problem.failure() != Failure.UNAVAILABLE) {
                throw problem;
            }
            LOG.debug("a hook was answered with nothing: {}", problem.note());
            return Json.object();
        }
    }

    private ObjectNode reply(HookSession session, HookEvent event, String requestId, TimeLimited answer) {
        var client = session.client();
        Optional<ObjectNode> reply = switch (event.kind()) {
            case SESSION_START -> said(start(session, answer)).map(text -> client.context(event, text));
            case PROMPT -> said(prompt(session, event, requestId, answer)).map(text -> client.context(event, text));
            case BEFORE_TOOL -> answer.untilLate(() -> guard.answer(session, event));
            case AFTER_TOOL ->
                isOurs(event.tool())
                        ? seen(session, State.BUSY)
                        : said(news(session, State.BUSY, answer)).map(text -> client.context(event, text));
            case STOP ->
                event.isHeld()
                        ? seen(session, State.IDLE)
                        : said(news(session, State.IDLE, answer)).map(text -> client.goOn(event, text));
            case INTERRUPT -> seen(session, State.IDLE);
            case BEFORE_COMPACT -> compact(session, event);
            case SESSION_END -> ended(session);
            case NOTIFICATION -> event.isIdle() ? seen(session, State.IDLE) : Optional.empty();
            case WAKE_HEARD -> reported(answer, () -> store.heard(session, event.line()));
            case WAKE_FAILED -> reported(answer, () -> store.failed(session, event.line()));
            case OTHER -> Optional.empty();
        };
        return reply.orElseGet(Json::object);
    }

    /** What a listener reports is remembered, however long that takes. */
    private static Optional<ObjectNode> reported(TimeLimited answer, Runnable note) {
        if (answer.claim()) {
            note.run();
        }
        return Optional.empty();
    }

    private static Optional<String> said(String text) {
        return Optional.of(text).filter(some -> !some.isEmpty());
    }

    private String start(HookSession session, TimeLimited answer) {
        if (look(session, State.IDLE).isEmpty()) {
            return "";
        }
        var pinned = session.caller().may(catalogue.read("MB_Read"))
                ? queries.pinned(session, clock.instant())
                : List.<Recalled>of();
        var tasks = session.caller().may(catalogue.read("TK_List")) ? queries.tasks(session) : "";
        return store.announce(session, true, answer::claim)
                .map(waiting -> texts.start(session.caller(), waiting, tasks, pinned))
                .orElse("");
    }

    private String prompt(HookSession session, HookEvent event, String requestId, TimeLimited answer) {
        var recalled =
                answer.alongside(() -> texts.recalled(recall.find(session.caller(), event.prompt(), requestId)), "");
        var fresh = look(session, State.BUSY).filter(news -> !news.isEmpty());
        var memories = recalled.get();
        var news = fresh.isEmpty() ? "" : announced(session, answer);
        return Stream.of(news, memories).filter(text -> !text.isEmpty()).collect(Collectors.joining("\n"));
    }

    private String news(HookSession session, State state, TimeLimited answer) {
        return look(session, state).filter(news -> !news.isEmpty()).isEmpty() ? "" : announced(session, answer);
    }

    private String announced(HookSession session, TimeLimited answer) {
        return store.announce(session, false, answer::claim)
                .map(news -> news.sentence("new "))
                .orElse("");
    }

    private Optional<ObjectNode> seen(HookSession session, State state) {
        look(session, state);
        return Optional.empty();
    }

    private Optional<News> look(HookSession session, State state) {
        var now = clock.instant();
        var news = store.look(session, state, now);
        if (news.isPresent()) {
            presence.touch(session.caller(), now);
        }
        return news;
    }

    /** Only Claude Code takes instructions for its summary. */
    private Optional<ObjectNode> compact(HookSession session, HookEvent event) {
        return session.client() != HookClient.CLAUDE_CODE
                ? seen(session, State.BUSY)
                : look(session, State.BUSY)
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
