package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Clock;
import java.time.Instant;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** The origin of a request for the audit: its time, source and id. */
record RequestOrigin(Instant at, RequestSource source, String requestId) {
    /** The audit's name for the credential of a user who signs in with a provider. */
    private static final String PROVIDER = "oidc";

    static RequestOrigin of(Request request, Clock clock) {
        var program = request.getHeaders().get(HttpHeader.USER_AGENT);
        return new RequestOrigin(
                clock.instant(),
                new RequestSource(RequestSource.REST, Request.getRemoteAddr(request), program),
                RequestContext.of(request::getAttribute).requestId());
    }

    /** Returns the origin of a request with an access token: nothing else is known where the token is checked. */
    static RequestOrigin withToken(Clock clock) {
        return new RequestOrigin(clock.instant(), new RequestSource(RequestSource.MCP, null, null), "");
    }

    /** Returns the entry for an event of a session. */
    AuditEntry session(AuditEvent event, Caller caller, String session) {
        return AuditEntry.event(
                event,
                at,
                AuditEntry.Actor.of(caller),
                new AuditEntry.Subject("session", null, session),
                source,
                requestId);
    }

    /** Returns the entry for a session that began with a provider. */
    AuditEntry arrival(String user, String session) {
        var subject = new AuditEntry.Subject("session", null, session);
        return AuditEntry.event(AuditEvent.SESSION_START, at, provided(user), subject, source, requestId);
    }

    /** Returns the entry for a new user from a provider. */
    AuditEntry joined(String user) {
        var subject = new AuditEntry.Subject("user", user, null);
        return AuditEntry.event(AuditEvent.USER_JOINED, at, provided(user), subject, source, requestId);
    }

    private static AuditEntry.Actor provided(String user) {
        return new AuditEntry.Actor(user, PROVIDER, null);
    }
}
