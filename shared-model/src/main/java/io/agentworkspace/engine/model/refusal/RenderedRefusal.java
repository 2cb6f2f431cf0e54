package io.agentworkspace.engine.model.refusal;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A refusal as it is sent to a program. Every endpoint renders its refusals here, and only chooses the style. */
public record RenderedRefusal(int status, String mediaType, ObjectNode body) {
    private static final String JSON = "application/json";

    /**
     * Renders the style of the command routes, for a request that was refused before it became a call.
     *
     * @param service the command, if it is known
     * @param left what the caller has left; empty if unknown
     */
    public static RenderedRefusal envelope(
            @Nullable String service, String requestId, Instant now, Problem problem, List<Allowance> left) {
        var envelope = Envelope.failure(service, requestId, now, problem);
        var answer = new Answer(envelope, problem, false).withLimits(left);
        return new RenderedRefusal(answer.status(), JSON, answer.envelope());
    }

    /** Renders the style of the MCP endpoint, for a request that was refused before its method was known. */
    public static RenderedRefusal rpc(@Nullable JsonNode id, String requestId, Problem problem, List<Allowance> left) {
        var data = JsonRpcRefusal.data(problem, requestId);
        Envelope.putLimits(data, left);
        var error = JsonRpcRefusal.of(id, JsonRpcRefusal.code(problem.failure()), problem.note(), data);
        return new RenderedRefusal(problem.failure().httpStatus(), JSON, error);
    }

    /** Renders the style of all other routes: RFC 9457. */
    public static RenderedRefusal document(RequestContext context, Problem problem) {
        return new RenderedRefusal(
                problem.failure().httpStatus(),
                ProblemDocument.MEDIA_TYPE,
                ProblemDocument.of(problem, context.requestId(), context.publicPath()));
    }
}
