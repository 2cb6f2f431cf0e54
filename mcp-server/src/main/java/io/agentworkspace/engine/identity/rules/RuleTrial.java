package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput.Fields;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Evaluates expressions on hypothetical requests: the examples of a rule, and those given to RL_Check. */
final class RuleTrial {
    private static final List<String> FIELDS =
            List.of("service", "target", "vx", "content", "principal", "document", "task", "now");

    private static final List<String> EXPECTED = List.of(RuleExample.MATCHES, RuleExample.PASSES);

    private final List<Tool<?, ?>> all;

    /** @param all all tools; the list is filled after this is created */
    RuleTrial(List<Tool<?, ?>> all) {
        this.all = all;
    }

    Optional<Tool<?, ?>> find(String name) {
        return all.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }

    /**
     * The result of a rule for a request.
     *
     * @param applies whether the rule applies to the request
     */
    record Tried(boolean applies, Expression.Evaluation outcome) {
        boolean matches() {
            return applies && outcome.kind() == Expression.EvaluationResult.MATCHES;
        }
    }

    /**
     * @param field the name of the request in a note
     * @param principal the default for a request without one
     * @throws Problem {@code invalid_field} if the request is invalid
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
        Optional<Tool<?, ?>> tool = find(service).map(match -> match.runFor(request));
        var fields = Fields.of(request.path("principal"));
        return new ExpressionInput(
                tool.map(RequestVariables::command).orElse((Fields) DocumentRules::command),
                Fields.of(request.path("target")),
                RequestVariables.vx(request),
                RequestVariables.content(request),
                request.has("principal") ? fields : principal,
                Fields.of(request.path("document")),
                Fields.of(request.path("task")),
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
     * Runs a rule on its examples.
     *
     * @throws Problem {@code invalid_field} with the first example whose result is not the expected one
     */
    void check(Expression expression, List<String> appliesTo, List<RuleExample> examples, String field, Instant now) {
        for (var i = 0; i < examples.size(); i++) {
            var example = examples.get(i);
            var name = "%s[%d]".formatted(field, i);
            if (example == null || example.request() == null) {
                throw Problem.missing(name + ".request");
            } else if (example.expected() == null) {
                throw Problem.missing(name + ".expected");
            } else if (!EXPECTED.contains(example.expected())) {
                throw Problem.invalid(name + ".expected", "must be one of " + String.join(", ", EXPECTED));
            }
            var tried = attempt(expression, appliesTo, example.request(), name + ".request", RuleTrial::anybody, now);
            var expected = example.expected().equals(RuleExample.MATCHES);
            if (tried.outcome().kind() == Expression.EvaluationResult.FAILED) {
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
