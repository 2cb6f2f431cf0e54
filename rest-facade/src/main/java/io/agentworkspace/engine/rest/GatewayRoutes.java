package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.health.HealthBody;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.Route;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Health and public runtime configuration. */
final class GatewayRoutes {
    private static final String HEALTH = "/api/health";
    private static final String LIVE = HEALTH + "/live";
    private static final String READY = HEALTH + "/ready";
    private static final String CONFIG = "/api/config";

    private final PublicAddresses published;
    private final HealthCheck health;
    private final SignIn signIn;
    private final Clock clock;

    GatewayRoutes(PublicAddresses published, HealthCheck health, SignIn signIn, Clock clock) {
        this.published = published;
        this.health = health;
        this.signIn = signIn;
        this.clock = clock;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(HEALTH, _ -> health(), GatewayOperations::health)
                        .withAnyQuery(),
                GatewayRoute.get(LIVE, _ -> live(), GatewayOperations::live).withAnyQuery(),
                GatewayRoute.get(READY, _ -> ready(), GatewayOperations::ready).withAnyQuery(),
                GatewayRoute.get(CONFIG, _ -> config(), GatewayOperations::config));
    }

    /** Returns 200 for as long as the process runs. The body reports the service's health. */
    private Response health() {
        return RestResponse.json(200, state(health.database()));
    }

    private Response live() {
        return RestResponse.json(200, HealthBody.live());
    }

    /**
     * Returns 503 while the database is unreachable. A database that accepts no changes can still be read, so the
     * response is 200, which keeps a load balancer from taking the server out.
     */
    private Response ready() {
        var database = health.database();
        return database == DatabaseState.UNREACHABLE
                ? Response.fromResponse(RestResponse.json(503, state(database)))
                        .header("Retry-After", HealthBody.RETRY_SECONDS)
                        .build()
                : RestResponse.json(200, state(database));
    }

    private ObjectNode state(DatabaseState database) {
        return new HealthBody(published.version(), clock)
                .of(database == DatabaseState.REACHABLE ? "ok" : "degraded")
                .put("database", database.word());
    }

    private Response config() {
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
                .put("max_body_bytes", RequestContext.MAX_BODY)
                .put("max_json_depth", Json.MAX_DEPTH)
                .put("name_characters", Name.MAX)
                .put("description_characters", Limits.DESCRIPTION)
                .put("profile_characters", Limits.PROFILE)
                .put("content_characters", Limits.CONTENT)
                .put("page_entries", Limits.PAGE)
                .put("page_entries_default", Limits.PAGE_DEFAULT);
        return RestResponse.json(200, config);
    }
}
