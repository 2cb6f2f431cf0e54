package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.tool.PublicAddresses;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.ToolRunner;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.eclipse.jetty.server.Handler;
import org.glassfish.jersey.jetty.JettyHttpContainerProvider;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;
import org.glassfish.jersey.server.model.Resource;

/** The REST door: one Jetty handler for the command routes, the tools' own routes and the gateway's. */
public final class RestFacade {
    private final Map<String, Resource.Builder> resources = new LinkedHashMap<>();

    private RestFacade() {}

    /**
     * Answers every request that it is given, with 404 where there is nothing. It stands behind the gate, which has set
     * the attributes of {@link io.agentworkspace.engine.model.tool.RequestAttributes}, and at the root of the server: Jersey's
     * container finds nothing below a context path.
     */
    public static JerseyAdapter handler(
            ToolRunner runner,
            PublicAddresses published,
            Health health,
            SignIn signIn,
            HandshakeReports handshakes,
            Clock clock) {
        var refusals = new FailureRenderer(clock);
        var facade = facade(runner, published, health, signIn, handshakes, clock);
        var config = facade.config(refusals);
        var container = new JettyHttpContainerProvider().createContainer(Handler.class, config);
        return new JerseyAdapter(container, refusals::toResponse, facade.resources.keySet());
    }

    static RestFacade facade(
            ToolRunner runner,
            PublicAddresses published,
            Health health,
            SignIn signIn,
            HandshakeReports handshakes,
            Clock clock) {
        var facade = new RestFacade();
        facade.commands(new CommandRoutes(runner, clock));
        facade.tools(new ToolRoutes(runner));
        facade.catalogue(new CatalogueRoutes(runner));
        facade.why(new WhyRoutes(runner));
        facade.skills(new SkillRoutes(runner));
        facade.connect(new ConnectRoutes(runner, handshakes, published.mcpUrl()));
        facade.gateway(new GatewayRoutes(published, health, signIn, clock));
        facade.auth(new AuthRoutes(signIn));
        facade.contract(new OpenApiRoutes(() -> OpenApi.document(runner.catalogue(), published)));
        return facade;
    }

    /** All that it answers. */
    List<Resource> resources() {
        return resources.values().stream().map(Resource.Builder::build).toList();
    }

    private void commands(CommandRoutes routes) {
        route("POST", Route.COMMANDS, routes::generic);
        route("POST", CommandRoutes.ALIAS, routes::alias);
        // Jersey would answer these itself, and not with the envelope.
        route("OPTIONS", Route.COMMANDS, _ -> postOnly());
        route("OPTIONS", CommandRoutes.ALIAS, _ -> postOnly());
    }

    private static Response postOnly() {
        throw new NotAllowedException("POST");
    }

    private void tools(ToolRoutes routes) {
        for (var tool : routes.tools()) {
            route(tool.route().method(), tool.route().path(), context -> routes.answer(tool, context));
        }
    }

    private void catalogue(CatalogueRoutes routes) {
        queried("GET", CatalogueRoutes.TOOLS, _ -> routes.list());
        queried("GET", CatalogueRoutes.TOOL, routes::read);
        queried("POST", CatalogueRoutes.INVOKE, routes::invoke);
    }

    private void why(WhyRoutes routes) {
        queried("GET", WhyRoutes.WHY, routes::why, "tool", "target", "context");
    }

    private void skills(SkillRoutes routes) {
        if (routes.areServed()) {
            queried("GET", SkillRoutes.ARCHIVE, routes::archive);
            route("GET", SkillRoutes.INDEX, _ -> routes.index());
            route("GET", SkillRoutes.PUBLISHED_ARCHIVE, routes::publishedArchive);
            route("GET", SkillRoutes.PUBLISHED_FILE, routes::publishedFile);
        }
    }

    private void connect(ConnectRoutes routes) {
        queried("GET", ConnectRoutes.CLIENTS, routes::clients, "toolset", "readonly");
        queried("GET", ConnectRoutes.CLIENT, routes::client, "toolset", "readonly");
        queried("GET", ConnectRoutes.HANDSHAKES, routes::handshakes, "key_id");
    }

    private void gateway(GatewayRoutes routes) {
        route("GET", GatewayRoutes.HEALTH, _ -> routes.health());
        route("GET", GatewayRoutes.LIVE, _ -> routes.live());
        route("GET", GatewayRoutes.READY, _ -> routes.ready());
        queried("GET", GatewayRoutes.CONFIG, _ -> routes.config());
    }

    private void auth(AuthRoutes routes) {
        queried("GET", AuthRoutes.SESSION, _ -> routes.session());
        queried("POST", AuthRoutes.SESSION, routes::begin);
        queried("DELETE", AuthRoutes.SESSION, _ -> routes.end());
        queried("POST", AuthRoutes.TOKEN, routes::token);
        route("GET", AuthRoutes.START, routes::leave);
        route("GET", AuthRoutes.CALLBACK, routes::arrive);
        route("GET", AuthRoutes.KEYS, _ -> routes.keys());
    }

    private void contract(OpenApiRoutes routes) {
        queried("GET", OpenApiRoutes.JSON, _ -> routes.json());
        queried("GET", OpenApiRoutes.YAML, _ -> routes.yaml());
    }

    /** A route that accepts only these query parameters. */
    private void queried(
            String method, String path, Function<ContainerRequestContext, Response> answer, String... parameters) {
        route(method, path, context -> {
            QueryFields.refuseUnknown(context, List.of(parameters));
            return answer.apply(context);
        });
    }

    private void route(String method, String path, Function<ContainerRequestContext, Response> answer) {
        resources.computeIfAbsent(path, Resource::builder).addMethod(method).handledBy(new RouteHandler(answer));
    }

    /** Nothing is looked up or discovered: what is registered here is all there is. */
    private ResourceConfig config(FailureRenderer refusals) {
        var config = new ResourceConfig()
                .property(ServerProperties.WADL_FEATURE_DISABLE, true)
                .property(ServerProperties.FEATURE_AUTO_DISCOVERY_DISABLE, true)
                .property(ServerProperties.METAINF_SERVICES_LOOKUP_DISABLE, true)
                .property(ServerProperties.BV_FEATURE_DISABLE, true)
                .property(ServerProperties.JSON_PROCESSING_FEATURE_DISABLE, true)
                .register(refusals);
        resources().forEach(config::registerResources);
        return config;
    }
}
