package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput.Fields;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** RL_Check: tests a rule on a request or on past commands. */
final class RuleCheckTool {
    private final RuleQueries reads;
    private final RuleDrafts drafts;
    private final RuleTrial trial;
    private final Replay replay;

    /** @param all all tools; the list is filled after this is created */
    RuleCheckTool(RuleQueries reads, ReplayQueries audited, RuleDrafts drafts, List<Tool<?, ?>> all) {
        this.reads = reads;
        this.drafts = drafts;
        this.trial = new RuleTrial(all);
        this.replay = new Replay(audited, all);
    }

    List<Tool<?, ?>> tools() {
        return List.of(check());
    }

    record Days(
            @Doc(value = "How many days back; default 7. The audit may be shorter.", min = 1, max = 90) @Nullable
            Integer days) {}

    record Check(
            @Doc(value = "The id or name of a rule; the other fields change it for the trial.", max = 64) @Nullable
            String rule,

            @Doc(value = RuleTools.WHEN, max = Expression.MAX_LENGTH) @Nullable
            String when,

            @Doc(value = RuleTools.APPLIES_TO + " Default: all.", max = 100) @Nullable
            List<String> appliesTo,

            @Doc(value = RuleTools.TEMPLATE, max = Name.MAX) @Nullable
            String template,

            @Doc(RuleTools.PARAMETERS) @Nullable ObjectNode parameters,

            @Doc("deny or audit; default deny.") @Nullable RuleEffect effect,

            @Doc(
                    "A request to try it on: service (a command, or documents), target, vx, content, document, now, principal (default: you).")
            @Nullable
            ObjectNode request,

            @Doc("Tries it on the audited commands of the last days.") @Nullable
            Days replay) {}

    record OnRequest(
            @Doc("Whether the rule applies to the request at all.")
            boolean applies,

            @Doc("Whether it matches.") boolean matches,
            @Doc("Why it could not be evaluated.") @Nullable String failure) {}

    /** A command that would have been denied. */
    record Example(
            @Doc("When.") Instant at,
            @Doc("The user.") String user,

            @Doc("The agent that the caller acted as.") @Nullable
            String agent,

            @Doc("The command.") String tool,
            @Doc("The kind of the target.") String targetKind,
            @Doc("The thing's name.") @Nullable String target,
            @Doc("The request id.") String requestId) {}

    record OnAudit(
            @Doc("Since when.") Instant since,

            @Doc("How many commands the audit has since then.")
            long commands,

            @Doc("To how many of them the rule applies.") long applies,
            @Doc("How many it matches.") long matches,

            @Doc("How many depend on something that is not in the audit, such as content.")
            long undecided,

            @Doc("For how many it could not be evaluated; for a deny rule they count as matched.")
            long failures,

            @Doc("true where there was more than could be tried.")
            boolean truncated,

            @Doc("The latest ones that it matches.") List<Example> examples) {}

    record Checked(
            @Doc("The outcome in words.") String summary,
            @Doc("The condition that was tried.") String when,
            @Doc("The outcome on the request.") @Nullable OnRequest outcome,

            @Doc("The outcome on the audited commands.") @Nullable
            OnAudit replayed) {}

    private Tool<Check, Checked> check() {
        return Tool.named("RL_Check")
                .title("Try a rule")
                .alsoCalled(
                        "test a text against the rules",
                        "would this message be refused",
                        "is it allowed to say this",
                        "try a rule")
                .description("""
                        Tries a rule without putting it into effect, for admins: an existing one (rule), a condition (when), or a template. \
                        It runs on a request, or with replay on the audited commands of the last days: "would have denied 14 of 3,212", with \
                        examples. Without either it is only compiled. The audit has no texts: commands for which the rule needs them count \
                        as undecided.""")
                .needs(Capability.RULE_READ)
                .atLeast(Role.ADMIN)
                .takesLong()
                .heavy()
                .route("POST", "/api/rules/check")
                .example("when", "command.effect == \"destroys\" && principal.role != \"owner\"")
                .example("request", """
                        {"service":"MB_Destroy","target":{"bank":"field-notes"},"principal":{"role":"member"}}""")
                .handledBy(Check.class, Checked.class, this::check);
    }

    private Checked check(Check in, Call call) {
        var base = reads.read(call, in.rule()).map(RuleDraft::of).orElse(null);
        var draft = drafts.make(fields(in, base), base, call.now());
        var expression = RuleDrafts.compile(draft.when(), "when");
        var onRequest = in.request() == null ? null : onRequest(draft, expression, in.request(), call);
        if (in.replay() != null) {
            AccessCheck.requireNone(call.caller().obstacleToRead(Family.ACCOUNT, "a replay of audited commands"));
        }
        var onAudit = in.replay() == null
                ? null
                : replay.over(
                        draft,
                        expression,
                        in.replay().days() == null ? 7 : in.replay().days(),
                        call);
        return new Checked(summary(draft, onRequest, onAudit), draft.when(), onRequest, onAudit);
    }

    private static RuleDrafts.RuleFields fields(Check in, @Nullable RuleDraft base) {
        var anything = base == null && in.template() == null && in.appliesTo() == null;
        return new Trial(
                base == null ? Name.of("trial") : null,
                anything ? everything() : in.appliesTo(),
                in.when(),
                in.template(),
                in.parameters(),
                in.effect());
    }

    /** What a rule is given that is only tried. */
    private record Trial(
            @Nullable Name name,
            @Nullable List<String> appliesTo,
            @Nullable String when,
            @Nullable String template,
            @Nullable ObjectNode parameters,
            @Nullable RuleEffect effect)
            implements RuleDrafts.RuleFields {}

    private static List<String> everything() {
        return Stream.concat(Arrays.stream(Family.values()).map(Family::word), Stream.of(ActiveRule.DOCUMENTS))
                .toList();
    }

    private OnRequest onRequest(RuleDraft draft, Expression expression, ObjectNode request, Call call) {
        var tried = trial.attempt(expression, draft.appliesTo(), request, "request", caller(call), call.now());
        var failed = tried.outcome().kind() == Expression.EvaluationResult.FAILED;
        var matches = tried.matches() || failed && tried.applies() && draft.effect() == RuleEffect.DENY;
        return new OnRequest(tried.applies(), matches, tried.outcome().failure());
    }

    private static Fields caller(Call call) {
        return RequestVariables.principal(call, () -> {});
    }

    private static String summary(RuleDraft draft, @Nullable OnRequest request, @Nullable OnAudit replay) {
        var does = draft.effect() == RuleEffect.DENY ? "denied" : "noted";
        if (replay != null) {
            return "would have %s %,d of %,d%s%s"
                    .formatted(
                            does,
                            replay.matches(),
                            replay.commands(),
                            replay.undecided() == 0
                                    ? ""
                                    : "; %,d could not be judged, since the rule needs what the audit does not keep, such as content"
                                            .formatted(replay.undecided()),
                            replay.truncated() ? "; only the latest were tried, since there are too many" : "");
        } else if (request == null) {
            return "it compiles";
        } else if (!request.applies()) {
            return "the rule does not apply to this request";
        }
        return request.matches() ? "would be " + does : "would pass";
    }
}
