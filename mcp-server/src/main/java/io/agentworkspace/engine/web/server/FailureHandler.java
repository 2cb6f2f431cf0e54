package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a failure behind the gate into a response: a refusal as it is, anything else into a logged 500. */
final class FailureHandler extends Callback.Nested {
    private static final Logger LOG = LoggerFactory.getLogger(FailureHandler.class);

    private final Request request;
    private final Response response;
    private final RefusalWriter refusals;
    private final AtomicBoolean done = new AtomicBoolean();

    FailureHandler(Request request, Response response, Callback callback, RefusalWriter refusals) {
        super(callback);
        this.request = request;
        this.response = response;
        this.refusals = refusals;
    }

    @Override
    public void succeeded() {
        if (done.compareAndSet(false, true)) {
            super.succeeded();
        }
    }

    @Override
    public void failed(Throwable failure) {
        if (!done.compareAndSet(false, true)) {
            return;
        }
        var problem = problem(failure);
        if (response.isCommitted()) {
            super.failed(failure);
            return;
        }
        if (!(failure instanceof Problem)) {
            response.reset();
        }
        refusals.write(request, response, getCallback(), problem);
    }

    private Problem problem(Throwable failure) {
        var requestId = RequestContext.of(request::getAttribute).requestId();
        return switch (failure) {
            case Problem problem -> problem;
            case HttpException refused -> ServerErrors.problem(refused.getCode(), requestId);
            default -> {
                if (!(failure instanceof QuietException)) {
                    LOG.atError()
                            .addKeyValue("request_id", requestId)
                            .setCause(failure)
                            .log("a request failed");
                }
                yield Problem.internal(requestId);
            }
        };
    }
}
