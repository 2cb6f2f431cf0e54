package io.agentworkspace.engine.http;

import io.agentworkspace.engine.identity.Callers;
import io.agentworkspace.engine.identity.Credentials;
import io.agentworkspace.engine.identity.IssuedToken;
import io.agentworkspace.engine.identity.Presented;
import io.agentworkspace.engine.identity.ProtectedResource;
import io.agentworkspace.engine.identity.SessionSecret;
import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Problem;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Tells who asks, and whether they may ask already again: callers are counted by credential, strangers by address. */
final class Admission {
    private final Callers callers;
    private final ForgeryRule forgery;
    private final Buckets callerLimit;
    private final Buckets strangerLimit;

    Admission(Callers callers, Rules rules, Clock clock) {
        this.callers = callers;
        this.forgery = new ForgeryRule(rules.own());
        this.callerLimit = new Buckets(rules.callers(), clock);
        this.strangerLimit = new Buckets(rules.strangers(), clock);
    }

    /**
     * @return the caller, or null for a public route that was asked without a credential
     * @throws Problem {@code unauthenticated}, {@code not_permitted}, {@code bad_request}, {@code rate_limited} or
     *     {@code unavailable}
     */
    @Nullable
    Caller admit(Request request, boolean isPublic, HttpFields.Mutable answer) {
        var caller = identify(request, isPublic, answer);
        if (caller != null) {
            callerLimit.take(caller.principal(), answer);
            if (request.getAttribute(Incoming.SESSION) instanceof SessionSecret session) {
                forgery.check(request, session);
            }
            callers.seen(caller, request.getHeaders().get(HttpHeader.USER_AGENT));
            request.setAttribute(Incoming.CLIENT, (Consumer<String>) client -> callers.seen(caller, client));
        } else {
            strangerLimit.take(address(request), answer);
        }
        return caller;
    }

    List<Allowance> left(Caller caller) {
        return callerLimit.left(caller.principal()).stream().toList();
    }

    private @Nullable Caller identify(Request request, boolean isPublic, HttpFields.Mutable answer) {
        try {
            Credentials.refuseInQuery(request.getHttpURI().getQuery());
            var presented = Credentials.presented(request.getHeaders());
            if (presented.isPresent()) {
                return identify(request, presented.get(), answer);
            }
        } catch (Problem problem) {
            if (problem.failure() == Failure.RATE_LIMITED) {
                throw problem;
            } else if (isPublic && isStaleCookie(problem, request)) {
                return null; // Browsers send it unasked.
            } else if (problem.failure() != Failure.UNAVAILABLE) {
                strangerLimit.take(address(request), answer);
            } else if (isPublic) {
                return null; // Health must answer while the database is away, whoever asks.
            }
            throw problem;
        }
        if (isPublic) {
            return null;
        }
        strangerLimit.take(address(request), answer);
        answer.put(
                HttpHeader.WWW_AUTHENTICATE,
                resource(request).map(ProtectedResource::challenge).orElse("Bearer realm=\"engine\""));
        throw Problem.unauthenticated(
                "no credential came: send your API key in the header X-Api-Key, or as Authorization: Bearer");
    }

    private Optional<ProtectedResource> resource(Request request) {
        return Doors.isMcp(Request.getPathInContext(request)) ? callers.resource() : Optional.empty();
    }

    /** Clients get a new token when they are told that theirs is not good; who sends a key is told nothing of that. */
    private Caller identify(Request request, Presented presented, HttpFields.Mutable answer) {
        var resource = resource(request);
        var credential = resource.map(one -> one.judged(presented)).orElse(presented);
        try {
            return identify(request, credential);
        } catch (Problem problem) {
            if (credential instanceof IssuedToken && problem.failure() == Failure.UNAUTHENTICATED) {
                resource.ifPresent(one -> answer.put(HttpHeader.WWW_AUTHENTICATE, one.invalid(problem.note())));
            }
            throw problem;
        }
    }

    private Caller identify(Request request, Presented credential) {
        if (!callers.remembers(credential)) {
            strangerLimit.check(address(request)); // Guessing must not cost look-ups without end.
        }
        var caller = callers.authenticate(credential);
        request.setAttribute(Incoming.VALIDITY, (BooleanSupplier) () -> isStill(caller, credential));
        if (credential instanceof SessionSecret session) {
            request.setAttribute(Incoming.SESSION, session);
        }
        return caller;
    }

    private static boolean isStaleCookie(Problem problem, Request request) {
        return problem.failure() == Failure.UNAUTHENTICATED && !Credentials.isNamed(request.getHeaders());
    }

    /** Where it cannot be told, what held goes on. */
    private boolean isStill(Caller caller, Presented credential) {
        try {
            return callers.authenticate(credential).equals(caller);
        } catch (Problem problem) {
            return problem.failure() == Failure.UNAVAILABLE;
        }
    }

    /** An IPv6 host has a whole /64 to itself. */
    private static String address(Request request) {
        var address = Request.getRemoteAddr(request);
        var parts = address.split(":", -1);
        return parts.length < 5 ? address : String.join(":", parts[0], parts[1], parts[2], parts[3]);
    }
}
