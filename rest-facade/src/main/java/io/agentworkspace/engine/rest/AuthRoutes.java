package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.rest.openapi.AuthOperations;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.util.List;

/** The routes for signing in and out. */
final class AuthRoutes {
    private static final String SESSION = "/api/auth/session";
    private static final String TOKEN = "/api/auth/token";
    private static final String START = "/api/auth/oauth/{idp}/start";
    private static final String CALLBACK = "/api/auth/oauth/{idp}/callback";
    private static final String KEYS = "/.well-known/jwks.json";

    private final SignIn signIn;

    AuthRoutes(SignIn signIn) {
        this.signIn = signIn;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(SESSION, _ -> session(), AuthOperations::sessionRead),
                GatewayRoute.post(SESSION, this::begin, AuthOperations::sessionBegin),
                GatewayRoute.delete(SESSION, _ -> end(), AuthOperations::sessionEnd),
                GatewayRoute.post(TOKEN, this::token, AuthOperations::token),
                GatewayRoute.get(KEYS, _ -> keys(), AuthOperations::keys).withAnyQuery(),
                GatewayRoute.get(START, this::leave, AuthOperations::start).withAnyQuery(),
                GatewayRoute.get(CALLBACK, this::arrive, AuthOperations::callback)
                        .withAnyQuery());
    }

    private Response session() {
        return answer(signIn.session(RestExchange.current().request()));
    }

    /** Begins a session. A body is optional and must have no fields. */
    private Response begin(ContainerRequestContext context) {
        JsonBody.none(context);
        return answer(signIn.begin(RestExchange.current().request()));
    }

    private Response end() {
        return answer(signIn.end(RestExchange.current().request()));
    }

    private Response token(ContainerRequestContext context) {
        JsonBody.none(context);
        return answer(signIn.token(RestExchange.current().request()));
    }

    private Response leave(ContainerRequestContext context) {
        return answer(signIn.leave(RestExchange.current().request(), provider(context)));
    }

    private Response arrive(ContainerRequestContext context) {
        return answer(signIn.arrive(RestExchange.current().request(), provider(context)));
    }

    private static String provider(ContainerRequestContext context) {
        return context.getUriInfo().getPathParameters().getFirst("idp");
    }

    private Response keys() {
        return answer(signIn.keys());
    }

    private static Response answer(SignIn.SignInResponse outcome) {
        var body = outcome.body();
        var response = body == null
                ? Response.status(outcome.status())
                : Response.fromResponse(RestResponse.json(outcome.status(), body));
        outcome.headers().forEach(header -> response.header(header.name(), header.value()));
        return response.build();
    }
}
