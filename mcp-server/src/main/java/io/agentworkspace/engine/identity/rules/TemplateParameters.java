package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.RuleTemplate.Parameter;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The parameters of a rule from a template: the given ones, and defaults for the others. */
final class TemplateParameters {
    static final String TEXT = "text";
    static final String NUMBER = "number";
    static final String TEXTS = "texts";

    private static final int LONGEST = 300;
    private static final int MOST = 100;

    private final ObjectNode values;

    private TemplateParameters(ObjectNode values) {
        this.values = values;
    }

    /** @throws Problem {@code invalid_field} if one is unknown or has the wrong type */
    static TemplateParameters of(List<Parameter> parameters, @Nullable ObjectNode input) {
        var values = Json.object();
        parameters.forEach(parameter -> values.set(parameter.name(), parameter.value()));
        if (input != null) {
            input.properties().forEach(field -> {
                var parameter = parameters.stream()
                        .filter(match -> match.name().equals(field.getKey()))
                        .findFirst()
                        .orElseThrow(() -> unknown(field.getKey(), parameters));
                values.set(field.getKey(), checked(parameter, field.getValue()));
            });
        }
        return new TemplateParameters(values);
    }

    private static Problem unknown(String name, List<Parameter> parameters) {
        var names = parameters.stream().map(Parameter::name).toList();
        var near = Near.nearest(name, names, 1);
        return Problem.invalid(
                "parameters",
                names.isEmpty()
                        ? "must be empty: this template has none"
                        : "has '%s', which the template does not know%s; it has %s"
                                .formatted(
                                        io.agentworkspace.engine.model.problem.Name.shortened(name),
                                        near.isEmpty() ? "" : ", did you mean %s?".formatted(near.getFirst()),
                                        String.join(", ", names)));
    }

    private static JsonNode checked(Parameter parameter, JsonNode value) {
        var field = "parameters." + parameter.name();
        switch (parameter.type()) {
            case TEXT -> {
                if (!value.isString() || value.asString().length() > LONGEST) {
                    throw Problem.invalid(field, "must be a text of at most %d characters".formatted(LONGEST));
                }
            }
            case NUMBER -> {
                if (!value.isIntegralNumber() || !value.canConvertToInt() || value.asInt() < 0) {
                    throw Problem.invalid(field, "must be a whole number from 0");
                }
            }
            default -> {
                if (!value.isArray()
                        || value.size() > MOST
                        || value.valueStream()
                                .anyMatch(item -> !item.isString()
                                        || item.asString().isBlank()
                                        || item.asString().length() > LONGEST)) {
                    throw Problem.invalid(
                            field, "must be a list of at most %d texts of 1–%d characters".formatted(MOST, LONGEST));
                }
            }
        }
        return value;
    }

    ObjectNode values() {
        return values;
    }

    String text(String name) {
        return values.get(name).asString();
    }

    int number(String name) {
        return values.get(name).asInt();
    }

    List<String> texts(String name) {
        var texts = new ArrayList<String>();
        values.get(name).forEach(item -> texts.add(item.asString()));
        return texts;
    }

    /** Returns the value as a CEL literal. CEL writes texts and lists as JSON does. */
    String literal(String name) {
        return Json.text(values.get(name));
    }
}
