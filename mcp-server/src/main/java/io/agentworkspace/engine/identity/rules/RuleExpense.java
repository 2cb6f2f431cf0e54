package io.agentworkspace.engine.identity.rules;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.rules.cel.EvaluationBudget;
import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionError;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Checks when a rule is saved that the budget of a command or document suffices for all rules that apply to it, however
 * long its text is. So no rule fails because a text is long.
 */
final class RuleExpense {
    private static final int KEPT = 1_000;
    private static final Expression.Cost NOTHING = new Expression.Cost(0, 0);

    private static final Cache<CostKey, Expression.Cost> COSTS =
            Caffeine.newBuilder().maximumSize(KEPT).build();

    private final List<Tool<?, ?>> all;

    /** @param all all tools; the list is filled after this is created */
    RuleExpense(List<Tool<?, ?>> all) {
        this.all = all;
    }

    private record CostKey(String expression, boolean ofDocuments) {}

    /** The sums of what the rules may cost that apply to the same commands or documents. */
    private record Sums(Expression.Cost own, Expression.Cost others) {
        void check(String field, String text) {
            check(
                    field,
                    "examine each character of %s".formatted(text),
                    Expression.Cost::each,
                    EvaluationBudget.EACH,
                    "times");
            check(
                    field,
                    "examine names and descriptions: in total",
                    Expression.Cost::fixed,
                    EvaluationBudget.FIXED,
                    "characters");
        }

        private void check(String field, String what, ToLongFunction<Expression.Cost> part, long most, String unit) {
            var mine = part.applyAsLong(own);
            var rest = part.applyAsLong(others);
            if (mine + rest > most && mine > 0) {
                throw Problem.invalid(
                        field,
                        "is too expensive: it may %s %,d %s%s; %,d are the limit, with all enabled rules for it together. Use shorter patterns and lists, fewer loops, or startsWith"
                                .formatted(
                                        what,
                                        mine,
                                        unit,
                                        rest == 0 ? "" : ", and other rules %,d".formatted(rest),
                                        most));
            }
        }
    }

    /** Returns whether the rule costs enough for other rules to matter. */
    boolean isConsiderable(RuleDraft draft) {
        return draft.enabled() && (isConsiderable(draft, false) || isConsiderable(draft, true));
    }

    private static boolean isConsiderable(RuleDraft draft, boolean ofDocuments) {
        var cost = cost(draft.when(), ofDocuments);
        return cost.each() > 0 || cost.fixed() > EvaluationBudget.FIXED / RuleStore.MOST;
    }

    /**
     * @param others the other enabled rules
     * @throws Problem {@code invalid_field} if together they may need more than the budget
     */
    void check(RuleDraft draft, List<ActiveRule> others) {
        var field = draft.template() == null ? "when" : "parameters";
        if (draft.appliesTo().contains(ActiveRule.DOCUMENTS)) {
            sums(draft, others, true, ActiveRule::appliesToDocuments).check(field, "a document's text");
        }
        for (var tool : all) {
            if (draft.appliesTo().contains(tool.name())
                    || draft.appliesTo().contains(tool.family().word())) {
                sums(draft, others, false, rule -> rule.appliesTo(tool)).check(field, "the content of " + tool.name());
            }
        }
    }

    private static Sums sums(
            RuleDraft draft, List<ActiveRule> others, boolean ofDocuments, Predicate<ActiveRule> applies) {
        var rest = others.stream()
                .filter(applies)
                .map(rule -> cost(rule.expression(), ofDocuments))
                .reduce(NOTHING, Expression.Cost::plus);
        return new Sums(cost(draft.when(), ofDocuments), rest);
    }

    private static Expression.Cost cost(String expression, boolean ofDocuments) {
        return COSTS.get(new CostKey(expression, ofDocuments), RuleExpense::computed);
    }

    /** An expression that a newer version refuses fails at once, and costs nothing. */
    private static Expression.Cost computed(CostKey key) {
        try {
            return Expression.cost(key.expression(), key.ofDocuments());
        } catch (ExpressionError e) {
            return NOTHING;
        }
    }
}
