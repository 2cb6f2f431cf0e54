package io.agentworkspace.engine.rest;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;

/** The routes of signing in and out. */
final class AuthRoutes {
    static final String SESSION = "/api/auth/session";
    static final String TOKEN = "/api/auth/token";
    static final String KEYS = "/.well-known/jwks.json";

    private final SignIn signIn;

    AuthRoutes(SignIn signIn) {
        this.signIn = signIn;
    }

    Response session() {
        return answer(signIn.session(Exchange.current().request()));
    }

    /** A body is not needed; one that comes must be what all bodies are. */
    Response begin(ContainerRequestContext context) {
        Body.optional(context);
        return answer(signIn.begin(Exchange.current().request()));
    }

    Response end() {
        return answer(signIn.end(Exchange.current().request()));
    }

    Response token(ContainerRequestContext context) {
        Body.optional(context);
        return answer(signIn.token(Exchange.current().request()));
    }

    Response keys() {
        return answer(signIn.keys());
    }

    private static Response answer(SignIn.Outcome outcome) {
        var response = Response.fromResponse(Reply.json(outcome.status(), outcome.body()));
        outcome.headers().forEach(response::header);
        return response.build();
    }
}
