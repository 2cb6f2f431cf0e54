package io.agentworkspace.engine.rules;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.rules.cel.EvaluationBudget;
import io.agentworkspace.engine.rules.cel.Expression;
import io.agentworkspace.engine.rules.cel.ExpressionError;
import io.agentworkspace.engine.rules.cel.ExpressionInput;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Evaluates rules, and counts what they match. Compiled expressions are cached. */
final class RuleEvaluator {
    private static final Logger LOG = LoggerFactory.getLogger(RuleEvaluator.class);
    private static final int COMPILED = 5_000;

    private final Cache<String, Compiled> expressions =
            Caffeine.newBuilder().maximumSize(COMPILED).build();
    private final RuleCounts counts;

    RuleEvaluator(RuleCounts counts) {
        this.counts = counts;
    }

    /** @param failure why it could not be compiled, which a newer engine may refuse; a rule like that fails */
    private record Compiled(
            @Nullable Expression expression, @Nullable String failure) {}

    private static Compiled compile(String text) {
        try {
            return new Compiled(Expression.compile(text), null);
        } catch (ExpressionError e) {
            return new Compiled(null, e.located());
        }
    }

    Expression.Outcome evaluate(String text, ExpressionInput input, EvaluationBudget budget) {
        var compiled = expressions.get(text, RuleEvaluator::compile);
        return compiled.expression() == null
                ? new Expression.Outcome(Expression.Kind.FAILED, compiled.failure())
                : compiled.expression().evaluate(input, budget);
    }

    /** @param denying whether deny rules are enforced */
    Verdict verdict(long tenant, List<ActiveRule> rules, ExpressionInput input, boolean denying, String about) {
        var budget = new EvaluationBudget();
        var noted = new ArrayList<String>();
        Verdict.Denial denial = null;
        for (var rule : rules) {
            if (rule.denies() && !denying) {
                continue;
            }
            if (matches(tenant, rule, evaluate(rule.expression(), input, budget), input, about)) {
                if (rule.isNoted()) {
                    noted.add(rule.name());
                }
                if (denial == null && rule.denies()) {
                    denial = new Verdict.Denial(rule.name(), rule.message());
                }
            }
        }
        return new Verdict(denial, noted);
    }

    /** What fails matches if the rule denies: what nobody can decide is not let through. */
    private boolean matches(
            long tenant, ActiveRule rule, Expression.Outcome outcome, ExpressionInput input, String about) {
        var matches = isMatch(rule, outcome);
        if (matches) {
            counts.matched(tenant, rule.id(), input.now());
        }
        if (outcome.kind() == Expression.Kind.FAILED) {
            counts.failed(tenant, rule.id(), input.now(), String.valueOf(outcome.failure()));
            LOG.atWarn()
                    .addKeyValue("request_id", about)
                    .log("the rule '{}' could not be evaluated: {}", rule.name(), outcome.failure());
        }
        return matches;
    }

    static boolean isMatch(ActiveRule rule, Expression.Outcome outcome) {
        return switch (outcome.kind()) {
            case MATCHES -> true;
            case PASSES, UNKNOWN -> false;
            case FAILED -> rule.effect() == io.agentworkspace.engine.model.rule.RuleEffect.DENY;
        };
    }
}
