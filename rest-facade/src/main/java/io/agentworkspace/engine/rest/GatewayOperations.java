package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Json;
import jakarta.ws.rs.core.MediaType;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The operations that are no tools: health, configuration, this document, the catalogue. */
final class GatewayOperations {
    private static final String UNCHANGED = "You have it already: its ETag was in If-None-Match.";

    private static final String HEALTH = """
            {"status": "ok", "contract_version": "2026-05-25", "version": "0.1.0", "time": "2026-05-25T12:00:00.000Z",
             "database": "reachable"}""";

    private static final String CONFIG = """
            {"contract_version": "2026-05-25", "version": "0.1.0", "base_url": "https://engine.example.com",
             "mcp_url": "https://engine.example.com", "mcp_endpoint": "https://engine.example.com/mcp",
             "command_route": "/demo/v1/Engine/tps", "openapi": "/api/openapi.json",
             "authentication": ["X-Api-Key", "Authorization: Bearer"], "sign_in": ["acme"],
             "limits": {"max_body_bytes": 1048576, "max_json_depth": 64, "name_characters": 64,
                        "description_characters": 2000, "profile_characters": 16000, "content_characters": 64000,
                        "page_entries": 200, "page_entries_default": 50}}""";

    private static final String TOOL = """
            {"name": "US_Read", "title": "Who am I", "description": "Tells who you are.", "family": "user",
             "capability": "user:read", "effect": "reads",
             "route": {"method": "POST", "path": "/demo/v1/Engine/tps/user/read"},
             "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
             "outputSchema": {"type": "object", "required": ["header", "status"]},
             "annotations": {"readOnlyHint": true, "destructiveHint": false}}""";

    private static final String RPC_REFUSED = """
            {"jsonrpc": "2.0", "error": {"code": -32600, "message": "no credential came: send your API key in the header\
             X-Api-Key, or as Authorization: Bearer", "data": {"error": "unauthenticated", "internal_code": 2001,
             "note": "no credential came: send your API key in the header X-Api-Key, or as Authorization: Bearer",
             "request_id": "0197f1d0c5a87d2e"}}}""";

    private static final Map<Integer, String> RPC_STATUSES = new TreeMap<>(Map.of(
            400, "No proper message.",
            401, "No valid credential.",
            403, "Not permitted, or a foreign origin.",
            404, "The session has ended, or there is no such method.",
            413, "The body is too large.",
            429, "Rate limited.",
            500, "A defect."));

    private static final String DONE = """
            {"header": {"service": "US_Read", "request_id": "0197f1d0c5a87d2e", "contract_version": "2026-05-25",
                        "time": "2026-05-25T12:00:00.000Z", "context": {"name": "default", "user": "maria"}, "unread": 0},
             "status": {"success": true, "internal_code": 0, "http_code": 200},
             "profile": [{"user": "maria", "role": "member"}], "content": []}""";

    private final OpenApi document;

    GatewayOperations(OpenApi document) {
        this.document = document;
    }

    void add() {
        health();
        contract();
        catalogue();
        invoke();
        mcp();
    }

    private void mcp() {
        var refused = Json.readObject(RPC_REFUSED.getBytes(StandardCharsets.UTF_8));
        var operation = new Operation(
                        "mcpCall",
                        Tag.MCP,
                        "Call the MCP endpoint",
                        "One JSON-RPC 2.0 message of the Model Context Protocol: initialize, tools/list, tools/call and the"
                                + " others. Some answers come as text/event-stream where the client accepts it.")
                .body(
                        true,
                        OpenApi.schema("RpcRequest"),
                        Json.object()
                                .put("jsonrpc", "2.0")
                                .put("id", "1")
                                .put("method", "ping")
                                .set("params", Json.object()))
                .answers(200, "The response to a request.", "RpcResponse", """
                        {"jsonrpc": "2.0", "id": "1", "result": {}}""")
                .answersNothing(202, "A notification was taken.");
        RPC_STATUSES.forEach((status, words) -> operation.answers(status, words, OpenApi.schema("RpcError"), refused));
        document.add(
                "POST",
                "/mcp",
                operation.tells(429, "Retry-After", "RetryAfter").tells(500, "Retry-After", "RetryAfter"));
    }

    private static Operation open(String id, Tag tag, String summary, String description) {
        return new Operation(id, tag, summary, description).open();
    }

    private void health() {
        document.add(
                "GET",
                GatewayRoutes.HEALTH,
                open("health", Tag.GATEWAY, "Health", "200 for as long as the process runs; the body tells how it is.")
                        .answers(200, "How it is.", "Health", HEALTH)
                        .problems(400, 401, 429, 500));
        document.add(
                "GET",
                GatewayRoutes.LIVE,
                open("healthLive", Tag.GATEWAY, "Liveness", "Whether the process runs.")
                        .answers(200, "It runs.", "Live", "{\"status\": \"ok\"}")
                        .problems(400, 401, 429, 500));
        document.add(
                "GET",
                GatewayRoutes.READY,
                open("healthReady", Tag.GATEWAY, "Readiness", "Whether requests can be served: 503 while they cannot.")
                        .answers(200, "They can.", "Health", HEALTH)
                        .problems(400, 401, 429, 500, 503));
    }

    private void contract() {
        document.add(
                "GET",
                GatewayRoutes.CONFIG,
                open(
                                "configRead",
                                Tag.GATEWAY,
                                "Public runtime configuration",
                                "The addresses, versions and limits of this service, and how to sign in.")
                        .answers(200, "The configuration.", "Config", CONFIG)
                        .problems(400, 401, 429, 500));
        var example = Json.object().put("openapi", "3.1.0");
        published(
                OpenApiRoutes.JSON,
                "openapiJson",
                "This document",
                MediaType.APPLICATION_JSON,
                Json.object().put("type", "object"),
                example);
        published(
                OpenApiRoutes.YAML,
                "openapiYaml",
                "This document as YAML",
                "application/yaml",
                Json.object().put("type", "string"),
                Json.valueTree("openapi: 3.1.0"));
    }

    private void published(
            String path, String id, String summary, String mediaType, ObjectNode schema, JsonNode example) {
        var operation = open(id, Tag.GATEWAY, summary, "What clients are generated from, with an ETag.")
                .parameter(
                        "header",
                        "If-None-Match",
                        false,
                        "The ETag of what you have: it is not sent again.",
                        Json.object().put("type", "string"))
                .suchAs("\"0197f1d0c5a87d2e\"")
                .answers(200, "The document.", mediaType, schema, example)
                .tells(200, "ETag", "ETag")
                .answersNothing(304, UNCHANGED)
                .tells(304, "ETag", "ETag")
                .problems(400, 401, 429, 500);
        document.add("GET", path, operation);
    }

    private void catalogue() {
        document.add(
                "GET",
                CatalogueRoutes.TOOLS,
                open("toolList", Tag.MCP, "List MCP tools", "All tools; with a credential those that it may use.")
                        .answers(200, "The tools.", "Tools", "{\"tools\": [%s]}".formatted(TOOL))
                        .problems(400, 401, 429, 500));
        document.add(
                "GET",
                CatalogueRoutes.TOOL,
                named(open("toolRead", Tag.MCP, "Read an MCP tool", "One tool, as in the list."))
                        .answers(200, "The tool.", "Tool", TOOL)
                        .problems(400, 401, 403, 404, 429, 500));
    }

    private void invoke() {
        var operation = new Operation(
                "toolInvoke",
                Tag.MCP,
                "Invoke an MCP tool",
                "Arguments in, envelope out, under the status in status.http_code. Unknown arguments are refused.");
        var done = Json.readObject(DONE.getBytes(StandardCharsets.UTF_8));
        document.add(
                "POST",
                CatalogueRoutes.INVOKE,
                named(operation)
                        .idempotent()
                        .body(true, Json.object().put("type", "object"), Json.object())
                        .answers(200, "Done.", OpenApi.schema("CommandResponse"), done)
                        .tells(200, Reply.REPLAYED, "IdempotencyReplayed")
                        .refused(400, "The tool refused, or the body is malformed.")
                        .refused(401, "No valid credential, or not permitted.")
                        .refused(429, "Rate limited, or over quota.")
                        .refused(500, "A defect, or the database is away.")
                        .problems(400, 401, 404, 413, 415, 429, 500));
    }

    private static Operation named(Operation operation) {
        return operation
                .parameter(
                        "path", "name", true, "The tool's name.", Json.object().put("type", "string"))
                .suchAs("US_Read");
    }
}
