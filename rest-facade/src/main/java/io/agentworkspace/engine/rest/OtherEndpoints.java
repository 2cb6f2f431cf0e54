package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.rest.openapi.Components;
import io.agentworkspace.engine.rest.openapi.OAuthOperations;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.SchemaNames;
import io.agentworkspace.engine.rest.openapi.Tag;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Routes that other endpoints of this server handle: MCP, streams, hooks, the authorization server, the demo. */
final class OtherEndpoints {
    private static final Map<Integer, String> RPC_STATUSES = new TreeMap<>(Map.of(
            400, "No proper message.",
            401, "No valid credential.",
            403, "Not permitted, or a foreign origin.",
            404, "The session has ended, or there is no such method.",
            413, "The body is too large.",
            429, "Rate limited.",
            500, "A defect."));

    private OtherEndpoints() {}

    static List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.elsewhere("POST", McpAddress.ENDPOINT, OtherEndpoints::mcp),
                GatewayRoute.elsewhere("GET", "/api/stream", OtherEndpoints::stream),
                GatewayRoute.elsewhere("POST", "/api/hooks/{client}", OtherEndpoints::hook),
                GatewayRoute.elsewhere("GET", "/api/hooks/{client}/messages", OtherEndpoints::hookMessages));
    }

    static List<GatewayRoute> authorization() {
        return List.of(
                GatewayRoute.elsewhere("GET", "/.well-known/oauth-authorization-server", OAuthOperations::metadata),
                GatewayRoute.elsewhere("GET", "/oauth/authorize", OAuthOperations::authorize),
                GatewayRoute.elsewhere("POST", "/oauth/token", OAuthOperations::token),
                GatewayRoute.elsewhere("POST", "/oauth/register", OAuthOperations::register),
                GatewayRoute.elsewhere("POST", "/oauth/revoke", OAuthOperations::revoke));
    }

    static List<GatewayRoute> demos() {
        return List.of(
                GatewayRoute.elsewhere("GET", "/api/demo", OtherEndpoints::demoRead),
                GatewayRoute.elsewhere("POST", "/api/demo", OtherEndpoints::demoChange),
                GatewayRoute.elsewhere("DELETE", "/api/demo", OtherEndpoints::demoRemove));
    }

    private static Operation mcp() {
        var operation = new Operation(
                        "mcpCall",
                        Tag.MCP,
                        "Call the MCP endpoint",
                        "One JSON-RPC 2.0 message of the Model Context Protocol: initialize, tools/list, tools/call and the"
                                + " others. Some answers come as text/event-stream where the client accepts it.")
                .body(
                        true,
                        SchemaNames.schema("RpcRequest"),
                        Json.object()
                                .put("jsonrpc", "2.0")
                                .put("id", "1")
                                .put("method", "ping")
                                .set("params", Json.object()))
                .answers(200, "The response to a request.", "RpcResponse")
                .answersNothing(202, "A notification was taken.");
        RPC_STATUSES.forEach((status, words) ->
                operation.answers(status, words, SchemaNames.schema("RpcError"), Components.rpcError(status)));
        return operation.returns(429, "Retry-After", "RetryAfter").returns(500, "Retry-After", "RetryAfter");
    }

    private static Operation stream() {
        var event = """
                id: 81204-9317-1795379400
                event: messages
                data: {"from":"Ada","domain":"Den","zone":"main","content":"Low water at six.","at":"2026-05-25T12:00:00.000Z"}
                """;
        return new Operation(
                        "stream",
                        Tag.GATEWAY,
                        "Read what happens, as it happens",
                        "Server-sent events, each named by its topic and filtered by what you may see when it is sent. The"
                                + " first event, open, lists the topics that you receive. After a break send the last"
                                + " id as Last-Event-ID: you get what you missed, or the event reset if that is no"
                                + " longer known. Events can come twice. The stream ends within a second after its"
                                + " credential does.")
                .parameter(
                        "query",
                        "topics",
                        false,
                        "With commas between them: presence, messages, memories, deliveries, handshakes, audit. All when"
                                + " left out.",
                        Json.object().put("type", "string"))
                .suchAs("messages,memories")
                .parameter(
                        "header",
                        "Last-Event-ID",
                        false,
                        "The id of the last event that you received.",
                        Json.object().put("type", "string"))
                .suchAs("81204-9317-1795379400")
                .answers(
                        200,
                        "The events.",
                        "text/event-stream",
                        Json.object().put("type", "string"),
                        Json.valueTree(event))
                .problems(400, 401, 422, 429, 500, 503);
    }

    private static Operation hook() {
        return client(new Operation(
                        "hook",
                        Tag.GATEWAY,
                        "Answer an event of a coding agent's hook",
                        "Takes the event as the client sends it, and answers in the client's format: what waits for the agent"
                                + " that the key is bound to, and what its memory has for a prompt. The answer is {} if there"
                                + " is nothing to say. A message is announced once to each session, and stays unread."))
                .body(
                        true,
                        Json.object().put("type", "object"),
                        Json.object()
                                .put("hook_event_name", "UserPromptSubmit")
                                .put("session_id", "5f0c")
                                .put("prompt", "When is low water?"))
                .answers(
                        200,
                        "What the hook answers.",
                        "application/json",
                        Json.object().put("type", "object"),
                        Json.object())
                .problems(400, 401, 403, 404, 422, 429, 500, 503);
    }

    private static Operation hookMessages() {
        return client(
                        new Operation(
                                "hookMessages",
                                Tag.GATEWAY,
                                "Wake a session of a coding agent",
                                "Server-sent events: one line for messages that wait for the agent that the key is bound to, with"
                                        + " names only. Messages that arrive together are one line, and a session learns of each message"
                                        + " once, here or by a hook. The stream ends within a second after its credential does."))
                .parameter(
                        "query",
                        "for",
                        true,
                        "The id of the session.",
                        Json.object().put("type", "string"))
                .suchAs("5f0c")
                .parameter(
                        "query",
                        "after",
                        false,
                        "The id of the last line that you received, after a break.",
                        Json.object().put("type", "string"))
                .suchAs("7")
                .answers(
                        200,
                        "The lines.",
                        "text/event-stream",
                        Json.object().put("type", "string"),
                        Json.valueTree("id: 8\ndata: 2 new messages from Ada; read them with AP_Wait\n"))
                .problems(400, 401, 403, 404, 422, 429, 500, 503);
    }

    private static Operation client(Operation operation) {
        return operation
                .parameter(
                        "path",
                        "client",
                        true,
                        "claude-code, codex or gemini-cli.",
                        Json.object().put("type", "string"))
                .suchAs("claude-code");
    }

    private static Operation demoRead() {
        return demo("demoRead", "Read how the demo is", "Whether there is one, how far it is, and what it asks you.")
                .answers(200, "How it is.", demoSchema(), demoExample())
                .problems(400, 401, 403, 429, 500, 503);
    }

    private static Operation demoChange() {
        var body = Json.object().put("type", "object");
        var fields = body.putObject("properties");
        var words = fields.putObject("action")
                .put("type", "string")
                .put("default", "start")
                .putArray("enum");
        List.of("start", "pause", "resume", "replay").forEach(words::add);
        fields.putObject("seconds")
                .put("type", "integer")
                .put("minimum", 5)
                .put("maximum", 600)
                .put("default", 90)
                .put("description", "How long it takes, without the wait for your answer; when it is started.");
        return demo(
                        "demoChange",
                        "Start, pause, resume or replay the demo",
                        "Three agents with keys of their own handle an incident in two zones, over MCP. They ask you how to go"
                                + " on: say it in the zone with AP_Chat.")
                .body(false, body, Json.object().put("action", "start"))
                .answers(200, "How it is now.", demoSchema(), demoExample())
                .problems(400, 401, 403, 409, 413, 415, 422, 429, 500, 503);
    }

    private static Operation demoRemove() {
        return demo("demoRemove", "Remove the demo", "Its agents, their keys, its domain and its banks.")
                .answers(200, "It is gone.", demoSchema(), Json.object().put("state", "none"))
                .problems(400, 401, 403, 429, 500, 503);
    }

    private static Operation demo(String id, String summary, String description) {
        return new Operation(id, Tag.GATEWAY, summary, description + " For admins.");
    }

    private static ObjectNode demoSchema() {
        var state = Json.object().put("type", "object");
        var fields = state.putObject("properties");
        var states = fields.putObject("state").put("type", "string").putArray("enum");
        List.of("none", "running", "paused", "waiting", "finished").forEach(states::add);
        fields.putObject("step").put("type", "integer");
        fields.putObject("steps").put("type", "integer");
        fields.putObject("domain").put("type", "string");
        fields.putObject("zone").put("type", "string");
        var doing = fields.putObject("doing").put("type", "object");
        doing.put("description", "The last call of an agent.");
        var call = doing.putObject("properties");
        List.of("agent", "tool", "words").forEach(field -> call.putObject(field).put("type", "string"));
        fields.putObject("question").put("type", "string");
        fields.putObject("answers").put("type", "array").putObject("items").put("type", "string");
        fields.putObject("answer").put("type", "string");
        state.putArray("required").add("state");
        return state;
    }

    private static ObjectNode demoExample() {
        return Json.object()
                .put("state", "running")
                .put("step", 3)
                .put("steps", 25)
                .put("domain", "Checkout incident")
                .put("zone", "main");
    }
}
