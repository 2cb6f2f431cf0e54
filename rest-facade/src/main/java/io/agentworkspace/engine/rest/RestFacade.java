package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.accounts.UserAccounts;
import io.agentworkspace.engine.model.key.Joining;
import io.agentworkspace.engine.model.mcp.HandshakeReports;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.StorableInput;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.text.StorableText;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.upload.FileTransfer;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.eclipse.jetty.server.Handler;
import org.glassfish.jersey.jetty.JettyHttpContainerProvider;
import org.glassfish.jersey.process.Inflector;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;
import org.glassfish.jersey.server.model.Resource;

/** The REST API: one Jetty handler for the command routes, the tools' own routes and the gateway's. */
public final class RestFacade {
    private final Map<String, Resource.Builder> resources = new LinkedHashMap<>();

    private RestFacade() {}

    /**
     * Returns a handler that responds to every request, with 404 for unknown paths. It must be behind the gate, which
     * makes the {@link io.agentworkspace.engine.model.tool.RequestContext}. It must be at the root of
     * the server, since Jersey's container finds nothing below a context path.
     */
    public static JerseyAdapter handler(
            ToolRunner runner,
            ToolFinder finder,
            PublicAddresses published,
            HealthCheck health,
            SignIn signIn,
            Joining joining,
            HandshakeReports handshakes,
            FileTransfer files,
            UserAccounts accounts,
            Clock clock) {
        var refusals = new FailureMapper(clock);
        var facade = facade(runner, finder, published, health, signIn, joining, handshakes, files, accounts, clock);
        var config = facade.config(refusals);
        var container = new JettyHttpContainerProvider().createContainer(Handler.class, config);
        return new JerseyAdapter(container, refusals::toResponse, facade.resources.keySet());
    }

    static RestFacade facade(
            ToolRunner runner,
            ToolFinder finder,
            PublicAddresses published,
            HealthCheck health,
            SignIn signIn,
            Joining joining,
            HandshakeReports handshakes,
            FileTransfer files,
            UserAccounts accounts,
            Clock clock) {
        var routes = new ArrayList<GatewayRoute>();
        routes.addAll(new GatewayRoutes(published, health, signIn, clock).routes());
        routes.addAll(new OpenApiRoutes(() -> OpenApi.document(runner.catalogue(), published, routes)).routes());
        routes.addAll(new CatalogueRoutes(runner, finder, clock).routes());
        routes.addAll(OtherEndpoints.routes());
        routes.addAll(new AuthRoutes(signIn).routes());
        routes.addAll(OtherEndpoints.authorization());
        routes.addAll(new JoinRoutes(joining).routes());
        routes.addAll(new WhyRoutes(runner).routes());
        routes.addAll(new ConnectRoutes(runner, handshakes, published.mcpUrl()).routes());
        routes.addAll(new AccountRoutes(accounts).routes());
        routes.addAll(OtherEndpoints.demos());
        routes.addAll(new SkillRoutes(runner).routes());
        var facade = new RestFacade();
        facade.commands(new CommandRoutes(runner, clock));
        facade.tools(new ToolRoutes(runner, new DocumentFiles(runner, files)));
        routes.forEach(route -> route.register(facade));
        return facade;
    }

    /** Returns all resources. */
    List<Resource> resources() {
        return resources.values().stream().map(Resource.Builder::build).toList();
    }

    private void commands(CommandRoutes routes) {
        route("POST", Route.COMMANDS, routes::generic);
        route("POST", CommandRoutes.ALIAS, routes::alias);
        // Jersey would answer these itself, without the envelope.
        route("OPTIONS", Route.COMMANDS, _ -> postOnly());
        route("OPTIONS", CommandRoutes.ALIAS, _ -> postOnly());
    }

    private static Response postOnly() {
        throw new NotAllowedException("POST");
    }

    private void tools(ToolRoutes routes) {
        for (var tool : routes.tools()) {
            for (var own : tool.route().own()) {
                route(own.method(), own.path(), context -> routes.answer(tool, own, context));
            }
        }
    }

    void route(String method, String path, Function<ContainerRequestContext, Response> answer) {
        resources.computeIfAbsent(path, Resource::builder).addMethod(method).handledBy(new RouteHandler(answer));
    }

    /** Configures Jersey to serve only what is registered here: it discovers nothing. */
    private ResourceConfig config(FailureMapper refusals) {
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

    /** Handles one method on one path. This is not a lambda, because Jersey reads the argument types from the class. */
    private record RouteHandler(Function<ContainerRequestContext, Response> answer)
            implements Inflector<ContainerRequestContext, Response> {
        @Override
        public Response apply(ContainerRequestContext context) {
            var address = context.getUriInfo();
            checkTexts("the path's ", address.getPathParameters());
            checkTexts("the query parameter ", address.getQueryParameters());
            return answer.apply(context);
        }

        private static void checkTexts(String kind, MultivaluedMap<String, String> parameters) {
            parameters.forEach((name, values) -> {
                var field = kind + StorableText.replaced(Name.shortened(name));
                StorableInput.check(field, name);
                values.forEach(value -> StorableInput.check(field, value));
            });
        }
    }
}
