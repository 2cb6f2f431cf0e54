package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.kernel.scheduling.OpenRequest;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.web.connections.ConnectionTable;
import io.agentworkspace.engine.web.connections.EngineConnection;
import java.time.Clock;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Every request passes the gate before it reaches an endpoint: it gets its id and headers, its host and origin are
 * checked, and its caller is identified and counted. The gate makes the {@link RequestContext}.
 * Endpoints may throw any {@code Problem}: it is rendered here.
 */
public final class Gate extends Handler.Wrapper {
    private final HostRule hosts;
    private final OriginRule origins;
    private final TrustedProxies proxies;
    private final Admission admission;
    private final RefusalWriter refusals;
    private final Capacity capacity;
    private final Predicate<String> served;

    public Gate(GateRules rules, Callers callers, RefusalWriter refusals, Clock clock, Handler endpoints) {
        super(endpoints);
        this.hosts = new HostRule(rules.hosts());
        this.origins = new OriginRule(rules.origins());
        this.proxies = rules.proxies();
        this.admission = new Admission(callers, rules, clock);
        this.refusals = refusals;
        this.capacity = rules.capacity();
        this.served = rules.served();
    }

    @Override
    public boolean handle(Request received, Response response, Callback callback) {
        var request = proxies.seenThrough(received);
        var requestId = RequestIds.of(request);
        request.setAttribute(RequestContext.ATTRIBUTE, new RequestContext(requestId, BelowPath.of(request)));
        GuardedResponse.dress(response.getHeaders(), requestId);
        refusals.log().watch(request, response);
        var guarded = new GuardedResponse(request, response);
        var failures = new FailureHandler(request, guarded, callback, refusals);
        try {
            ScopedValue.where(RequestContext.CURRENT_ID, requestId).call(() -> {
                pass(request, guarded, failures);
                return true;
            });
        } catch (Throwable failure) {
            failures.failed(failure);
        }
        return true;
    }

    private void pass(Request request, GuardedResponse response, Callback callback) throws Exception {
        var headers = response.getHeaders();
        hosts.check(request);
        var path = Request.getPathInContext(request);
        checkSegments(request, path);
        var isPreflight = origins.isPreflight(request);
        var method = isPreflight ? OriginRule.requestedMethod(request) : request.getMethod();
        var isPublic = PublicRoutes.cover(method, path);
        origins.check(request, isPublic && !Credentials.came(request.getHeaders()), headers);
        if (isPreflight) {
            origins.answerPreflight(method, headers);
            response.setStatus(HttpStatus.NO_CONTENT_204);
            callback.succeeded();
            return;
        }
        if (isPublic && PublicRoutes.isHealth(path)) {
            admission.admit(request, true, headers);
            serve(request, response, callback);
            return;
        }
        try (var place = place(request, isPublic, headers)) {
            var received = place.received();
            response.within(place);
            EngineConnection.run(request, response, () -> {
                serve(received, response, callback);
                return true;
            });
        }
    }

    /** Refuses a path with an empty segment: proxies and endpoints would not agree about what it names. */
    private void checkSegments(Request request, String path) {
        if (request.getHttpURI().hasViolation(Violation.AMBIGUOUS_EMPTY_SEGMENT)) {
            capacity.readId(request);
            throw MisdirectedMcp.find(request, path)
                    .orElseGet(() -> new Problem(
                                    Failure.BAD_REQUEST,
                                    "the path has an empty segment ('//'): put one slash between its parts")
                            .because(Cause.PATH));
        }
    }

    /** Admits a request. A refusal at the MCP endpoint needs the id of the message, which has not been read yet. */
    private Capacity.RequestShare place(Request request, boolean isPublic, HttpFields.Mutable headers) {
        try {
            admission.admit(request, isPublic, headers);
            return entered(request);
        } catch (Problem refused) {
            var path = Request.getPathInContext(request);
            var isUnserved = MisdirectedMcp.isUnserved(path, request.getMethod(), served);
            if (isUnserved || Endpoints.isMcp(path)) {
                capacity.readId(request);
            }
            throw isUnserved ? MisdirectedMcp.find(request, path).orElse(refused) : refused;
        }
    }

    private Capacity.RequestShare entered(Request request) {
        var place = capacity.enter(request);
        try {
            var caller = RequestContext.of(request::getAttribute).caller();
            var tenant = caller == null ? ConnectionTable.STRANGERS : caller.tenant();
            EngineConnection.of(request).ifPresent(connection -> connection.admit(tenant));
            return place;
        } catch (Problem full) {
            place.close();
            throw full;
        }
    }

    private static OpenRequest open(Request request) {
        var context = RequestContext.of(request::getAttribute);
        return new OpenRequest(
                context.admitted().validity(), () -> EngineConnection.isAbandoned(request), context::pause);
    }

    private void serve(Request request, GuardedResponse response, Callback callback) throws Exception {
        var path = Request.getPathInContext(request);
        if (MisdirectedMcp.isUnserved(path, request.getMethod(), served)) {
            Capacity.noteId(request);
            MisdirectedMcp.find(request, path).ifPresent(misdirected -> {
                throw misdirected;
            });
        }
        response.guard();
        refusals.hand(request, response);
        var caller = RequestContext.of(request::getAttribute).caller();
        if (!(caller == null
                ? super.handle(request, response, callback)
                : ScopedValue.where(RequestContext.CURRENT_CALLER, caller)
                        .where(OpenRequest.CURRENT, open(request))
                        .call(() -> super.handle(request, response, callback)))) {
            Capacity.noteId(request);
            throw Endpoints.isMcp(path) ? MisdirectedMcp.problem() : ServerErrors.problem(HttpStatus.NOT_FOUND_404, "");
        }
    }
}
