package io.agentworkspace.engine.identity.rules;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.rules.cel.EvaluationBudget;
import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionError;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
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

    /** A rule, and what its evaluation gave. */
    private record Decided(ActiveRule rule, Expression.Evaluation outcome) {}

    /**
     * Evaluates the rules.
     *
     * @param denying whether deny rules are enforced
     * @param counting takes what counts the matches and failures
     * @param about the request id, or another one that identifies this in the log
     */
    Verdict verdict(
            long tenant,
            List<ActiveRule> rules,
            ExpressionInput input,
            boolean denying,
            Consumer<Runnable> counting,
            String about) {
        var budget = EvaluationBudget.of(input);
        var decided = rules.stream()
                .filter(rule -> denying || !rule.denies())
                .map(rule -> new Decided(rule, evaluate(rule.expression(), input, budget)))
                .toList();
        counting.accept(() -> decided.forEach(each -> count(tenant, each.rule(), each.outcome(), input.now(), about)));
        var matching = decided.stream()
                .filter(each -> isMatch(each.rule(), each.outcome()))
                .map(Decided::rule)
                .toList();
        return new Verdict(
                matching.stream()
                        .filter(ActiveRule::denies)
                        .findFirst()
                        .map(rule -> new Verdict.Denial(rule.name(), rule.message()))
                        .orElse(null),
                matching.stream()
                        .filter(ActiveRule::isNoted)
                        .map(ActiveRule::name)
                        .toList());
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
