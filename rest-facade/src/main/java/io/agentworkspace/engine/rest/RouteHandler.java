package io.agentworkspace.engine.rest;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.util.function.Function;
import org.glassfish.jersey.process.Inflector;

/** What answers one method on one path. No lambda: Jersey reads the types of the arguments off the class. */
record RouteHandler(Function<ContainerRequestContext, Response> answer)
        implements Inflector<ContainerRequestContext, Response> {
    @Override
    public Response apply(ContainerRequestContext context) {
        return answer.apply(context);
    }
}
