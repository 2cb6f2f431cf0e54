package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.IssuedToken;
import io.agentworkspace.engine.identity.credentials.PossessionCheck;
import io.agentworkspace.engine.identity.credentials.Presented;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.kernel.http.FairShare;
import io.agentworkspace.engine.kernel.http.OwnPages;
import io.agentworkspace.engine.kernel.http.RateBuckets;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.RateFields;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.web.connections.EngineConnection;
import java.time.Clock;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the caller and applies the rate limits. Callers are counted by credential, across all replicas. Requests
 * without one are counted by address, on this replica, with separate counts for reads, failures and look-ups. Health
 * has a limit of its own, which no probe reaches.
 */
final class Admission {
    /** Of requests for health that follow another one on their connection at once: no probe sends them. */
    private static final RequestRate HEALTH = new RequestRate(50, 500);

    private final Callers callers;
    private final CsrfRule forgery;
    private final Allowance.Meter quotas;
    private final Predicate<String> served;
    private final CallerLimit callerLimit;
    private final RateBuckets<String> readLimit;
    private final RateBuckets<String> failureLimit;
    private final RateBuckets<String> guessLimit;
    private final RateBuckets<String> healthLimit;
    private final PossessionCheck possession;

    Admission(Callers callers, GateRules rules, Clock clock) {
        this.callers = callers;
        this.forgery = new CsrfRule(new OwnPages(rules.own()), rules.posts());
        this.quotas = rules.quotas();
        this.served = rules.served();
        this.callerLimit = rules.callers();
        this.readLimit = new RateBuckets<>(rules.strangers(), clock);
        this.failureLimit = new RateBuckets<>(rules.strangers(), clock);
        this.guessLimit = new RateBuckets<>(rules.strangers(), clock);
        this.healthLimit = new RateBuckets<>(HEALTH, clock);
        this.possession = rules.possession();
    }

    /** A request, the address that it is counted under, and whether it may be refused. */
    private record AdmissionRequest(Request request, String address, boolean isPublic, HttpFields.Mutable answer) {
        boolean isHealth() {
            return isPublic && PublicRoutes.isHealth(Request.getPathInContext(request));
        }

        /**
         * Returns whether an invalid cookie is ignored. Browsers send their cookie unasked, so public data stays
         * readable without a valid one.
         */
        boolean needsNoCookie() {
            return isPublic
                    && !Credentials.isNamed(request.getHeaders())
                    && Credentials.came(request.getHeaders())
                    && !Request.getPathInContext(request).equals(PublicRoutes.SESSION);
        }
    }

    /**
     * Stores the caller in the request's context; none for a public route without a credential.
     *
     * @throws Problem {@code unauthenticated}, {@code not_permitted}, {@code bad_request}, {@code rate_limited}
     *     or {@code unavailable}
     */
    void admit(Request request, boolean isPublic, HttpFields.Mutable answer) {
        var admission = new AdmissionRequest(request, address(request), isPublic, answer);
        var holder = identify(admission);
        if (holder != null) {
            admit(admission, holder);
        } else if (admission.isHealth()) {
            takeHealth(admission);
        } else {
            readLimit.take(admission.address(), answer);
        }
    }

    private void admit(AdmissionRequest admission, Holder holder) {
        var caller = holder.caller();
        var request = admission.request();
        take(admission, caller);
        holder.use().run();
        if (holder.credential() instanceof SessionSecret session) {
            forgery.check(request, session);
        }
        callers.seen(caller, request.getHeaders().get(HttpHeader.USER_AGENT));
        var context = RequestContext.of(request::getAttribute);
        context.identify(caller);
        context.admit(new RequestContext.Admitted(
                new Validity(callers, holder),
                client -> callers.seen(caller, client),
                () -> callerLimit.take(caller, admission.answer())));
    }

    /** @param use uses up what the request proves with */
    private record Holder(Caller caller, Presented credential, Runnable use) {
        Holder with(Runnable proof) {
            return proof == PossessionCheck.NOTHING ? this : new Holder(caller, credential, proof);
        }
    }

    /** Counts requests for health, except those that can be a probe: so no one else can use up the limit of a probe. */
    private void takeHealth(AdmissionRequest admission) {
        if (EngineConnection.of(admission.request())
                .map(EngineConnection::isProbe)
                .orElse(true)) {
            return;
        }
        try {
            healthLimit.take(admission.address(), admission.answer());
        } catch (Problem refused) {
            admission.answer().put(HttpHeader.CONNECTION, "close"); // More may already be on its way.
            throw refused;
        }
    }

    /** Counts the request. A refused request gets the same limit headers as a served one. */
    private void take(AdmissionRequest admission, Caller caller) {
        try {
            callerLimit.take(caller, admission.answer());
            tellQuotas(caller, admission.answer());
        } catch (Problem refused) {
            var context = RequestContext.of(admission.request()::getAttribute);
            context.identify(caller);
            context.left(callerLimit.and(quotas).left(caller));
            throw refused;
        }
    }

    private void tellQuotas(Caller caller, HttpFields.Mutable answer) {
        var left = quotas.left(caller);
        if (!left.isEmpty()) {
            add(answer, RateFields.POLICY, RateFields.policy(left));
            add(answer, RateFields.CURRENT, RateFields.current(left));
        }
    }

    private static void add(HttpFields.Mutable answer, String name, String more) {
        var rate = answer.get(name);
        answer.put(name, rate == null ? more : rate + ", " + more);
    }

    private @Nullable Holder identify(AdmissionRequest admission) {
        try {
            Credentials.refuseInQuery(admission.request().getHttpURI().getQuery());
            if (admission.isHealth()) {
                // The response is the same for all callers, so the validity of the credential does not matter.
                return null;
            }
            if (PublicRoutes.hasCredentialOfItsOwn(Request.getPathInContext(admission.request()))) {
                return null;
            }
            var presented = Credentials.presented(admission.request().getHeaders());
            if (presented.isPresent()) {
                var holder = judged(admission, presented.get());
                if (isHere(admission.request(), holder)) {
                    return holder.with(possession.check(admission.request(), holder.caller(), admission.answer()));
                } else if (!admission.isPublic()) {
                    throw elsewhere(admission, holder);
                }
                return null;
            }
        } catch (Problem problem) {
            return failed(admission, problem);
        }
        if (admission.isPublic()) {
            return null;
        }
        failureLimit.take(admission.address(), admission.answer());
        if (!served.test(Request.getPathInContext(admission.request()))) {
            throw ServerErrors.problem(HttpStatus.NOT_FOUND_404, "");
        }
        admission
                .answer()
                .put(
                        HttpHeader.WWW_AUTHENTICATE,
                        resource(admission.request())
                                .map(one -> one.challenge(path(admission)))
                                .orElse("Bearer realm=\"engine\""));
        throw Problem.unauthenticated(
                "a credential is required: send your API key in the header X-Api-Key, or as Authorization: Bearer");
    }

    /** Returns whether the credential works at this path. One that was issued for a path of the MCP endpoint works only there. */
    private static boolean isHere(Request request, Holder holder) {
        var resource = holder.caller().credential().resource();
        return resource == null || ProtectedResource.covers(resource, Request.getPathInContext(request));
    }

    private Problem elsewhere(AdmissionRequest admission, Holder holder) {
        var note =
                "this access token was issued for %s and works only there; get one for this address, or send an API key"
                        .formatted(holder.caller().credential().resource());
        resource(admission.request()).ifPresent(one -> refuseToken(admission, one, note));
        return Problem.unauthenticated(note);
    }

    private static void refuseToken(AdmissionRequest admission, ProtectedResource resource, String note) {
        var scheme = Credentials.scheme(admission.request().getHeaders());
        admission.answer().put(HttpHeader.WWW_AUTHENTICATE, resource.invalid(scheme, path(admission), note));
    }

    private static String path(AdmissionRequest admission) {
        return Request.getPathInContext(admission.request());
    }

    private Optional<ProtectedResource> resource(Request request) {
        return ProtectedResource.isAt(Request.getPathInContext(request)) ? callers.resource() : Optional.empty();
    }

    /**
     * Authenticates the caller. At the MCP endpoint, the response to another issuer's invalid token reports that the
     * token is invalid, which makes clients get a new one. A client with a key gets no such response.
     */
    private Holder judged(AdmissionRequest admission, Presented presented) {
        var resource = resource(admission.request());
        var credential = resource.map(one -> one.judged(presented)).orElse(presented);
        try {
            return identify(admission, credential);
        } catch (Problem problem) {
            if (isToken(credential) && problem.failure() == Failure.UNAUTHENTICATED) {
                resource.ifPresent(one -> refuseToken(admission, one, problem.note()));
            }
            throw problem;
        }
    }

    /** Returns whether a client can get another one from the authorization server by itself. */
    private static boolean isToken(Presented credential) {
        return credential instanceof IssuedToken || credential instanceof ApiKey key && key.isToken();
    }

    /** Returns no caller, if the route allows that. */
    private @Nullable Holder failed(AdmissionRequest admission, Problem problem) {
        var isStale = problem.failure() == Failure.UNAUTHENTICATED;
        var isUntold = problem.failure() == Failure.RATE_LIMITED || problem.failure() == Failure.UNAVAILABLE;
        if (isStale
                && admission.isPublic()
                && !Credentials.isNamed(admission.request().getHeaders())) {
            return null; // Browsers send the cookie unasked.
        } else if (problem.failure() == Failure.RATE_LIMITED && admission.needsNoCookie()) {
            return null;
        } else if (!isUntold && !admission.isHealth()) {
            failureLimit.take(admission.address(), admission.answer());
        }
        throw problem;
    }

    /**
     * Identifies the caller. Guesses must not cause unlimited look-ups; a credential that was recently valid does not
     * count as a guess.
     */
    private Holder identify(AdmissionRequest admission, Presented credential) {
        var isGuess = !callers.remembers(credential);
        if (isGuess) {
            guessLimit.check(admission.address());
        }
        var caller = isGuess ? lookedUp(admission, credential) : callers.authenticate(credential);
        return new Holder(caller, credential, PossessionCheck.NOTHING);
    }

    private Caller lookedUp(AdmissionRequest admission, Presented credential) {
        try {
            return callers.authenticate(credential);
        } catch (Problem problem) {
            if (isInVain(credential, problem)) {
                guessLimit.take(admission.address(), admission.answer());
            }
            throw problem;
        }
    }

    /**
     * Returns whether a look-up was in vain. The user of a valid token may be unknown here, and is then looked up
     * each time. The same applies to every token while its issuer is unavailable.
     */
    private static boolean isInVain(Presented credential, Problem problem) {
        return switch (problem.failure()) {
            case UNAUTHENTICATED, NOT_PERMITTED -> true;
            case UNAVAILABLE -> credential instanceof IssuedToken;
            default -> false;
        };
    }

    /**
     * Checks whether a credential still belongs to the same caller. If that cannot be determined, the last result
     * applies.
     */
    private record Validity(Callers callers, Holder holder) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            try {
                return callers.authenticate(holder.credential()).equals(holder.caller());
            } catch (Problem problem) {
                return problem.failure() == Failure.UNAVAILABLE;
            }
        }
    }

    private static String address(Request request) {
        return FairShare.network(Request.getRemoteAddr(request));
    }
}
