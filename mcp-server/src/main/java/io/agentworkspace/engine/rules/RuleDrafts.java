package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.rule.RuleEffect;
import io.agentworkspace.engine.model.rule.RuleExample;
import io.agentworkspace.engine.model.rule.RuleMode;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.rules.cel.Expression;
import io.agentworkspace.engine.rules.cel.ExpressionError;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Creates rules from the fields of a request: fills in templates and defaults, compiles, and runs the examples. */
final class RuleDrafts {
    private final List<Tool<?, ?>> all;
    private final RuleTrial trial;
    private final RuleExpense expense;

    /** @param all all tools; the list is filled after this is created */
    RuleDrafts(List<Tool<?, ?>> all) {
        this.all = all;
        this.trial = new RuleTrial(all);
        this.expense = new RuleExpense(all);
    }

    /** The fields of RL_Create and RL_Update; null keeps the current value, or takes the default. */
    interface Given {
        @Nullable
        Name name();

        default @Nullable String description() {
            return null;
        }

        @Nullable
        List<String> appliesTo();

        @Nullable
        String when();

        @Nullable
        String template();

        @Nullable
        ObjectNode parameters();

        @Nullable
        RuleEffect effect();

        default @Nullable String message() {
            return null;
        }

        default @Nullable Boolean enabled() {
            return null;
        }

        default @Nullable Integer priority() {
            return null;
        }

        default @Nullable RuleMode mode() {
            return null;
        }

        default @Nullable List<RuleExample> examples() {
            return null;
        }
    }

    /** The condition, with the template that it comes from. */
    private record Condition(
            String when,
            RuleTemplates.@Nullable Template template,
            @Nullable ObjectNode parameters,
            List<RuleExample> examples) {}

    /** @param held the existing rule; null for a new one */
    RuleDraft make(Given given, @Nullable RuleDraft held, Instant now) {
        var condition = condition(given, held);
        var template = condition.template();
        var name = Objects.requireNonNull(given.name() != null ? given.name() : held == null ? null : held.name());
        var fresh = held == null || given.template() != null;
        var draft = new RuleDraft(
                name,
                given.description() != null ? given.description() : held == null ? null : held.description(),
                given.appliesTo() != null
                        ? appliesTo(given.appliesTo())
                        : fresh && template != null
                                ? template.appliesTo()
                                : held == null ? nothing() : held.appliesTo(),
                condition.when(),
                template == null ? null : template.name(),
                condition.parameters(),
                given.effect() != null ? given.effect() : held == null ? RuleEffect.DENY : held.effect(),
                given.message() != null
                        ? given.message()
                        : fresh && template != null
                                ? template.message()
                                : held == null ? "a rule of your tenant does not allow it" : held.message(),
                given.enabled() != null ? given.enabled() : held == null || held.enabled(),
                given.priority() != null ? given.priority() : held == null ? 0 : held.priority(),
                given.mode() != null ? given.mode() : held == null ? RuleMode.ENFORCE : held.mode(),
                given.examples() != null ? given.examples() : held == null ? List.of() : held.examples());
        check(draft, condition, now);
        return draft;
    }

    private static List<String> nothing() {
        throw Problem.missing("applies_to");
    }

    private static Condition condition(Given given, @Nullable RuleDraft held) {
        if (given.when() != null) {
            if (given.template() != null || given.parameters() != null) {
                throw given.template() == null
                        ? Problem.invalid(
                                "parameters", "belong to a template, and none is sent: send template instead of when")
                        : Problem.invalid("when", "cannot be combined with a template: send one of them");
            }
            return new Condition(given.when(), null, null, List.of());
        }
        var name = given.template() != null ? given.template() : held == null ? null : held.template();
        if (name == null && given.parameters() != null) {
            throw Problem.invalid("parameters", "belong to a template: send template, too");
        } else if (name == null && held == null) {
            throw Problem.invalid("when", "is missing: send it, or a template with its parameters");
        } else if (name == null) {
            return new Condition(Objects.requireNonNull(held).when(), null, null, List.of());
        }
        return filled(RuleTemplates.read(name), given, held);
    }

    private static Condition filled(RuleTemplates.Template template, Given given, @Nullable RuleDraft held) {
        var values = given.parameters();
        if (values == null && held != null && template.name().equals(held.template())) {
            values = held.parameters();
        }
        var parameters = TemplateParameters.of(template.parameters(), values);
        return new Condition(
                template.when().apply(parameters),
                template,
                parameters.values(),
                template.examples().apply(parameters));
    }

    private List<String> appliesTo(List<String> words) {
        if (words.isEmpty()) {
            throw Problem.missing("applies_to");
        }
        var known = Stream.of(
                        all.stream().map(Tool::name),
                        Arrays.stream(Family.values()).map(Family::word),
                        Stream.of(ActiveRule.DOCUMENTS))
                .flatMap(names -> names)
                .toList();
        words.stream()
                .filter(word -> !known.contains(word) && !ForeignTool.isName(word))
                .findFirst()
                .ifPresent(word -> {
                    var near = Near.nearest(word, known, 1);
                    throw Problem.invalid(
                            "applies_to",
                            "has '%s'%s; it may have commands such as AP_Destroy, families such as bank, and documents"
                                    .formatted(
                                            Name.shortened(word),
                                            near.isEmpty() ? "" : ", did you mean %s?".formatted(near.getFirst())));
                });
        return List.copyOf(new LinkedHashSet<>(words));
    }

    private void check(RuleDraft draft, Condition condition, Instant now) {
        var field = condition.template() == null ? "when" : "parameters";
        var expression = compile(draft.when(), field);
        if (draft.enabled()) { // An older version may have accepted it, and it can be switched off.
            checkNew(draft.when(), field);
            expense.check(draft, List.of());
        }
        if (condition.template() != null) {
            // They test the condition with its parameters, whichever commands the rule then applies to.
            trial.check(
                    expression, condition.template().appliesTo(), condition.examples(), "the template's examples", now);
        }
        trial.check(expression, draft.appliesTo(), draft.examples(), "examples", now);
    }

    /** @throws Problem {@code invalid_field} with line and column */
    static Expression compile(String when, String field) {
        try {
            return Expression.compile(when);
        } catch (ExpressionError e) {
            throw Problem.invalid(field, e.located());
        }
    }

    /** @throws Problem {@code invalid_field} with line and column, if only expressions of older versions may have it */
    static void checkNew(String when, String field) {
        try {
            Expression.checkNew(when);
        } catch (ExpressionError e) {
            throw Problem.invalid(field, e.located());
        }
    }
}
