package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.RenderedRefusal;
import io.agentworkspace.engine.model.text.QuotedText;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.time.Clock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns an exception into a problem, and chooses its style: the envelope on command routes, a page for a person's
 * browser, RFC 9457 elsewhere.
 */
final class FailureMapper implements ExceptionMapper<Throwable> {
    private static final Logger LOG = LoggerFactory.getLogger(FailureMapper.class);

    private final Clock clock;

    FailureMapper(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Response toResponse(Throwable thrown) {
        var exchange = RestExchange.current();
        var problem = problem(thrown, exchange);
        var response = exchange.refusalPage()
                .map(page -> RestResponse.page(problem, page.apply(problem)))
                .orElseGet(() -> RestResponse.refused(rendered(problem, exchange), problem));
        return thrown instanceof NotAllowedException wrongMethod
                ? response.header(HttpHeaders.ALLOW, wrongMethod.getResponse().getHeaderString(HttpHeaders.ALLOW))
                        .build()
                : response.build();
    }

    private RenderedRefusal rendered(Problem problem, RestExchange exchange) {
        return exchange.isCommand()
                ? RenderedRefusal.envelope(null, exchange.requestId(), clock.instant(), problem, List.of())
                : RenderedRefusal.document(exchange.context(), problem);
    }

    private static Problem problem(Throwable thrown, RestExchange exchange) {
        return switch (thrown) {
            case Problem refused -> refused;
            case NotAllowedException wrongMethod ->
                new Problem(
                        Failure.METHOD_NOT_ALLOWED,
                        "%s is not allowed here; allowed: %s"
                                .formatted(
                                        exchange.method(),
                                        wrongMethod.getResponse().getHeaderString(HttpHeaders.ALLOW)));
            case NotFoundException _ ->
                new Problem(
                        exchange.isCommand() ? Failure.UNKNOWN_SERVICE : Failure.NOT_FOUND,
                        "there is nothing at %s; the routes are listed at /api/openapi.json"
                                .formatted(QuotedText.shortened(exchange.path())));
            case WebApplicationException other when other.getResponse().getStatus() < 500 -> badRequest(other);
            default -> {
                LOG.error("request {} failed: {} {}", exchange.requestId(), exchange.method(), exchange.path(), thrown);
                yield Problem.internal(exchange.requestId());
            }
        };
    }

    private static Problem badRequest(Exception thrown) {
        LOG.debug("refused by Jersey", thrown);
        return new Problem(Failure.BAD_REQUEST, "the request's address is invalid");
    }
}
