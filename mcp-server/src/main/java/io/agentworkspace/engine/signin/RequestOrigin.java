package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.audit.AuditEntry;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** A request as the audit tells of it: when it came, from where, and under which id. */
record RequestOrigin(Instant at, RequestSource whence, String requestId) {
    /** How the audit names the credential of a user who signs in at a provider. */
    private static final String PROVIDER = "oidc";

    static RequestOrigin of(Request request, Clock clock) {
        var program = request.getHeaders().get(HttpHeader.USER_AGENT);
        return new RequestOrigin(
                clock.instant(),
                new RequestSource(RequestSource.REST, Request.getRemoteAddr(request), program),
                Objects.requireNonNull((String) request.getAttribute(RequestAttributes.REQUEST_ID)));
    }

    /** With a token at the MCP endpoint: where a token is checked, nothing else is known of its request. */
    static RequestOrigin withToken(Clock clock) {
        return new RequestOrigin(clock.instant(), new RequestSource(RequestSource.MCP, null, null), "");
    }

    /** Something that happened to a session. */
    AuditEntry session(String event, Caller caller, String session) {
        var credential = caller.principal().split(":", 2)[0];
        var actor = new AuditEntry.Actor(
                caller.userName(), credential, caller.credential().key());
        return AuditEntry.event(event, at, actor, new AuditEntry.Subject("session", null, session), whence, requestId);
    }

    /** A session that somebody began whom a provider has proved. */
    AuditEntry arrival(String user, String session) {
        var subject = new AuditEntry.Subject("session", null, session);
        return AuditEntry.event("session.start", at, provided(user), subject, whence, requestId);
    }

    /** A user whom a provider has proved for the first time. */
    AuditEntry joined(String user) {
        var subject = new AuditEntry.Subject("user", user, null);
        return AuditEntry.event("user.joined", at, provided(user), subject, whence, requestId);
    }

    private static AuditEntry.Actor provided(String user) {
        return new AuditEntry.Actor(user, PROVIDER, null);
    }
}
