package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.rest.openapi.Components;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.SchemaNames;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The operations that are not tools: health, configuration, this document, the catalogue. */
final class GatewayOperations {
    private static final String UNCHANGED = "You have it already: its ETag was in If-None-Match.";

    private static final Map<Integer, String> RPC_STATUSES = new TreeMap<>(Map.of(
            400, "No proper message.",
            401, "No valid credential.",
            403, "Not permitted, or a foreign origin.",
            404, "The session has ended, or there is no such method.",
            413, "The body is too large.",
            429, "Rate limited.",
            500, "A defect."));

    private GatewayOperations() {}

    static Operation stream() {
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

    static Operation hook() {
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

    static Operation hookMessages() {
        return client(
                        new Operation(
                                "hookMessages",
                                Tag.GATEWAY,
                                "Wake a session of a coding agent",
                                "Server-sent events: one line for messages that wait for the agent that the key is bound to, with"
                                        + " names only. Messages that arrive together are one line, and a session hears of each message"
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

    static Operation mcp() {
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

    static Operation health() {
        return open("health", Tag.GATEWAY, "Health", "200 for as long as the process runs; the body tells how it is.")
                .answers(200, "How it is.", "Health")
                .problems(400, 401, 429, 500);
    }

    static Operation live() {
        return open("healthLive", Tag.GATEWAY, "Liveness", "Whether the process runs.")
                .answers(200, "It runs.", "Live")
                .problems(400, 401, 429, 500);
    }

    static Operation ready() {
        return open("healthReady", Tag.GATEWAY, "Readiness", "Whether requests can be served: 503 while they cannot.")
                .answers(200, "They can.", "Health")
                .answers(503, "They cannot.", SchemaNames.schema("Health"), notReady())
                .problems(400, 401, 429, 500);
    }

    private static ObjectNode notReady() {
        return ((ObjectNode) KeptAnswer.ofOperation("healthReady").deepCopy())
                .put("status", "degraded")
                .put("database", "unreachable");
    }

    static Operation config() {
        return open(
                        "configRead",
                        Tag.GATEWAY,
                        "Public runtime configuration",
                        "The addresses, versions and limits of this service, and how to sign in.")
                .answers(200, "The configuration.", "Config")
                .problems(400, 401, 429, 500);
    }

    static Operation json() {
        var example = Json.object().put("openapi", "3.1.0");
        var schema = Json.object().put("type", "object");
        return published("openapiJson", "This document", MediaType.APPLICATION_JSON, schema, example);
    }

    static Operation yaml() {
        var example = Json.valueTree("openapi: 3.1.0");
        var schema = Json.object().put("type", "string");
        return published("openapiYaml", "This document as YAML", "application/yaml", schema, example);
    }

    private static Operation published(
            String id, String summary, String mediaType, ObjectNode schema, JsonNode example) {
        return open(id, Tag.GATEWAY, summary, "What clients are generated from, with an ETag.")
                .parameter(
                        "header",
                        "If-None-Match",
                        false,
                        "The ETag of what you have: it is not sent again.",
                        Json.object().put("type", "string"))
                .suchAs("\"0197f1d0c5a87d2e\"")
                .answers(200, "The document.", mediaType, schema, example)
                .returns(200, "ETag", "ETag")
                .answersNothing(304, UNCHANGED)
                .returns(304, "ETag", "ETag")
                .problems(400, 401, 429, 500);
    }

    static Operation tools() {
        return open("toolList", Tag.MCP, "List MCP tools", "All tools; with a credential those that it may use.")
                .answers(200, "The tools.", "Tools")
                .problems(400, 401, 429, 500);
    }

    static Operation tool() {
        return named(open("toolRead", Tag.MCP, "Read an MCP tool", "One tool, as in the list."))
                .answers(200, "The tool.", "Tool")
                .problems(400, 401, 403, 404, 429, 500);
    }

    static Operation invoke() {
        var operation = new Operation(
                "toolInvoke",
                Tag.MCP,
                "Invoke an MCP tool",
                "Arguments in, envelope out, under the status in status.http_code. Unknown arguments are refused.");
        return named(operation)
                .idempotent()
                .body(true, Json.object().put("type", "object"), Json.object())
                .answers(200, "Done.", "CommandResponse")
                .returns(200, RestResponse.REPLAYED, "IdempotencyReplayed")
                .refused(400, "The tool refused, or the body is malformed.")
                .refused(401, "No valid credential, or not permitted.")
                .refused(429, "Rate limited, or over quota.")
                .refused(500, "A defect, or the database is away.")
                .problems(400, 401, 404, 413, 415, 429, 500);
    }

    private static Operation open(String id, Tag tag, String summary, String description) {
        return new Operation(id, tag, summary, description).open();
    }

    private static Operation named(Operation operation) {
        return operation
                .parameter(
                        "path", "name", true, "The tool's name.", Json.object().put("type", "string"))
                .suchAs("US_Read");
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

    static Operation demoRead() {
        return demo("demoRead", "Read how the demo is", "Whether there is one, how far it is, and what it asks you.")
                .answers(200, "How it is.", demoSchema(), demoExample())
                .problems(400, 401, 403, 429, 500, 503);
    }

    static Operation demoChange() {
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

    static Operation demoRemove() {
        return demo("demoRemove", "Remove the demo", "Its agents, their keys, its domain and its banks.")
                .answers(200, "It is gone.", demoSchema(), Json.object().put("state", "none"))
                .problems(400, 401, 403, 429, 500, 503);
    }

    private static Operation demo(String id, String summary, String description) {
        return new Operation(id, Tag.GATEWAY, summary, description + " For admins.");
    }
}
