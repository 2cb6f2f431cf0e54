package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionError;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
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
    interface RuleFields {
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

    /** @param base the existing rule; null for a new one */
    RuleDraft make(RuleFields fields, @Nullable RuleDraft base, Instant now) {
        var condition = condition(fields, base);
        var template = condition.template();
        var name = Objects.requireNonNull(fields.name() != null ? fields.name() : base == null ? null : base.name());
        var fresh = base == null || fields.template() != null;
        var draft = new RuleDraft(
                name,
                fields.description() != null ? fields.description() : base == null ? null : base.description(),
                fields.appliesTo() != null
                        ? appliesTo(fields.appliesTo())
                        : fresh && template != null
                                ? template.appliesTo()
                                : base == null ? nothing() : base.appliesTo(),
                condition.when(),
                template == null ? null : template.name(),
                condition.parameters(),
                fields.effect() != null ? fields.effect() : base == null ? RuleEffect.DENY : base.effect(),
                fields.message() != null
                        ? fields.message()
                        : fresh && template != null
                                ? template.message()
                                : base == null ? "a rule of your tenant does not allow it" : base.message(),
                fields.enabled() != null ? fields.enabled() : base == null || base.enabled(),
                fields.priority() != null ? fields.priority() : base == null ? 0 : base.priority(),
                fields.mode() != null ? fields.mode() : base == null ? RuleMode.ENFORCE : base.mode(),
                fields.examples() != null ? fields.examples() : base == null ? List.of() : base.examples());
        check(draft, condition, now);
        return draft;
    }

    private static List<String> nothing() {
        throw Problem.missing("applies_to");
    }

    private static Condition condition(RuleFields fields, @Nullable RuleDraft base) {
        if (fields.when() != null) {
            if (fields.template() != null || fields.parameters() != null) {
                throw fields.template() == null
                        ? Problem.invalid(
                                "parameters", "belong to a template, and none is sent: send template instead of when")
                        : Problem.invalid("when", "cannot be combined with a template: send one of them");
            }
            return new Condition(fields.when(), null, null, List.of());
        }
        var name = fields.template() != null ? fields.template() : base == null ? null : base.template();
        if (name == null && fields.parameters() != null) {
            throw Problem.invalid("parameters", "belong to a template: send template, too");
        } else if (name == null && base == null) {
            throw Problem.invalid("when", "is missing: send it, or a template with its parameters");
        } else if (name == null) {
            return new Condition(Objects.requireNonNull(base).when(), null, null, List.of());
        }
        return filled(RuleTemplates.read(name), fields, base);
    }

    private static Condition filled(RuleTemplates.Template template, RuleFields fields, @Nullable RuleDraft base) {
        var values = fields.parameters();
        if (values == null && base != null && template.name().equals(base.template())) {
            values = base.parameters();
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
        var vocabulary = Stream.of(
                        all.stream().map(Tool::name),
                        Arrays.stream(Family.values()).map(Family::word),
                        Stream.of(ActiveRule.DOCUMENTS))
                .flatMap(names -> names)
                .toList();
        words.stream()
                .filter(word -> !vocabulary.contains(word) && !ForeignTool.isName(word))
                .findFirst()
                .ifPresent(word -> {
                    var near = Near.nearest(word, vocabulary, 1);
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
