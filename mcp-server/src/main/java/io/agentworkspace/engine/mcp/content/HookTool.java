package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.delivery.hooks.HookClient;
import io.agentworkspace.engine.workspace.delivery.hooks.Hooks;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tool that hooks of coding agents call over MCP. It is never listed, since no model calls it. Its text is what the
 * client's hook answers, without an envelope.
 */
public final class HookTool implements ToolSource {
    /** The name of the tool. */
    public static final String NAME = "AW_Hook";

    private static final String FIRST = "SessionStart";

    private final Hooks hooks;

    public HookTool(Hooks hooks) {
        this.hooks = hooks;
    }

    @Override
    public List<ObjectNode> list(McpRequest request) {
        return List.of();
    }

    @Override
    public Optional<ObjectNode> find(String name, McpRequest request) {
        return Optional.empty();
    }

    @Override
    public Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest request) {
        return name.equals(NAME) ? Optional.of(() -> answer(arguments, request)) : Optional.empty();
    }

    /** A refusal is shown when a session starts, and says nothing later: a hook must not disturb its client. */
    private MethodResult answer(ObjectNode arguments, McpRequest request) {
        request.ran(NAME);
        try {
            return MethodResult.text(text(client(arguments, request), arguments, request));
        } catch (Problem problem) {
            return isFirst(arguments) ? refused(problem) : MethodResult.text("{}");
        }
    }

    /** The instructions for a summary are plain text, any other answer is JSON. */
    private String text(HookClient client, ObjectNode arguments, McpRequest request) {
        var answer = hooks.answer(client, arguments, request.caller(), request.requestId(), true);
        var specific = answer.path("hookSpecificOutput");
        return specific.path("hookEventName").asString("").equals("PreCompact")
                ? specific.path("additionalContext").asString("")
                : Json.text(answer);
    }

    private static boolean isFirst(ObjectNode arguments) {
        return arguments.path("event").asString("").equals(FIRST);
    }

    private static MethodResult refused(Problem problem) {
        var result = Json.object();
        result.putArray("content").addObject().put("type", "text").put("text", problem.note());
        return MethodResult.done(result.put("isError", true));
    }

    /** Returns the client that the input names, else the one that the request comes from. */
    private static HookClient client(ObjectNode arguments, McpRequest request) {
        var agent = String.valueOf(request.header("User-Agent")).toLowerCase(Locale.ROOT);
        return HookClient.find(arguments.path("client").asString(""))
                .or(() -> HookClient.find(
                        agent.contains("codex") ? "codex" : agent.contains("gemini") ? "gemini-cli" : "claude-code"))
                .orElseThrow();
    }
}
