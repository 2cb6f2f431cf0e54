package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.dpop.DpopProof;
import io.agentworkspace.engine.identity.dpop.DpopProofs;
import io.agentworkspace.engine.identity.signin.ClientAssertions;
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
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
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
    private final DpopProofs proofs;
    private final EventLog events;

    public AssertionGrant(
            Db db,
            ToolRunner runner,
            AccessGrantStore grants,
            IdentityAssertions assertions,
            DpopProofs proofs,
            EventLog events) {
        this.db = db;
        this.runner = runner;
        this.grants = grants;
        this.assertions = assertions;
        this.proofs = proofs;
        this.events = events;
    }

    /** A token, the capabilities that it has, and the path that it is for. */
    record Access(ApiKey token, Collection<String> capabilities, String resource) {}

    /**
     * A client that presents an assertion.
     *
     * @param client finds and authenticates it, once a trusted issuer has named it
     * @param proof of the key that the token is to be bound to; null for none
     */
    record Presenter(
            String id, Supplier<Proven> client, @Nullable DpopProof proof) {}

    /**
     * An authenticated client.
     *
     * @param signed what it signed for that; empty if it has a secret
     */
    record Proven(OAuthClient client, Optional<ClientAssertions.Proof> signed) {}

    /**
     * @param resource the path that the request names, if it does
     * @throws OAuthError if the assertion is not valid, was used before, or its user may not create the key
     */
    Access issue(
            String text,
            Optional<String> resource,
            @Nullable String scope,
            Presenter presenter,
            Instant expires,
            Request request) {
        try {
            var assertion = assertions.verified(text, presenter.id());
            var granted = new Granted(granted(scope, assertion), resource(resource, assertion), expires);
            checkPossession(assertion, presenter.proof());
            var client = presenter.client().get();
            if (client.client().proves() && presenter.proof() == null) {
                throw TokenIssuer.unproven();
            }
            var caller = assertions.caller(assertion, expires, request);
            try {
                return issue(caller, assertion, granted, client, presenter.proof(), request);
            } catch (Problem problem) {
                if (problem.failure() != Failure.ALREADY_EXISTS) {
                    throw problem;
                }
                return issue(
                        caller,
                        assertion,
                        granted,
                        client,
                        presenter.proof(),
                        request); // Another request created the agent.
            }
        } catch (Problem problem) {
            if (REFUSED.contains(problem.failure())) {
                throw OAuthError.grant(problem.note());
            }
            throw problem;
        }
    }

    /** What a client gets, until when. */
    private record Granted(Collection<String> capabilities, String resource, Instant expires) {}

    /** A client may choose one of the paths that the assertion names, or one below it. */
    private static String resource(Optional<String> requested, Assertion assertion) {
        var named = assertion.resources();
        if (requested.isEmpty() && named.size() == 1) {
            return named.getFirst();
        }
        return requested
                .filter(path -> named.stream().anyMatch(one -> ProtectedResource.covers(one, path)))
                .orElseThrow(() -> new OAuthError(
                        "invalid_target",
                        "resource must be one of those in the assertion: the paths " + String.join(", ", named)));
    }

    /** An assertion that is bound to a key is worthless without it (draft-ietf-oauth-identity-assertion-authz-grant). */
    private static void checkPossession(Assertion assertion, @Nullable DpopProof proof) {
        var bound = assertion.proofKey();
        if (bound != null && (proof == null || !bound.equals(proof.key()))) {
            throw OAuthError.grant(
                    "the assertion is bound to a key (cnf): send a proof of this key in the header DPoP");
        }
    }

    private Access issue(
            Caller caller,
            Assertion assertion,
            Granted granted,
            Proven proven,
            @Nullable DpopProof proof,
            Request request) {
        var client = proven.client();
        var agent = agent(client.name(), caller.userName());
        var run = new KeyCreation(runner, caller, request);
        var token = CombinedCalls.run(db, () -> {
            if (!grants.useAssertion(caller.tenant(), assertion.id(), assertion.expires())) {
                throw OAuthError.grant("the assertion was used before (jti): ask the issuer for another one");
            }
            proven.signed().ifPresent(signed -> grants.use(signed, client.id(), caller.tenant()));
            if (proof != null) {
                proofs.use(caller.tenant(), proof);
            }
            if (!grants.hasAgent(caller.tenant(), agent)) {
                run.createAgent(agent, client);
            }
            var key = run.createKey(agent, client, granted.capabilities(), granted.resource(), granted.expires());
            var made = ApiKey.token(key, random);
            var proofKey = proof == null ? null : proof.key();
            grants.insertAsserted(caller, made, client, granted.resource(), granted.expires(), proofKey);
            return made;
        });
        events.committed(); // The tools have reported this before the transaction was committed.
        return new Access(token, granted.capabilities(), granted.resource());
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
