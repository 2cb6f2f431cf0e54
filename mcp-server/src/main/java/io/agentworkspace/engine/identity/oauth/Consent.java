package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.kernel.db.CombinedCalls;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.node.ObjectNode;

/** What a user decides about a client: which agent it becomes, and with which capabilities. */
final class Consent {
    static final Duration CODE_LIFE = Duration.ofSeconds(60);

    private final SecureRandom random = new SecureRandom();
    private final Db db;
    private final ToolRunner runner;
    private final AccessGrantStore grants;
    private final ClientStore clients;
    private final EventLog events;
    private final Clock clock;

    public Consent(
            Db db, ToolRunner runner, AccessGrantStore grants, ClientStore clients, EventLog events, Clock clock) {
        this.db = db;
        this.runner = runner;
        this.grants = grants;
        this.clients = clients;
        this.events = events;
        this.clock = clock;
    }

    /** Returns what the page shows: the client, where the browser is sent, and the capabilities that the user can give. */
    ObjectNode question(AuthorizationRequest request, Caller caller) {
        var question = Json.object()
                .put("client", request.client().name())
                .put("client_id", request.client().id())
                .put("returns_to", place(request.redirectUri()))
                .put("receiver", RedirectUri.receiver(request.redirectUri()))
                .put("verified", Clients.isDocument(request.client().id()))
                .put("user", caller.userName())
                .put("tenant", caller.tenantName());
        if (caller.boundAgent() != null) {
            question.put("bound", true);
        }
        if (!request.resource().equals(ProtectedResource.WHOLE)) {
            question.put("resource", request.resource());
        }
        var scopes =
                request.scopes().stream().allMatch(Capability.ALL::equals) ? ProtectedResource.WORK : request.scopes();
        var capabilities = question.putArray("capabilities");
        capabilities(caller)
                .forEach(word -> capabilities.addObject().put("name", word).put("requested", scopes.contains(word)));
        return question;
    }

    private static Stream<String> capabilities(Caller caller) {
        return Arrays.stream(Capability.values())
                .filter(one -> one.isIn(caller.capabilities()))
                .map(Capability::word);
    }

    private static String place(String redirectUri) {
        var uri = URI.create(redirectUri);
        return uri.getHost() == null ? uri.getScheme() + ":" : uri.getScheme() + "://" + uri.getRawAuthority();
    }

    /**
     * Gives the client access, all or nothing: the agent, if it is new, a key that is bound to it, and the code for it.
     *
     * @throws Problem with the note of the tool that refused
     */
    String allow(
            AuthorizationRequest request, Name agent, Collection<String> capabilities, Caller caller, Request from) {
        var now = clock.instant();
        var code = OAuthSecret.generate(OAuthSecret.CODE, random);
        var run = new KeyCreation(runner, caller, from);
        CombinedCalls.run(db, () -> {
            if (!Clients.isDocument(request.client().id())) {
                clients.use(request.client().id(), now);
            }
            if (caller.boundAgent() == null && !grants.hasAgent(caller.tenant(), agent)) {
                run.createAgent(agent, request.client());
            }
            var key = run.createKey(
                    agent, request.client(), capabilities, request.resource(), earlier(now.plus(CODE_LIFE), caller));
            grants.insert(caller, key, request, code, now.plus(CODE_LIFE));
            return true;
        });
        events.committed(); // The tools have reported this before the transaction was committed.
        return code;
    }

    /** Returns whether the user has given the client access before, so that the client may learn what was wrong with a request. */
    boolean hasAllowed(Caller caller, OAuthClient client) {
        return grants.hasAllowed(caller, client.id());
    }

    static Instant earlier(Instant end, Caller caller) {
        var last = caller.credential().expiresAt();
        return last != null && last.isBefore(end) ? last : end;
    }
}
