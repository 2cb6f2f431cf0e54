package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.keys.CallerChanges;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Family;
import tools.jackson.databind.node.ObjectNode;

/** Applies the rules of tenants to their calls. A tenant without rules costs a look into a cache. */
public final class Rules {
    private final RuleSets sets;
    private final RuleCounts counts;
    private final RuleEvaluator evaluator;

    /** @param watch hears of changed rules */
    public Rules(Db db, CallerChanges watch) {
        var store = new RuleStore(db);
        this.sets = new RuleSets(store, watch);
        this.counts = new RuleCounts(store);
        this.evaluator = new RuleEvaluator(counts);
    }

    /**
     * Evaluates the rules that apply to a call: after the check of its access, before its handler. Those that matched are
     * noted in the call.
     *
     * @param input the arguments that the tool knows
     * @param loadContext reads the context into the call
     * @throws Problem {@code rule_refused}
     */
    public void check(Call call, ObjectNode input, Runnable loadContext) {
        var tenant = call.caller().tenant();
        var rules = sets.of(tenant).of(call.tool());
        if (rules.isEmpty()) {
            return;
        }
        var variables = RequestVariables.of(call, input, loadContext);
        var verdict = evaluator.verdict(tenant, rules, variables, !isExempt(call), call.requestId());
        call.rules(verdict.noted());
        if (verdict.denial() != null) {
            throw Problem.ruleRefused(verdict.denial().note());
        }
    }

    /** Nobody locks a tenant out: its owners can always change its rules. */
    private static boolean isExempt(Call call) {
        return call.tool().family() == Family.RULE && call.caller().role().isAtLeast(Role.OWNER);
    }

    /** A committed change of a rule is in force on this replica at once; the others hear of it. */
    public void changedBy(Call call) {
        if (call.tool().family() == Family.RULE && call.revision() != null) {
            sets.forget(call.caller().tenant());
        }
    }

    /** The rules about documents. */
    public DocumentRules documents() {
        return new DocumentRules(sets, evaluator);
    }

    /** Writes what was counted since the last time. */
    public void flush() {
        counts.flush();
    }
}
