package io.agentworkspace.engine.rest;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;

/** The routes of signing in and out. */
final class AuthRoutes {
    static final String SESSION = "/api/auth/session";
    static final String TOKEN = "/api/auth/token";
    static final String START = "/api/auth/oauth/{idp}/start";
    static final String CALLBACK = "/api/auth/oauth/{idp}/callback";
    static final String KEYS = "/.well-known/jwks.json";

    private final SignIn signIn;

    AuthRoutes(SignIn signIn) {
        this.signIn = signIn;
    }

    Response session() {
        return answer(signIn.session(RestExchange.current().request()));
    }

    /** A body is optional and must have no fields. */
    Response begin(ContainerRequestContext context) {
        JsonBody.none(context);
        return answer(signIn.begin(RestExchange.current().request()));
    }

    Response end() {
        return answer(signIn.end(RestExchange.current().request()));
    }

    Response token(ContainerRequestContext context) {
        JsonBody.none(context);
        return answer(signIn.token(RestExchange.current().request()));
    }

    Response leave(ContainerRequestContext context) {
        return answer(signIn.leave(RestExchange.current().request(), provider(context)));
    }

    Response arrive(ContainerRequestContext context) {
        return answer(signIn.arrive(RestExchange.current().request(), provider(context)));
    }

    private static String provider(ContainerRequestContext context) {
        return context.getUriInfo().getPathParameters().getFirst("idp");
    }

    Response keys() {
        return answer(signIn.keys());
    }

    private static Response answer(SignIn.Outcome outcome) {
        var body = outcome.body();
        var response = body == null
                ? Response.status(outcome.status())
                : Response.fromResponse(RestResponse.json(outcome.status(), body));
        outcome.headers().forEach(header -> response.header(header.name(), header.value()));
        return response.build();
    }
}
