package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.signin.IdentityAssertions;
import io.agentworkspace.engine.identity.signin.IdentityAssertions.Assertion;
import io.agentworkspace.engine.kernel.db.CombinedCalls;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Gives a client access for a user whom a trusted issuer asserts (ID-JAG, RFC 7523). The issuer has decided what a user decides on
 * the page of the consent. Each assertion gets a key of its own, which is bound to the user's agent for this client.
 */
final class AssertionGrant {
    private static final Set<Failure> REFUSED = EnumSet.of(Failure.UNAUTHENTICATED, Failure.NOT_PERMITTED);

    private final SecureRandom random = new SecureRandom();
    private final Db db;
    private final ToolRunner runner;
    private final AccessGrantStore grants;
    private final IdentityAssertions assertions;
    private final EventLog events;

    public AssertionGrant(
            Db db, ToolRunner runner, AccessGrantStore grants, IdentityAssertions assertions, EventLog events) {
        this.db = db;
        this.runner = runner;
        this.grants = grants;
        this.assertions = assertions;
        this.events = events;
    }

    /** A token, and the capabilities that it has. */
    record Access(ApiKey token, Collection<String> capabilities) {}

    /**
     * @param resource the path that the request names, if it does
     * @throws OAuthError if the assertion is not valid, was used before, or its user may not create the key
     */
    Access issue(
            String text,
            Optional<String> resource,
            @Nullable String scope,
            OAuthClient client,
            Instant expires,
            Request request) {
        try {
            var assertion = assertions.read(text, client.id(), expires, request);
            if (!resource.orElse(assertion.resource()).equals(assertion.resource())) {
                throw new OAuthError("invalid_target", "resource must be left out, or be that of the assertion");
            }
            var granted = granted(scope, assertion);
            try {
                return issue(assertion, granted, client, expires, request);
            } catch (Problem problem) {
                if (problem.failure() != Failure.ALREADY_EXISTS) {
                    throw problem;
                }
                return issue(assertion, granted, client, expires, request); // Another request created the agent.
            }
        } catch (Problem problem) {
            if (REFUSED.contains(problem.failure())) {
                throw OAuthError.grant(problem.note());
            }
            throw problem;
        }
    }

    private Access issue(
            Assertion assertion, Collection<String> granted, OAuthClient client, Instant expires, Request request) {
        var caller = assertion.caller();
        var agent = agent(client.name(), caller.userName());
        var run = new KeyCreation(runner, caller, request);
        var token = CombinedCalls.run(db, () -> {
            if (!grants.useAssertion(caller.tenant(), assertion.id(), assertion.expires())) {
                throw OAuthError.grant("the assertion was used before (jti): ask the issuer for another one");
            }
            if (!grants.hasAgent(caller.tenant(), agent)) {
                run.createAgent(agent, client);
            }
            var made = ApiKey.token(run.createKey(agent, client, granted, assertion.resource(), expires), random);
            grants.insertAsserted(caller, made, client, assertion.resource(), expires);
            return made;
        });
        events.committed(); // The tools have reported this before the transaction was committed.
        return new Access(token, granted);
    }

    /** A user has one agent for each name of a client. */
    private static Name agent(String client, String user) {
        var most = Name.MAX - " of ".length() - user.length();
        var plain = client.replaceAll("[^\\p{L}\\p{N}_.-]+", " ").strip();
        return Name.of(most < 1 || plain.isEmpty() ? user : Excerpt.cut(plain, most) + " of " + user);
    }

    /** A client may ask for less than the assertion names. One that names nothing stands for what agents need to work. */
    private static Collection<String> granted(@Nullable String scope, Assertion assertion) {
        Collection<String> named = assertion.scopes().isEmpty() ? ProtectedResource.WORK : assertion.scopes();
        if (scope == null) {
            return named;
        }
        var scopes = AuthorizationRequest.scopes(scope);
        if (scopes.isEmpty()) {
            return named;
        }
        if (!named.contains(Capability.ALL) && !named.containsAll(scopes)) {
            throw new OAuthError("invalid_scope", "scope has more than the assertion: " + String.join(" ", named));
        }
        return scopes;
    }
}
