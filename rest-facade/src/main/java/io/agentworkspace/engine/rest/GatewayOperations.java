package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Json;
import tools.jackson.databind.node.ObjectNode;

/** The operations that are no tools: health, configuration, this document, the catalogue. */
final class GatewayOperations {
    private static final String UNCHANGED = "You have it already: its ETag was in If-None-Match.";

    private final OpenApi document;

    GatewayOperations(OpenApi document) {
        this.document = document;
    }

    void add() {
        health();
        contract();
        catalogue();
        invoke();
    }

    private static Operation open(String id, Tag tag, String summary, String description) {
        return new Operation(id, tag, summary, description).open();
    }

    private void health() {
        document.add(
                "GET",
                GatewayRoutes.HEALTH,
                open("health", Tag.GATEWAY, "Health", "200 for as long as the process runs.")
                        .answers(200, "How it is.", OpenApi.schema("Health"))
                        .problems(401, 429, 500));
        document.add(
                "GET",
                GatewayRoutes.LIVE,
                open("live", Tag.GATEWAY, "Liveness", "Whether the process runs.")
                        .answers(200, "It runs.", object()));
        document.add(
                "GET",
                GatewayRoutes.READY,
                open("ready", Tag.GATEWAY, "Readiness", "Whether requests can be served.")
                        .answers(200, "They can.", OpenApi.schema("Health"))
                        .problems(503));
    }

    private void contract() {
        document.add(
                "GET",
                GatewayRoutes.CONFIG,
                open("config", Tag.GATEWAY, "Public runtime configuration", "Addresses, versions, limits.")
                        .answers(200, "The configuration.", object())
                        .problems(401, 429, 500));
        document.add(
                "GET",
                OpenApiRoutes.JSON,
                open("openapiJson", Tag.GATEWAY, "This document", "As JSON, with an ETag.")
                        .answers(200, "The document.", object())
                        .answersNothing(304, UNCHANGED)
                        .problems(401, 429, 500));
        document.add(
                "GET",
                OpenApiRoutes.YAML,
                open("openapiYaml", Tag.GATEWAY, "This document as YAML", "As YAML, with an ETag.")
                        .answers(
                                200,
                                "The document.",
                                "application/yaml",
                                Json.object().put("type", "string"))
                        .answersNothing(304, UNCHANGED)
                        .problems(401, 429, 500));
    }

    private void catalogue() {
        var tools = object();
        var list = tools.putObject("properties").putObject("tools").put("type", "array");
        list.set("items", OpenApi.schema("Tool"));
        document.add(
                "GET",
                CatalogueRoutes.TOOLS,
                open("tools", Tag.MCP, "List MCP tools", "All tools; with a credential those that it may use.")
                        .answers(200, "The tools.", tools)
                        .problems(401, 429, 500));
        document.add(
                "GET",
                CatalogueRoutes.TOOL,
                named(open("tool", Tag.MCP, "Read an MCP tool", "One tool, as in the list."))
                        .answers(200, "The tool.", OpenApi.schema("Tool"))
                        .problems(401, 403, 404, 429, 500));
    }

    private void invoke() {
        var operation = new Operation(
                "invoke",
                Tag.MCP,
                "Invoke an MCP tool",
                "Arguments in, envelope out, under the status in status.http_code. Unknown arguments are refused.");
        var envelope = OpenApi.schema("CommandResponse");
        document.add(
                "POST",
                CatalogueRoutes.INVOKE,
                named(operation)
                        .idempotent()
                        .body(object(), Json.object())
                        .answers(200, "Done.", envelope)
                        .answers(400, "The tool refused, or the body is malformed.", envelope)
                        .answers(401, "No valid credential, or not permitted.", envelope)
                        .answers(429, "Rate limited, or over quota.", envelope)
                        .answers(500, "A defect, or the database is away.", envelope)
                        .tells(200, Reply.REPLAYED, "IdempotencyReplayed")
                        .problems(400, 401, 404, 413, 415, 429, 500));
    }

    private static Operation named(Operation operation) {
        return operation.parameter(
                "path", "name", true, "The tool's name.", Json.object().put("type", "string"));
    }

    private static ObjectNode object() {
        return Json.object().put("type", "object");
    }
}
