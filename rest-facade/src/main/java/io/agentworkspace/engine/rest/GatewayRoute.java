package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.rest.openapi.Operation;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A route that is not a tool's, as a value: {@link RestFacade} registers it, and {@link OpenApi} describes it.
 *
 * @param answer null if another endpoint of this server handles it
 * @param anyQuery whether it accepts query parameters that its operation does not have
 * @param operation null if the OpenAPI document does not describe it
 */
record GatewayRoute(
        String method,
        String path,
        @Nullable Function<ContainerRequestContext, Response> answer,
        boolean anyQuery,
        @Nullable Supplier<Operation> operation) {
    static GatewayRoute get(
            String path, Function<ContainerRequestContext, Response> answer, Supplier<Operation> operation) {
        return new GatewayRoute("GET", path, answer, false, operation);
    }

    static GatewayRoute post(
            String path, Function<ContainerRequestContext, Response> answer, Supplier<Operation> operation) {
        return new GatewayRoute("POST", path, answer, false, operation);
    }

    static GatewayRoute delete(
            String path, Function<ContainerRequestContext, Response> answer, Supplier<Operation> operation) {
        return new GatewayRoute("DELETE", path, answer, false, operation);
    }

    /** Returns a route that the OpenAPI document does not describe. */
    static GatewayRoute undescribed(String path, Function<ContainerRequestContext, Response> answer) {
        return new GatewayRoute("GET", path, answer, true, null);
    }

    static GatewayRoute elsewhere(String method, String path, Supplier<Operation> operation) {
        return new GatewayRoute(method, path, null, true, operation);
    }

    /** Returns the same route, which ignores query parameters that its operation does not have. */
    GatewayRoute withAnyQuery() {
        return new GatewayRoute(method, path, answer, true, operation);
    }

    void register(RestFacade facade) {
        if (answer != null) {
            facade.route(method, path, context -> {
                checkQuery(context);
                return answer.apply(context);
            });
        }
    }

    private void checkQuery(ContainerRequestContext context) {
        if (!anyQuery
                && operation != null
                && !context.getUriInfo().getQueryParameters().isEmpty()) {
            QueryFields.refuseUnknown(context, operation.get().queryParameters());
        }
    }
}
