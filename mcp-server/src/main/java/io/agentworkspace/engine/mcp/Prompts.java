package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Near;
import io.agentworkspace.engine.model.Problem;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code prompts/list} and {@code prompts/get}, over all sources of prompts. */
final class Prompts {
    private static final Outcome.Caching FIVE_MINUTES = new Outcome.Caching(300_000, false);

    private final List<PromptSource> sources;

    Prompts(List<PromptSource> sources) {
        this.sources = sources;
    }

    Outcome list(ObjectNode params, Turn turn) {
        return Portion.of(all(turn), Params.cursor(params).orElse(null)).result("prompts", FIVE_MINUTES);
    }

    private List<ObjectNode> all(Turn turn) {
        return sources.stream().flatMap(source -> source.list(turn).stream()).toList();
    }

    Outcome get(ObjectNode params, Turn turn) {
        var name = Params.text(params, "name");
        var arguments = arguments(params);
        return sources.stream()
                .flatMap(source -> source.get(name, arguments, turn).stream())
                .findFirst()
                .orElseThrow(() -> unknown(name, turn));
    }

    private static ObjectNode arguments(ObjectNode params) {
        var arguments = Params.object(params, "arguments");
        for (var name : arguments.propertyNames()) {
            if (!arguments.get(name).isString()) {
                throw Problem.wrongType("params.arguments." + name, "a string");
            }
        }
        return arguments;
    }

    private Problem unknown(String name, Turn turn) {
        var known =
                all(turn).stream().map(prompt -> prompt.get("name").asString()).toList();
        var near = Near.nearest(name, known, 2);
        var shown = Name.shortened(name);
        return new Problem(
                Failure.NOT_FOUND,
                near.isEmpty()
                        ? "there is no prompt '%s' here; prompts/list tells which there are".formatted(shown)
                        : "there is no prompt '%s' here; did you mean %s?".formatted(shown, String.join(" or ", near)));
    }
}
