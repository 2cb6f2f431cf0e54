package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.Audited;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Whence;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** A request as the audit tells of it: when it came, from where, and under which id. */
record Visit(Instant at, Whence whence, String requestId) {
    /** What somebody proves itself with who comes from a provider. */
    private static final String PROVIDER = "oidc";

    static Visit of(Request request, Clock clock) {
        var program = request.getHeaders().get(HttpHeader.USER_AGENT);
        return new Visit(
                clock.instant(),
                new Whence(Whence.REST, Request.getRemoteAddr(request), program),
                Objects.requireNonNull((String) request.getAttribute(Incoming.REQUEST_ID)));
    }

    /** With a token at the MCP door: where a token is judged nothing else is known of its request. */
    static Visit withToken(Clock clock) {
        return new Visit(clock.instant(), new Whence(Whence.MCP, null, null), "");
    }

    /** Something that happened to a session. */
    Audited session(String event, Caller caller, String session) {
        var credential = caller.principal().split(":", 2)[0];
        var actor = new Audited.Actor(
                caller.userName(), credential, caller.credential().key());
        return Audited.event(event, at, actor, new Audited.Subject("session", null, session), whence, requestId);
    }

    /** A session that somebody began whom a provider has proved. */
    Audited arrival(String user, String session) {
        var subject = new Audited.Subject("session", null, session);
        return Audited.event("session.start", at, provided(user), subject, whence, requestId);
    }

    /** A user whom a provider has proved for the first time. */
    Audited joined(String user) {
        var subject = new Audited.Subject("user", user, null);
        return Audited.event("user.joined", at, provided(user), subject, whence, requestId);
    }

    private static Audited.Actor provided(String user) {
        return new Audited.Actor(user, PROVIDER, null);
    }
}
