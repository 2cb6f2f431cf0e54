package io.agentworkspace.engine.identity.rules;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.rules.cel.EvaluationBudget;
import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionError;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Evaluates rules and counts their matches. Compiled expressions are cached. */
final class RuleEvaluator {
    private static final Logger LOG = LoggerFactory.getLogger(RuleEvaluator.class);
    private static final int COMPILED = 5_000;

    /** The time between two warnings about a rule. */
    private static final Duration QUIET = Duration.ofMinutes(1);

    private final Cache<String, Compiled> expressions =
            Caffeine.newBuilder().maximumSize(COMPILED).build();
    /** When a failure of each rule was last logged. */
    private final Cache<UUID, Instant> warned =
            Caffeine.newBuilder().maximumSize(COMPILED).build();

    private final RuleCounts counts;

    RuleEvaluator(RuleCounts counts) {
        this.counts = counts;
    }

    /** @param failure why it could not be compiled, as a newer version may refuse it; such a rule fails */
    private record Compiled(
            @Nullable Expression expression, @Nullable String failure) {}

    private static Compiled compile(String text) {
        try {
            return new Compiled(Expression.compile(text), null);
        } catch (ExpressionError e) {
            return new Compiled(null, e.located());
        }
    }

    Expression.Evaluation evaluate(String text, ExpressionInput input, EvaluationBudget budget) {
        var compiled = expressions.get(text, RuleEvaluator::compile);
        return compiled.expression() == null
                ? new Expression.Evaluation(Expression.EvaluationResult.FAILED, compiled.failure())
                : compiled.expression().evaluate(input, budget);
    }

    /**
     * How rules are applied.
     *
     * @param denying whether deny rules are enforced
     * @param counted whether matches and failures are counted
     */
    record Options(boolean denying, boolean counted) {}

    Verdict verdict(long tenant, List<ActiveRule> rules, ExpressionInput input, Options options, String about) {
        var budget = EvaluationBudget.of(input);
        var noted = new ArrayList<String>();
        Verdict.Denial denial = null;
        for (var rule : rules) {
            if (rule.denies() && !options.denying()) {
                continue;
            }
            var outcome = evaluate(rule.expression(), input, budget);
            if (options.counted()) {
                count(tenant, rule, outcome, input.now(), about);
            }
            if (isMatch(rule, outcome)) {
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

    private void count(long tenant, ActiveRule rule, Expression.Evaluation outcome, Instant now, String about) {
        if (isMatch(rule, outcome)) {
            counts.matched(tenant, rule.id(), now);
        }
        if (outcome.kind() == Expression.EvaluationResult.FAILED) {
            counts.failed(tenant, rule.id(), now, String.valueOf(outcome.failure()));
            if (isDue(rule.id(), now)) {
                LOG.atWarn()
                        .addKeyValue("request_id", about)
                        .log("the rule '{}' could not be evaluated: {}", rule.name(), outcome.failure());
            }
        }
    }

    /** Returns whether a failure of the rule may be logged: at most one each minute. RL_List counts all. */
    private boolean isDue(UUID rule, Instant now) {
        var last = warned.get(rule, _ -> now);
        if (last.equals(now) || Duration.between(last, now).compareTo(QUIET) >= 0) {
            warned.put(rule, now);
            return true;
        }
        return false;
    }

    /** A deny rule that fails also matches: an undecided request is refused. */
    static boolean isMatch(ActiveRule rule, Expression.Evaluation outcome) {
        return switch (outcome.kind()) {
            case MATCHES -> true;
            case PASSES, UNKNOWN -> false;
            case FAILED -> rule.effect() == RuleEffect.DENY;
        };
    }
}
