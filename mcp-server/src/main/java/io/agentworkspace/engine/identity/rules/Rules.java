package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.changes.TenantCache;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** Applies the tenants' rules to their calls. A tenant without rules costs one look-up in a cache. */
public final class Rules {
    private final RuleStore store;
    private final TenantCache<RuleSet> sets;
    private final RuleCounts counts;
    private final RuleEvaluator evaluator;

    /** @param watch is notified of changed rules */
    public Rules(Db db, CallerChanges watch) {
        this.store = new RuleStore(db);
        this.sets = new TenantCache<>("rules:", watch, store::tenants, store::active, RuleSet.NONE);
        this.counts = new RuleCounts(store);
        this.evaluator = new RuleEvaluator(counts);
    }

    /**
     * Evaluates the rules that apply to a call, after its access check and before its handler. Rules that
     * matched are noted in the call.
     *
     * @param input the arguments that the tool defines
     * @param loadContext reads the context into the call
     * @param counting takes what counts the matches when the call has ended
     * @throws Problem {@code rule_refused}
     */
    public void check(Call call, ObjectNode input, Runnable loadContext, Consumer<Runnable> counting) {
        var tenant = call.caller().tenant();
        var rules = sets.of(tenant).of(call.tool());
        if (rules.isEmpty()) {
            return;
        }
        var variables = RequestVariables.of(call, input, loadContext, value -> store.documentName(call, value));
        var verdict = evaluator.verdict(tenant, rules, variables, !isExempt(call), counting, call.requestId());
        call.rules(verdict.noted());
        if (verdict.denial() != null) {
            throw Problem.ruleRefused(verdict.denial().note());
        }
    }

    /**
     * Applies the rules of another tool to a part of a call that does what that tool does.
     *
     * @param input the arguments that the other tool would have
     * @throws Problem {@code rule_refused}
     */
    public void checkPart(Call call, Tool<?, ?> other, ObjectNode input) {
        if (sets.of(call.caller().tenant()).of(other).isEmpty()) {
            return;
        }
        var part = new Call(call.caller(), other, call.requestId(), call.now());
        part.load(call.loadedContext());
        try {
            check(part, input, () -> {}, call::countingRulesOfPart);
        } finally {
            call.rules(Stream.concat(call.rules().stream(), part.rules().stream())
                    .distinct()
                    .toList());
        }
    }

    /**
     * Returns whether rules do not apply: the tenant's owners can always change its rules, so no rule locks a tenant out.
     */
    private static boolean isExempt(Call call) {
        return call.tool().family() == Family.RULE && call.caller().role().isAtLeast(Role.OWNER);
    }

    /** Applies a committed change of a rule on this replica at once. Other replicas are notified. */
    public void changedBy(Call call) {
        if (call.tool().family() == Family.RULE && call.revision() != null) {
            sets.forget(call.caller().tenant());
        }
    }

    /** Returns the evaluator of rules about documents. */
    public DocumentRules documents() {
        return new DocumentRules(sets, evaluator);
    }

    /** Writes the collected counts. */
    public void flush() {
        counts.flush();
    }
}
