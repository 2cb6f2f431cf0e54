package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluates a rule on the audited commands of the last days. */
final class Replay {
    private static final int PAGE = 2_000;
    private static final int MOST = 100_000;
    private static final int EXAMPLES = 20;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final ReplayQueries audited;
    private final List<Tool<?, ?>> all;

    /** @param all all tools; the list is filled after this is created */
    Replay(ReplayQueries audited, List<Tool<?, ?>> all) {
        this.audited = audited;
        this.all = all;
    }

    /** The results so far. */
    private static final class Tally {
        private long applies;
        private long matches;
        private long undecided;
        private long failures;
        private final List<RuleCheckTool.Example> examples = new ArrayList<>();
    }

    RuleCheckTool.OnAudit over(RuleDraft draft, Expression expression, int days, Call call) {
        var since = call.now().minus(days, ChronoUnit.DAYS);
        var commands = audited.count(call, since, all.stream().map(Tool::name).toList());
        var tools = applicable(draft);
        var tally = new Tally();
        var tried = 0;
        var begin = System.nanoTime();
        ReplayQueries.AuditedCall last = null;
        List<ReplayQueries.AuditedCall> page;
        do {
            HeavyWork.pass();
            page = tools.isEmpty() ? List.of() : audited.page(call, since, tools.keySet(), last, PAGE);
            page.forEach(entry -> attempt(draft, expression, tools, entry, tally));
            tried += page.size();
            last = page.isEmpty() ? null : page.getLast();
            call.progress().report(tried, (double) Math.max(tried, commands), "audited commands");
        } while (page.size() == PAGE && !isOver(tried, begin));
        return new RuleCheckTool.OnAudit(
                since,
                commands,
                tally.applies,
                tally.matches,
                tally.undecided,
                tally.failures,
                page.size() == PAGE,
                tally.examples);
    }

    private static boolean isOver(int tried, long begin) {
        return tried >= MOST || System.nanoTime() - begin > LONGEST.toNanos();
    }

    private Map<String, Tool<?, ?>> applicable(RuleDraft draft) {
        var tools = new LinkedHashMap<String, Tool<?, ?>>();
        all.stream()
                .filter(tool -> draft.appliesTo().contains(tool.name())
                        || draft.appliesTo().contains(tool.family().word()))
                .forEach(tool -> tools.put(tool.name(), tool));
        return tools;
    }

    private static void attempt(
            RuleDraft draft,
            Expression expression,
            Map<String, Tool<?, ?>> tools,
            ReplayQueries.AuditedCall entry,
            Tally tally) {
        @Nullable Tool<?, ?> tool = tools.get(entry.tool());
        if (tool == null) {
            return;
        }
        tally.applies += entry.times();
        var kind = expression.evaluate(AuditedVariables.of(tool, entry)).kind();
        var failed = kind == Expression.EvaluationResult.FAILED;
        tally.failures += failed ? entry.times() : 0;
        tally.undecided += kind == Expression.EvaluationResult.UNKNOWN ? entry.times() : 0;
        if (kind == Expression.EvaluationResult.MATCHES || failed && draft.effect() == RuleEffect.DENY) {
            tally.matches += entry.times();
            if (tally.examples.size() < EXAMPLES) {
                tally.examples.add(new RuleCheckTool.Example(
                        entry.at(),
                        entry.user(),
                        entry.agent(),
                        entry.tool(),
                        entry.targetKind(),
                        entry.target(),
                        entry.requestId()));
            }
        }
    }
}
