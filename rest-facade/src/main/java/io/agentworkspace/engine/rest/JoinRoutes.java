package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.key.JoinRequest;
import io.agentworkspace.engine.model.key.JoinResponse;
import io.agentworkspace.engine.model.key.Joining;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** How a program joins with an invitation: a script for the shell, and the route that it calls. */
final class JoinRoutes {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final Schema REQUEST = Schema.ofInput(JoinRequest.class, false);

    private final Joining joining;

    JoinRoutes(Joining joining) {
        this.joining = joining;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get("/join", _ -> text(joining.script()), JoinRoutes::ofScript),
                GatewayRoute.get("/join.ps1", _ -> text(joining.powershellScript()), JoinRoutes::ofPowershellScript),
                GatewayRoute.get(
                        "/join/workspace.zip", _ -> bytes(joining.plugin(), SkillRoutes.ZIP), JoinRoutes::ofPlugin),
                GatewayRoute.get(
                        "/join/marketplace.json",
                        _ -> RestResponse.json(200, joining.marketplace()),
                        JoinRoutes::ofMarketplace),
                GatewayRoute.get("/join/{file}", this::file, JoinRoutes::ofFile),
                GatewayRoute.post("/api/join", this::join, JoinRoutes::ofJoin));
    }

    private Response file(ContainerRequestContext context) {
        var name = context.getUriInfo().getPathParameters().getFirst("file");
        return text(joining.file(name)
                .orElseThrow(() ->
                        new Problem(Failure.NOT_FOUND, "there is no file '%s' here".formatted(Name.shortened(name)))));
    }

    private static Response text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8), TEXT);
    }

    private static Response bytes(byte[] bytes, String type) {
        return Response.ok(bytes, type)
                .header(HttpHeaders.CONTENT_LENGTH, bytes.length)
                .header(HttpHeaders.CACHE_CONTROL, "no-cache")
                .build();
    }

    private Response join(ContainerRequestContext context) {
        var body = JsonBody.required(context, "{\"code\": \"ej_…\", \"client\": \"claude-code\"}");
        var request = Json.bind(REQUEST.read(body, true), JoinRequest.class);
        var exchange = RestExchange.current();
        var joined = joining.join(request, exchange.requestId(), exchange.source());
        return Response.fromResponse(RestResponse.json(200, Json.tree(joined)))
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .build();
    }

    private static Operation ofScript() {
        return new Operation(
                        "joinScript",
                        Tag.MCP,
                        "Get the script that joins",
                        "A script for a POSIX shell, without secrets: curl -fsS …/join | sh -s -- <code>. It finds the coding"
                                + " agents on the machine, joins with the code of an invitation, and configures one.")
                .open()
                .answers(200, "The script.", TEXT, Json.object().put("type", "string"), Json.valueTree("#!/bin/sh"))
                .problems(400, 401, 429, 500);
    }

    private static Operation ofPowershellScript() {
        return new Operation(
                        "joinPowershellScript",
                        Tag.MCP,
                        "Get the script that joins on Windows",
                        "A script for PowerShell, without secrets: & ([scriptblock]::Create((irm …/join.ps1))) <code>."
                                + " It runs the script of GET /join in the shell of Git for Windows.")
                .open()
                .answers(200, "The script.", TEXT, Json.object().put("type", "string"), Json.valueTree("# Joins"))
                .problems(400, 401, 429, 500);
    }

    private static Operation ofPlugin() {
        return new Operation(
                        "joinPlugin",
                        Tag.MCP,
                        "Get the plugin for coding agents",
                        "A zip with the plugin's files, always with the same bytes. No secrets.")
                .open()
                .answers(
                        200,
                        "The zip.",
                        SkillRoutes.ZIP,
                        Json.object().put("type", "string").put("format", "binary"),
                        Json.valueTree("(the bytes of the zip)"))
                .problems(400, 401, 429, 500);
    }

    private static Operation ofMarketplace() {
        return new Operation(
                        "joinMarketplace",
                        Tag.MCP,
                        "Get the marketplace that offers the plugin",
                        "What Claude Code needs to install the plugin: its address, and the SHA-256 of its zip.")
                .open()
                .answers(
                        200,
                        "The marketplace.",
                        Json.object().put("type", "object"),
                        KeptAnswer.ofOperation("joinMarketplace"))
                .problems(400, 401, 429, 500);
    }

    private static Operation ofFile() {
        return new Operation(
                        "joinFile",
                        Tag.MCP,
                        "Get a file that joining installs",
                        "What the script of GET /join installs beside the hooks: the skill, and the listener. No secrets.")
                .open()
                .parameter("path", "file", true, "The file.", Json.object().put("type", "string"))
                .suchAs("SKILL.md")
                .answers(
                        200,
                        "The file.",
                        TEXT,
                        Json.object().put("type", "string"),
                        Json.valueTree("# Working with others"))
                .problems(400, 401, 404, 429, 500);
    }

    private static Operation ofJoin() {
        return new Operation(
                        "join",
                        Tag.MCP,
                        "Join with an invitation",
                        "Creates what the invitation names, all or nothing, and returns a key that is bound to the agent. The"
                                + " code is good for one use; a code that is unknown, used, withdrawn or expired gets 404.")
                .open()
                .takes(
                        JoinRequest.class,
                        Json.object()
                                .put("code", "ej_0000000000000000000000000000")
                                .put("client", "claude-code"))
                .answers(200, "Joined.", JoinResponse.class)
                .problems(400, 401, 404, 409, 413, 415, 422, 429, 500, 503);
    }
}
