package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.QuotedText;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Checks the query of a request below {@code /api}. If a parameter were ignored, the response would belong to a
 * different request.
 */
final class QueryFields {
    /** How many unknown parameters a refusal names. */
    private static final int NAMED = 10;

    private QueryFields() {}

    /** @throws Problem {@code bad_request} that names the unknown parameters, and the nearest known one of each */
    static void refuseUnknown(ContainerRequestContext context, Collection<String> names) {
        var notes = context.getUriInfo().getQueryParameters().keySet().stream()
                .filter(name -> !names.contains(name))
                .sorted()
                .limit(NAMED)
                .map(name -> "'%s' is not a query parameter of this route; %s"
                        .formatted(QuotedText.shortened(name), hint(name, names)))
                .collect(Collectors.joining(". "));
        if (!notes.isEmpty()) {
            throw new Problem(Failure.BAD_REQUEST, notes);
        }
    }

    private static String hint(String name, Collection<String> names) {
        var near = Near.nearest(QuotedText.shortened(name), names, 1);
        if (!near.isEmpty()) {
            return "did you mean '%s'?".formatted(near.getFirst());
        }
        return "it takes " + (names.isEmpty() ? "none" : String.join(", ", names));
    }
}
