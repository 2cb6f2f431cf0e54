package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.DatabaseState;
import io.agentworkspace.engine.model.Envelope;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Limits;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Published;
import io.agentworkspace.engine.model.Route;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import tools.jackson.databind.node.ObjectNode;

/** Health and public runtime configuration. */
final class GatewayRoutes {
    static final String HEALTH = "/api/health";
    static final String LIVE = HEALTH + "/live";
    static final String READY = HEALTH + "/ready";
    static final String CONFIG = "/api/config";

    private final Published published;
    private final Health health;
    private final SignIn signIn;
    private final Clock clock;

    GatewayRoutes(Published published, Health health, SignIn signIn, Clock clock) {
        this.published = published;
        this.health = health;
        this.signIn = signIn;
        this.clock = clock;
    }

    /** 200 for as long as the process runs; the body tells how it is. */
    Response health() {
        return Reply.json(200, state(health.database()));
    }

    Response live() {
        return Reply.json(200, Json.object().put("status", "ok"));
    }

    /** 503 while the database is away. One that takes no changes can still be read, which no balancer should end. */
    Response ready() {
        var database = health.database();
        if (database == DatabaseState.UNREACHABLE) {
            throw Problem.unavailable();
        }
        return Reply.json(200, state(database));
    }

    private ObjectNode state(DatabaseState database) {
        var state = Json.object()
                .put("status", database == DatabaseState.REACHABLE ? "ok" : "degraded")
                .put("contract_version", Envelope.CONTRACT_VERSION)
                .put("version", published.version());
        state.set("time", Json.valueTree(clock.instant()));
        return state.put("database", database.word());
    }

    Response config() {
        var config = Json.object()
                .put("contract_version", Envelope.CONTRACT_VERSION)
                .put("version", published.version())
                .put("base_url", published.baseUrl())
                .put("mcp_url", published.mcpUrl())
                .put("mcp_endpoint", published.mcpUrl() + "/mcp")
                .put("command_route", Route.COMMANDS)
                .put("openapi", OpenApiRoutes.JSON);
        config.putArray("authentication").add("X-Api-Key").add("Authorization: Bearer");
        signIn.providers().forEach(config.putArray("sign_in")::add);
        config.putObject("limits")
                .put("max_body_bytes", Incoming.MAX_BODY)
                .put("max_json_depth", Json.MAX_DEPTH)
                .put("name_characters", Name.MAX)
                .put("description_characters", Limits.DESCRIPTION)
                .put("profile_characters", Limits.PROFILE)
                .put("content_characters", Limits.CONTENT)
                .put("page_entries", Limits.PAGE)
                .put("page_entries_default", Limits.PAGE_DEFAULT);
        return Reply.json(200, config);
    }
}
