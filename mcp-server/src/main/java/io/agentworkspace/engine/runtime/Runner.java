package io.agentworkspace.engine.runtime;

import io.agentworkspace.engine.access.why.AccessExplanation;
import io.agentworkspace.engine.account.CallLimits;
import io.agentworkspace.engine.agents.AgentPresence;
import io.agentworkspace.engine.audit.AuditStore;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.events.EventLog;
import io.agentworkspace.engine.keys.KeyUse;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.EmailAddress;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.AccessReasons;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs tools: find, access, bind, transaction, handler, envelope. Everything that applies to every tool happens here
 * and nowhere else.
 */
public final class Runner implements ToolRunner {
    private static final Logger LOG = LoggerFactory.getLogger(Runner.class);

    /** How many ignored fields a response names. */
    private static final int IGNORED_NAMED = 20;

    private final Catalogue catalogue;
    private final Db db;
    private final ContextStore contexts;
    private final IdempotencyStore idempotency;
    private final Clock clock;
    private final AgentPresence presence;
    private final KeyUse use;
    private final AuditStore audit;
    private final EventLog events;
    private final CallLimits limits;
    private final AccessExplanation explanation;

    public Runner(
            Catalogue catalogue,
            Db db,
            Clock clock,
            AgentPresence presence,
            KeyUse use,
            AuditStore audit,
            EventLog events,
            CallLimits limits) {
        this.catalogue = catalogue;
        this.db = db;
        this.contexts = new ContextStore(db);
        this.idempotency = new IdempotencyStore(db);
        this.clock = clock;
        this.presence = presence;
        this.use = use;
        this.audit = audit;
        this.events = events;
        this.limits = limits;
        this.explanation = new AccessExplanation(catalogue, db, clock);
    }

    @Override
    public Catalogue catalogue() {
        return catalogue;
    }

    @Override
    public Answer run(Request request) {
        var answer = ScopedValue.where(RequestAttributes.CURRENT_CALLER, request.caller())
                .call(() -> ran(request));
        return request.strict() ? answer : answer.ignoring(ignored(request));
    }

    @Override
    public Answer look(Request request) {
        return ScopedValue.where(RequestAttributes.CURRENT_CALLER, request.caller())
                .call(() -> looked(request));
    }

    private Answer looked(Request request) {
        var now = now();
        Call call = null;
        try {
            var work = new Work(catalogue.read(request.service()), request, now);
            call = work.call;
            if (!work.tool.effect().reads()) {
                throw new IllegalArgumentException(
                        work.tool.name() + " changes something: it cannot be used as a look-up");
            }
            return read(work);
        } catch (Problem problem) {
            return refusal(request, call, now, problem);
        } catch (RuntimeException e) {
            return refusal(request, call, now, defect(request, e));
        }
    }

    /** The arguments that the tool does not know; every tool knows target.user. */
    private List<String> ignored(Request request) {
        return catalogue.find(request.service()).stream()
                .flatMap(tool -> tool.inputSchema().unknown(request.arguments()).stream())
                .filter(path -> !path.equals("target.user"))
                .limit(IGNORED_NAMED)
                .map(path -> Name.shortened(path).replaceAll("[\\p{Cc}\\p{Cs}]", "?"))
                .toList();
    }

    private Answer ran(Request request) {
        var now = now();
        Call call = null;
        try {
            var tool = catalogue.read(request.service());
            call = new Call(request.caller(), tool, request.requestId(), Context.named(request.arguments()), null, now);
            var work = new Work(tool, request, now);
            call = work.call;
            if (tool.metered()) {
                limits.quotas().count(call);
            }
            use.ran(request.caller(), tool.name());
            var answer = work.tool.effect().isTransactional() ? transact(work) : read(work);
            presence.touch(call);
            limits.quotas().done(call);
            if (call.concernsOutbox()) {
                events.committed();
            }
            return answer.telling(limits.after(request.caller(), call, null));
        } catch (Problem problem) {
            return refused(request, call, now, problem);
        } catch (RuntimeException e) {
            return refused(request, call, now, defect(request, e));
        }
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    private static Problem defect(Request request, RuntimeException cause) {
        LOG.atError()
                .addKeyValue("request_id", request.requestId())
                .setCause(cause)
                .log("a tool failed");
        return Problem.internal(request.requestId());
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
        return explanation.of(question);
    }

    private Answer refused(Request request, @Nullable Call call, Instant now, Problem problem) {
        var tool = catalogue
                .find(request.service())
                .filter(known -> known.runFor(request.arguments()).effect().isTransactional());
        if (call != null && tool.isPresent()) {
            audit.refused(request.caller(), AuditEntries.refused(tool.get(), request, call, problem));
        }
        if (problem.excess() != null) {
            limits.quotas().rejected(request.caller(), request.service(), problem.excess());
        }
        return refusal(request, call, now, problem).telling(limits.after(request.caller(), call, problem));
    }

    private static Answer refusal(Request request, @Nullable Call call, Instant now, Problem problem) {
        var envelope = call == null
                ? Envelope.failure(null, request.requestId(), now, problem)
                : Envelope.failure(call, problem);
        return new Answer(envelope, problem, false);
    }

    /** One request, checked: everything that can be refused without the database has been. */
    private static final class Work {
        private final Tool<?, ?> tool;
        private final Call call;
        private final Request request;
        private final ObjectNode input;
        private final @Nullable String key;

        Work(Tool<?, ?> named, Request request, Instant now) {
            this.tool = named.runFor(request.arguments());
            this.request = request;
            checkAccess(named, request);
            input = tool.inputSchema().read(request.arguments(), request.strict());
            key = key(tool, input, request.idempotencyKey());
            var target = request.arguments().path("target");
            call = new Call(
                    request.caller(),
                    tool,
                    request.requestId(),
                    Context.named(input),
                    actingFor(tool, request.caller(), target.path("user").asString("")),
                    now);
            call.progress(request.progress());
            call.budget(request.budget().forCall());
            call.readOnly(request.readOnly());
        }

        private static void checkAccess(Tool<?, ?> tool, Request request) {
            request.caller().obstacle(tool, request.arguments()).ifPresent(note -> {
                throw Problem.notPermitted(note);
            });
        }

        /** Null for the caller's own user, and if {@code target.user} is the subject of the tool. */
        private static @Nullable UserHandle actingFor(Tool<?, ?> tool, Caller caller, String user) {
            if (user.isBlank() || caller.isNamed(user)) {
                return null;
            }
            var isAbout = tool.findRequirement(Requirement.OfUser.class)
                    .filter(Requirement.OfUser::isAboutUser)
                    .isPresent();
            // Whose address it is only the database knows: there the caller's own finds the caller, and others are
            // refused.
            if (isAbout || !EmailAddress.isMeant(user)) {
                caller.obstacleToOthers().ifPresent(note -> {
                    throw Problem.notPermitted(note);
                });
            }
            var handle = UserHandle.checked("target.user", user);
            return isAbout ? null : handle;
        }

        private static @Nullable String key(Tool<?, ?> tool, ObjectNode input, @Nullable String given) {
            var header = given == null || given.isBlank() ? null : given.strip();
            var field = input.path(Schema.IDEMPOTENCY_KEY).asString("");
            input.remove(Schema.IDEMPOTENCY_KEY);
            if (!tool.effect().isTransactional()) {
                return null;
            }
            if (header != null && header.length() > 255) {
                throw Problem.invalid("the header Idempotency-Key", "must have 1–255 characters");
            }
            if (header != null && !field.isBlank() && !header.equals(field)) {
                throw Problem.invalid("idempotency_key", "differs from the header Idempotency-Key: send one of them");
            }
            return header != null ? header : field.isBlank() ? null : field;
        }

        byte[] hash() {
            var actingFor = call.actingFor() == null ? "" : call.actingFor().key();
            return Sha256.of(tool.name() + "\n" + actingFor + "\n" + Json.canonical(input));
        }
    }

    private Answer read(Work work) {
        return new Answer(handle(work.tool, work), null, false);
    }

    private Answer transact(Work work) {
        var answered = answered(work);
        if (answered.isPresent()) {
            return replay(answered.get(), work);
        }
        callOut(work.tool, work);
        return work.tool.effect() == Effect.DESTROYS ? db.bulk(() -> done(work)) : db.transaction(() -> done(work));
    }

    private Answer done(Work work) {
        work.call.begin();
        if (work.key != null) {
            var stored = idempotency.claim(work.call, work.key, work.hash());
            if (stored.isPresent()) {
                return replay(stored.get(), work);
            }
        }
        contexts.load(work.call);
        var envelope = handle(work.tool, work);
        if (work.key != null) {
            idempotency.keep(work.call, work.key, Envelope.kept(envelope, work.tool.toldOnce()));
        }
        audit.done(work.call, AuditEntries.done(work.tool, work.request, work.call, envelope));
        return new Answer(envelope, null, false);
    }

    private Answer replay(ObjectNode stored, Work work) {
        var reference = Envelope.referred(stored);
        if (reference.isEmpty()) {
            return new Answer(stored, null, true);
        }
        return new Answer(Envelope.rebuilt(stored, shownAgain(work.tool, work, reference.get())), null, true);
    }

    /** The changed thing as it is now; null if the tool cannot show it, or it is gone. */
    private <I extends Record, O extends Record> @Nullable ObjectNode shownAgain(
            Tool<I, O> tool, Work work, ObjectNode reference) {
        if (tool.again() == null) {
            return null;
        }
        contexts.load(work.call);
        work.call.found(reference);
        try {
            return envelope(tool, work, tool.again().handle(Json.bind(work.input, tool.input()), work.call));
        } catch (Problem gone) {
            return null;
        }
    }

    /** The stored response of a tool that calls other servers: a replay does not call them again. */
    private Optional<ObjectNode> answered(Work work) {
        return work.tool.outside() == null || work.key == null
                ? Optional.empty()
                : idempotency.find(work.call, work.key, work.hash());
    }

    private static <I extends Record> void callOut(Tool<I, ?> tool, Work work) {
        if (tool.outside() != null) {
            work.call.found(tool.outside().handle(Json.bind(work.input, tool.input()), work.call));
        }
    }

    private static <I extends Record, O extends Record> ObjectNode handle(Tool<I, O> tool, Work work) {
        return envelope(tool, work, tool.handler().handle(Json.bind(work.input, tool.input()), work.call));
    }

    private static ObjectNode envelope(Tool<?, ?> tool, Work work, Record output) {
        var envelope = Envelope.success(work.call, output);
        if (!tool.wholeTexts()) {
            Envelope.cutTexts(envelope);
        }
        work.request.budget().check(envelope);
        return envelope;
    }
}
