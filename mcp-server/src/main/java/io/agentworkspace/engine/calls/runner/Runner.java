package io.agentworkspace.engine.calls.runner;

import io.agentworkspace.engine.calls.why.AccessExplanation;
import io.agentworkspace.engine.identity.account.CallLimits;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.keys.KeyUse;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.CombinedCalls;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.model.agent.Question;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.AccessReasons;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.agents.AgentPresence;
import io.agentworkspace.engine.workspace.agents.AgentUseStore;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs tools: find, access, bind, count, context, rules, handler, envelope, commit. What applies to every tool is here, or in what it calls.
 */
public final class Runner implements ToolRunner {
    private static final Logger LOG = LoggerFactory.getLogger(Runner.class);

    /** The maximum number of ignored fields that a response names. */
    private static final int IGNORED_NAMED = 20;

    /** How reads end that the audit has, too: somebody asked for what it may not see, or what is not there for it. */
    private static final Set<Failure> DECIDED = Set.of(Failure.NOT_PERMITTED, Failure.NOT_FOUND);

    private final Catalogue catalogue;
    private final Db db;
    private final Contexts contexts;
    private final IdempotencyStore idempotency;
    private final Clock clock;
    private final AgentPresence presence;
    private final KeyUse use;
    private final AgentUseStore agentUse;
    private final AuditStore audit;
    private final EventLog events;
    private final ChangeStore changes;
    private final CallLimits limits;
    private final Rules rules;
    private final SealedCursors cursors;
    private final HeavyWork heavy;
    private final AccessExplanation explanation;

    public Runner(
            Catalogue catalogue,
            Db db,
            Contexts contexts,
            Clock clock,
            AgentPresence presence,
            KeyUse use,
            AgentUseStore agentUse,
            AuditStore audit,
            EventLog events,
            CallLimits limits,
            Rules rules,
            SealedCursors cursors,
            HeavyWork heavy) {
        this.catalogue = catalogue;
        this.db = db;
        this.contexts = contexts;
        this.idempotency = new IdempotencyStore(db);
        this.clock = clock;
        this.presence = presence;
        this.use = use;
        this.agentUse = agentUse;
        this.audit = audit;
        this.events = events;
        this.changes = new ChangeStore(db);
        this.limits = limits;
        this.rules = rules;
        this.cursors = cursors;
        this.heavy = heavy;
        this.explanation = new AccessExplanation(catalogue, db, contexts, clock);
    }

    @Override
    public Catalogue catalogue() {
        return catalogue;
    }

    @Override
    public Answer run(Request request) {
        var answer = attempt(request, this::execute, this::refused);
        return request.strict() ? answer : answer.ignoring(ignored(request));
    }

    /** Makes the answer to a refused request. */
    @FunctionalInterface
    private interface Refusing {
        Answer answer(Request request, @Nullable Call call, Instant now, Problem problem);
    }

    private Answer attempt(Request request, Function<Run<?, ?>, Answer> work, Refusing refusing) {
        return ScopedValue.where(RequestContext.CURRENT_CALLER, request.caller())
                .call(() -> {
                    var now = now();
                    Call call = null;
                    try {
                        var named = catalogue.read(request.service(), request.caller());
                        var tool = named.runFor(request.arguments());
                        call = new Call(request.caller(), tool, request.requestId(), now);
                        var run = Run.of(named, tool, call, request, cursors);
                        return tool.isHeavy() ? heavy.run(() -> work.apply(run)) : work.apply(run);
                    } catch (Problem problem) {
                        return refusing.answer(request, call, now, problem);
                    } catch (RuntimeException e) {
                        if (e instanceof SqlFailure && CombinedCalls.isRunning()) {
                            throw e; // The transaction is run again, or refused with the reason.
                        }
                        return refusing.answer(request, call, now, defect(request, e));
                    }
                });
    }

    private Answer execute(Run<?, ?> run) {
        var call = run.call();
        if (run.tool().metered()) {
            limits.quotas().count(call);
        }
        use.record(call.caller(), run.tool().name());
        var answer = run.tool().effect().isTransactional() ? transact(run) : read(run, true);
        // From here on the change is committed, unless several calls share the transaction (CombinedCalls).
        seal(run, answer);
        if (run.tool().effect().reads()
                && (!call.rules().isEmpty() || run.tool().foreign() != null)) {
            audit.noted(call.caller(), AuditEntries.done(run.request(), call, answer.envelope()));
        }
        finish(run, call::countRules);
        finish(run, () -> contexts.committed(call));
        finish(run, () -> presence.touch(call));
        finish(run, () -> rules.changedBy(call));
        finish(run, () -> catalogue.changedBy(call));
        finish(run, () -> limits.quotas().done(call));
        if (call.concernsOutbox()) {
            finish(run, events::committed);
        }
        finish(run, () -> run.complete(answer.envelope()));
        finish(run, () -> agentUse.record(call, run.request().arguments(), answer.envelope()));
        return answer.withLimits(limits.after(call.caller(), call, null));
    }

    /** Does what follows the commit. If that fails, the response stays as it is: what the call did is done, and must not be done again. */
    private static void finish(Run<?, ?> run, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            if (CombinedCalls.isRunning()) {
                throw e;
            }
            LOG.atError()
                    .addKeyValue("request_id", run.request().requestId())
                    .setCause(e)
                    .log("what follows a committed call failed");
        }
    }

    private void seal(Run<?, ?> run, Answer answer) {
        if (answer.envelope().has("next_cursor")) {
            var question = SealedCursors.question(run.tool().name(), run.call().caller(), run.fields());
            cursors.seal(question, answer.envelope(), "next_cursor");
        }
    }

    private <I extends Record, O extends Record> Answer read(Run<I, O> run, boolean counted) {
        if (run.tool().foreign() != null) {
            contexts.load(run.call()); // Not rerun, so it is read at once: the handler calls another server.
            return handled(run, counted);
        }
        return contexts.rerunning(() -> {
            run.begin();
            contexts.load(run.call());
            return handled(run, counted);
        });
    }

    private <I extends Record, O extends Record> Answer handled(Run<I, O> run, boolean counted) {
        applyRules(run, counted);
        var handler = run.tool().work().begin(run.input(), run.call());
        return new Answer(run.handledBy(handler), null, false);
    }

    /**
     * Runs a tool with an effect. A tool that calls other servers does so before the transaction; a
     * replay does not repeat those calls.
     */
    private <I extends Record, O extends Record> Answer transact(Run<I, O> run) {
        if (run.tool().callsOut() && run.key() != null) {
            var stored = idempotency.find(run.call(), run.key(), run.hash());
            if (stored.isPresent()) {
                return replay(stored.get(), run);
            }
        }
        if (run.tool().callsOut()) {
            applyRules(run, true);
        }
        var handler = run.tool().work().begin(run.input(), run.call());
        // The handler runs again after a deadlock, and once more if the kept context is old; run.begin() forgets what
        // it recorded.
        return contexts.rerunning(() -> run.tool().effect() == Effect.DESTROYS
                ? db.bulk(() -> transact(run, handler))
                : db.transaction(() -> transact(run, handler)));
    }

    private <I extends Record, O extends Record> Answer transact(Run<I, O> run, Tool.Handler<I, O> handler) {
        run.begin();
        if (run.key() != null) {
            var stored = idempotency.claim(run.call(), run.key(), run.hash());
            if (stored.isPresent()) {
                return replay(stored.get(), run);
            }
        }
        contexts.load(run.call());
        run.checkSelf();
        if (!run.tool().callsOut()) {
            applyRules(run, true);
        }
        var envelope = run.handledBy(handler);
        if (run.key() != null) {
            idempotency.keep(
                    run.call(), run.key(), Envelope.kept(envelope, run.tool().secretFields()));
        }
        commit(run, envelope);
        return Answer.of(envelope, run.call());
    }

    /** Writes the audit's entry and the events, announces what changed, and commits, in one round trip. */
    private void commit(Run<?, ?> run, ObjectNode envelope) {
        var call = run.call();
        audit.done(call, AuditEntries.done(run.request(), call, envelope));
        EventLog.write(db, call);
        changes.of(call).runAndCommit();
    }

    /**
     * Applies the rules, once for each call, before its handler and before calls of other
     * servers. Replayed responses skip them.
     */
    private void applyRules(Run<?, ?> run, boolean counted) {
        var call = run.call();
        rules.check(call, run.fields(), () -> contexts.loadNow(call), counted ? call::countingRules : _ -> {});
    }

    private Answer replay(ObjectNode stored, Run<?, ?> run) {
        var reference = Envelope.referred(stored);
        if (reference.isEmpty()) {
            return new Answer(stored, null, true);
        }
        return new Answer(Envelope.rebuilt(stored, shownAgain(run, reference.get())), null, true);
    }

    /** Returns the changed thing in its present state; null if the tool cannot return it, or it no longer exists. */
    private <I extends Record, O extends Record> @Nullable ObjectNode shownAgain(Run<I, O> run, ObjectNode reference) {
        var again = run.tool().again();
        if (again == null) {
            return null;
        }
        contexts.load(run.call());
        try {
            return run.handledBy((input, call) -> again.show(input, reference, call));
        } catch (Problem gone) {
            return null;
        }
    }

    private Answer refused(Request request, @Nullable Call call, Instant now, Problem problem) {
        if (call != null) {
            call.countRules();
            var isChange =
                    call.tool().effect().isTransactional() || !call.rules().isEmpty();
            if (isChange || DECIDED.contains(problem.failure())) {
                audit.refused(request.caller(), AuditEntries.refused(request, call, problem));
            }
            if (isChange) {
                recordRefusal(call);
            }
        }
        if (problem.excess() != null) {
            limits.quotas().rejected(request.caller(), request.service(), problem.excess());
        }
        var answer = refusal(request, call, now, problem);
        if (call != null) {
            agentUse.record(call, request.arguments(), answer.envelope());
        }
        return answer.withLimits(limits.after(request.caller(), call, problem));
    }

    private static void recordRefusal(Call call) {
        try {
            call.refused();
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue("request_id", call.requestId()).setCause(e).log("a refusal was not recorded");
        }
    }

    private static Answer refusal(Request request, @Nullable Call call, Instant now, Problem problem) {
        var envelope = call == null
                ? Envelope.failure(null, request.requestId(), now, problem)
                : Envelope.failure(call, problem);
        return new Answer(envelope, problem, false);
    }

    private static Problem defect(Request request, RuntimeException cause) {
        LOG.atError()
                .addKeyValue("request_id", request.requestId())
                .setCause(cause)
                .log("a tool failed");
        return Problem.internal(request.requestId());
    }

    /** Returns the arguments that the tool does not define. Every tool accepts target.user. */
    private List<String> ignored(Request request) {
        return catalogue.find(request.service(), request.caller()).stream()
                .filter(tool -> !Run.isStrict(tool, request)) // Then they are refused.
                .flatMap(tool -> tool.inputSchema().unknown(request.arguments()).stream())
                .filter(path -> !path.equals("target.user"))
                .limit(IGNORED_NAMED)
                .map(path -> Name.shortened(path).replaceAll("[\\p{Cc}\\p{Cs}]", "?"))
                .toList();
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    @Override
    public Answer runUncounted(Request request) {
        return attempt(request, this::lookUp, Runner::refusal);
    }

    @Override
    public void admit(Caller caller) {
        limits.rate().accept(caller);
    }

    private Answer lookUp(Run<?, ?> run) {
        if (!run.tool().effect().reads()) {
            throw new IllegalArgumentException(
                    run.tool().name() + " changes something: it cannot be used as a look-up");
        }
        var answer = read(run, false);
        seal(run, answer);
        return answer;
    }

    @Override
    public Optional<Answer> open(String service, ObjectNode arguments, String requestId) {
        var now = now();
        return catalogue
                .find(service)
                .filter(tool -> tool.open() != null)
                .map(tool -> opened(tool, arguments, requestId, now));
    }

    private static <I extends Record, O extends Record> Answer opened(
            Tool<I, O> tool, ObjectNode arguments, String requestId, Instant now) {
        try {
            var input = Json.bind(tool.inputSchema().read(arguments, false), tool.input());
            var output = Objects.requireNonNull(tool.open()).apply(input);
            var envelope = Envelope.success(tool.name(), requestId, now, output);
            ResponseBudget.once().check(envelope);
            return new Answer(envelope, null, false);
        } catch (Problem problem) {
            return new Answer(Envelope.failure(tool.name(), requestId, now, problem), problem, false);
        }
    }

    @Override
    public AccessReasons why(Question question) {
        return contexts.rerunning(() -> explanation.of(question));
    }
}
