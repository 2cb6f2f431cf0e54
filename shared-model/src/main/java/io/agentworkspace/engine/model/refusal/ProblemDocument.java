package io.agentworkspace.engine.model.refusal;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import tools.jackson.databind.node.ObjectNode;

/** The form of a refusal outside the command routes: RFC 9457, {@code application/problem+json}. */
public final class ProblemDocument {
    public static final String MEDIA_TYPE = "application/problem+json";

    /** The page that describes each failure, under its name; below the public path, relative to the requested URL. */
    public static final String DOCUMENTATION = "/docs/concepts#";

    private ProblemDocument() {}

    /** @param publicPath the path below which the server is published; empty for none */
    public static ObjectNode of(Problem problem, String requestId, String publicPath) {
        var failure = problem.failure();
        var document = Json.object()
                .put("type", publicPath + DOCUMENTATION + failure.error())
                .put("title", failure.title())
                .put("status", failure.httpStatus())
                .put("detail", problem.note())
                .put("error", failure.error())
                .put("request_id", requestId);
        problem.beside().forEach((field, value) -> document.set(field, Json.valueTree(value)));
        return document;
    }
}
