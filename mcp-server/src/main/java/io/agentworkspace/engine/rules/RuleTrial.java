package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.rule.RuleExample;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.rules.cel.Expression;
import io.agentworkspace.engine.rules.cel.ExpressionInput;
import io.agentworkspace.engine.rules.cel.ExpressionInput.Fields;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Tries expressions on requests that nobody made: the examples of a rule, and those given to RL_Check. */
final class RuleTrial {
    private static final List<String> FIELDS =
            List.of("service", "target", "vx", "content", "principal", "document", "now");

    private final List<Tool<?, ?>> all;

    /** @param all all tools, once they exist */
    RuleTrial(List<Tool<?, ?>> all) {
        this.all = all;
    }

    Optional<Tool<?, ?>> find(String name) {
        return all.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }

    /**
     * What a rule finds in a request.
     *
     * @param applies whether it applies to the request at all
     */
    record Tried(boolean applies, Expression.Outcome outcome) {
        boolean matches() {
            return applies && outcome.kind() == Expression.Kind.MATCHES;
        }
    }

    /**
     * @param field what the request is called in a note
     * @param principal of a request that does not say
     * @throws Problem {@code invalid_field} where the request is none
     */
    Tried attempt(
            Expression expression,
            List<String> appliesTo,
            ObjectNode request,
            String field,
            Fields principal,
            Instant now) {
        check(request, field);
        var service = request.path("service").asString("");
        var outcome = expression.evaluate(input(request, service, field, principal, now));
        return new Tried(applies(appliesTo, service), outcome);
    }

    private boolean applies(List<String> appliesTo, String service) {
        return appliesTo.contains(service)
                || find(service)
                        .map(tool -> appliesTo.contains(tool.family().word()))
                        .orElse(false);
    }

    private void check(ObjectNode request, String field) {
        request.propertyNames().stream()
                .filter(name -> !FIELDS.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    var near = Near.nearest(name, FIELDS, 1);
                    throw Problem.invalid(
                            field,
                            "has '%s'%s; it may have %s"
                                    .formatted(
                                            Name.shortened(name),
                                            near.isEmpty() ? "" : ", did you mean %s?".formatted(near.getFirst()),
                                            String.join(", ", FIELDS)));
                });
        var service = request.path("service").asString("");
        if (!service.equals(ActiveRule.DOCUMENTS) && find(service).isEmpty()) {
            var near = Near.nearest(service, all.stream().map(Tool::name).toList(), 1);
            throw Problem.invalid(
                    field + ".service",
                    "must be a command, such as %s, or documents; it is '%s'"
                            .formatted(near.isEmpty() ? "AP_Create" : near.getFirst(), Name.shortened(service)));
        }
    }

    private ExpressionInput input(ObjectNode request, String service, String field, Fields principal, Instant now) {
        Optional<Tool<?, ?>> tool = find(service).map(known -> known.runFor(request));
        var given = Fields.of(request.path("principal"));
        return new ExpressionInput(
                tool.map(RequestVariables::command).orElse((Fields) DocumentRules::command),
                Fields.of(request.path("target")),
                RequestVariables.vx(request),
                RequestVariables.content(request),
                request.has("principal") ? given : principal,
                Fields.of(request.path("document")),
                now(request, field, now),
                Set.of());
    }

    private static Instant now(ObjectNode request, String field, Instant now) {
        if (!request.has("now")) {
            return now;
        }
        try {
            return Instant.parse(request.path("now").asString(""));
        } catch (DateTimeParseException e) {
            throw Problem.invalid(field + ".now", "must be a time in UTC, such as 2026-01-05T20:30:00Z");
        }
    }

    /**
     * Tries a rule on its examples.
     *
     * @throws Problem {@code invalid_field} naming the first that comes out otherwise than expected
     */
    void check(Expression expression, List<String> appliesTo, List<RuleExample> examples, String field, Instant now) {
        for (var i = 0; i < examples.size(); i++) {
            var example = examples.get(i);
            var name = "%s[%d]".formatted(field, i);
            var tried = attempt(expression, appliesTo, example.request(), name + ".request", RuleTrial::anybody, now);
            var expected = example.expected().equals(RuleExample.MATCHES);
            if (tried.outcome().kind() == Expression.Kind.FAILED) {
                throw Problem.invalid(
                        name,
                        "cannot be evaluated: %s".formatted(tried.outcome().failure()));
            } else if (tried.matches() != expected) {
                throw Problem.invalid(
                        name,
                        "is expected to %s, but the rule %s it%s"
                                .formatted(
                                        expected ? "match" : "pass",
                                        tried.matches() ? "matches" : "does not match",
                                        tried.applies() ? "" : ": applies_to does not have its service"));
            }
        }
    }

    private static @org.jspecify.annotations.Nullable Object anybody(String field) {
        return field.equals("role") ? "member" : null;
    }
}
