package io.agentworkspace.engine.identity.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A rule that fails at every call does not fill the log. */
class RuleWarningsTest {
    private static final Instant BEGIN = Instant.parse("2026-01-05T10:00:00Z");

    private final RuleEvaluator evaluator = new RuleEvaluator(new RuleCounts(new RuleStore(TestDatabase.db())));
    private final List<ActiveRule> rules = List.of(failing("one"), failing("two"));

    private static ActiveRule failing(String name) {
        return new ActiveRule(
                UUID.randomUUID(), name, List.of("bank"), "1 / 0 == 1", RuleEffect.DENY, RuleMode.ENFORCE, "no");
    }

    private void evaluate(int second) {
        var input = ExpressionInput.of(Json.object(), BEGIN.plusSeconds(second));
        evaluator.verdict(1, rules, input, true, Runnable::run, "r");
    }

    @Test
    void eachRuleWarnsOnceAMinute() {
        try (var log = new CapturedLog()) {
            for (var second : List.of(0, 1, 20, 59, 60, 61, 119, 130)) {
                evaluate(second);
            }
            assertThat(log.text().lines().filter(line -> line.contains("could not be evaluated")))
                    .hasSize(2 * 3);
        }
    }
}
