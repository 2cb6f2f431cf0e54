package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.health.HealthBody;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
                GatewayRoute.get(HEALTH, _ -> health(), GatewayRoutes::ofHealth).withAnyQuery(),
                GatewayRoute.get(LIVE, _ -> live(), GatewayRoutes::ofLive).withAnyQuery(),
                GatewayRoute.get(READY, _ -> ready(), GatewayRoutes::ofReady).withAnyQuery(),
                GatewayRoute.get(CONFIG, _ -> config(), GatewayRoutes::ofConfig));
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
        return RestResponse.json(
                200,
                Json.tree(new Config(
                        Envelope.CONTRACT_VERSION,
                        published.version(),
                        published.baseUrl(),
                        published.mcpUrl(),
                        published.mcpUrl() + McpAddress.ENDPOINT,
                        Route.COMMANDS,
                        OpenApiRoutes.JSON,
                        List.of("X-Api-Key", "Authorization: Bearer"),
                        signIn.providers(),
                        RequestLimits.SERVED)));
    }

    private static Operation ofHealth() {
        return open("health", "Health", "200 for as long as the process runs; the body tells how it is.")
                .answers(200, "How it is.", Health.class)
                .problems(400, 401, 429, 500);
    }

    private static Operation ofLive() {
        return open("healthLive", "Liveness", "Whether the process runs.")
                .answers(200, "It runs.", Live.class)
                .problems(400, 401, 429, 500);
    }

    private static Operation ofReady() {
        return open("healthReady", "Readiness", "Whether requests can be served: 503 while they cannot.")
                .answers(200, "They can.", Health.class)
                .answers(503, "They cannot.", Health.class, notReady())
                .problems(400, 401, 429, 500);
    }

    private static ObjectNode notReady() {
        return ((ObjectNode) KeptAnswer.ofOperation("healthReady").deepCopy())
                .put("status", "degraded")
                .put("database", "unreachable");
    }

    private static Operation ofConfig() {
        return open(
                        "configRead",
                        "Public runtime configuration",
                        "The addresses, versions and limits of this service, and how to sign in.")
                .answers(200, "The configuration.", Config.class)
                .problems(400, 401, 429, 500);
    }

    private static Operation open(String id, String summary, String description) {
        return new Operation(id, Tag.GATEWAY, summary, description).open();
    }

    record Live(@Doc(value = "That it runs.", oneOf = "ok") String status) {}

    record Health(
            @Doc(
                    value = "How it is.",
                    oneOf = {"ok", "degraded", "starting", "upgrading", "stopping"})
            String status,

            @Doc("The version of the contract.") String contractVersion,
            @Doc("The product's version.") String version,
            @Doc("The server's time.") Instant time,

            @Doc(
                    value = "Whether the database answers, and takes changes; absent while the engine starts or stops.",
                    oneOf = {"reachable", "unreachable", "full", "read_only"})
            @Nullable
            String database) {}

    record Config(
            @Doc("The version of the contract.") String contractVersion,
            @Doc("The product's version.") String version,
            @Doc("The address of the REST routes.") String baseUrl,
            @Doc("The address of the tool protocol's host.") String mcpUrl,
            @Doc("Where MCP is spoken.") String mcpEndpoint,
            @Doc("The path of the generic command route.") String commandRoute,
            @Doc("The path of this document.") String openapi,
            @Doc("How requests may carry a credential.") List<String> authentication,
            @Doc("The providers that can be signed in at.") List<String> signIn,
            @Doc("What is too much.") RequestLimits limits) {}

    record RequestLimits(
            @Doc("Bytes in a body.") int maxBodyBytes,
            @Doc("Levels of nesting in a body.") int maxJsonDepth,
            @Doc("Characters in a name.") int nameCharacters,
            @Doc("Characters in a description.") int descriptionCharacters,
            @Doc("Characters in a profile.") int profileCharacters,
            @Doc("Characters in a content.") int contentCharacters,
            @Doc("Entries on a page.") int pageEntries,

            @Doc("Entries on a page when page.limit is left out.")
            int pageEntriesDefault) {
        static final RequestLimits SERVED = new RequestLimits(
                RequestContext.MAX_BODY,
                Json.MAX_DEPTH,
                Name.MAX,
                Limits.DESCRIPTION,
                Limits.PROFILE,
                Limits.CONTENT,
                Limits.PAGE,
                Limits.PAGE_DEFAULT);
    }
}
