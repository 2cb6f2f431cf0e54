package io.agentworkspace.engine.mcp.tasks;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.mcp.source.Extension;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** The tasks extension (SEP-2663): a call of a long tool returns a task, which the client polls. */
public record TasksExtension(McpTasks tasks) implements Extension {
    private static final String GET = "tasks/get";
    private static final String UPDATE = "tasks/update";
    private static final String CANCEL = "tasks/cancel";
    private static final String ID = "taskId";

    @Override
    public String identifier() {
        return ClientInfo.TASKS;
    }

    @Override
    public ObjectNode settings() {
        return Json.object();
    }

    @Override
    public Set<String> methods() {
        return Set.of(GET, UPDATE, CANCEL);
    }

    @Override
    public String named(String method) {
        return ID;
    }

    @Override
    public boolean isForDeclaringClients() {
        return true;
    }

    @Override
    public MethodResult serve(String method, ObjectNode params, McpRequest request) {
        var id = Params.text(params, ID);
        var caller = request.caller();
        return switch (method) {
            case GET -> MethodResult.done(tasks.find(caller, id).orElseThrow(() -> unknown(id)));
            case UPDATE -> {
                if (!params.has("inputResponses")) {
                    throw Problem.missing("params.inputResponses");
                }
                yield acknowledged(tasks.answer(caller, id, InputResponses.answers(params.get("inputResponses"))), id);
            }
            case CANCEL -> acknowledged(tasks.cancel(caller, id), id);
            default -> throw new IllegalArgumentException("this extension has no method " + method);
        };
    }

    private static MethodResult acknowledged(boolean found, String id) {
        if (!found) {
            throw unknown(id);
        }
        return MethodResult.done(Json.object());
    }

    private static Problem unknown(String id) {
        var excerpt = Name.shortened(id);
        return Problem.invalid(
                "params.taskId",
                "is '%s', but your key has no such task, or it is older than 24 hours".formatted(excerpt));
    }
}
