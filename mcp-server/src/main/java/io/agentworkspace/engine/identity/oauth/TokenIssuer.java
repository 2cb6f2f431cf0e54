package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.dpop.DpopProof;
import io.agentworkspace.engine.identity.dpop.DpopProofs;
import io.agentworkspace.engine.identity.signin.ClientAssertions;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Gives programs tokens: for a code, a refresh token, an API key of their own (client credentials), or an assertion. */
final class TokenIssuer {
    private static final Duration ACCESS_LIFE = Duration.ofHours(1);
    private static final Duration REFRESH_LIFE = Duration.ofDays(30);

    /** How long a used refresh token still works: a program may send it twice at once, or not get the answer. */
    private static final Duration RETIRED_LIFE = Duration.ofSeconds(60);

    private static final int MOST_CHILDREN = 100;
    private static final Pattern VERIFIER = Pattern.compile("[A-Za-z0-9._~-]{43,128}");

    static final String JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    static final List<String> GRANTS = List.of("authorization_code", "refresh_token", "client_credentials", JWT_BEARER);

    private final SecureRandom random = new SecureRandom();
    private final Db db;
    private final AccessGrantStore grants;
    private final Clients clients;
    private final DpopProofs proofs;
    private final Callers keys;
    private final ProtectedResource resource;
    private final AssertionGrant assertions;
    private final Set<String> audiences;
    private final Clock clock;

    public TokenIssuer(
            Db db,
            AccessGrantStore grants,
            AssertionGrant assertions,
            Clients clients,
            DpopProofs proofs,
            Callers keys,
            ProtectedResource resource,
            Clock clock) {
        this.db = db;
        this.grants = grants;
        this.assertions = assertions;
        this.clients = clients;
        this.proofs = proofs;
        this.keys = keys;
        this.resource = resource;
        this.audiences = OAuthEndpoint.addresses(resource.issuer().toString());
        this.clock = clock;
    }

    /**
     * @param answer gets the nonce that the client needs for a proof of possession
     * @throws OAuthError
     * @throws io.agentworkspace.engine.identity.dpop.DpopRefusal if a proof of possession is not valid
     */
    ObjectNode issue(Parameters parameters, @Nullable ClientLogin basic, Request request, HttpFields.Mutable answer) {
        var type = parameters.read("grant_type");
        if (!GRANTS.contains(type)) {
            throw new OAuthError("unsupported_grant_type", "grant_type must be one of " + String.join(", ", GRANTS));
        }
        var login = ClientLogin.of(parameters, basic);
        if (type.equals("client_credentials")) {
            return byKey(
                    parameters, keyCaller(login), proofs.read(request, answer).orElse(null));
        }
        checkClient(login);
        var proof = proofs.read(request, answer)
                .orElse(null); // Nobody without the client's secret causes its verification.
        if (type.equals(JWT_BEARER)) {
            return byAssertion(parameters, login, request, proof);
        }
        return type.equals("refresh_token")
                ? redeem(login, parameters.read("refresh_token"), "refresh", parameters, proof)
                : redeem(login, parameters.read("code"), "code", parameters, proof);
    }

    /** Checks the client's secret, if it has one. */
    private void checkClient(ClientLogin login) {
        var id = login.id();
        if (Clients.isDocument(id)) { // The code or the token shows that its document was valid.
            if (login.secret() != null) {
                throw OAuthError.client("a client with a metadata document has no secret");
            }
            return;
        }
        var client = clients.find(id).orElseThrow(Clients::unknown);
        if (login.assertion() != null) {
            throw OAuthError.client(
                    "a registered client has a secret or nothing; it proves nothing by client_assertion");
        }
        var hash = client.secretHash();
        if (hash == null
                ? login.secret() != null
                : login.secret() == null || !MessageDigest.isEqual(hash, Sha256.of(login.secret()))) {
            throw OAuthError.client("the client's secret is wrong, missing, or not one that it has");
        }
    }

    /**
     * Returns what a client with keys has signed; empty if it need not, and did not. Its keys are fetched only if the code or the token
     * is its own, so that nobody else makes this server fetch anything.
     *
     * @param key the key of the grant, if the secret is an access token
     */
    private Optional<ClientAssertions.Proof> signed(ClientLogin login, String secret, @Nullable String key) {
        var isKeyed =
                Clients.isDocument(login.id()) ? grants.isKeyed(login.id(), secret, key) : Optional.<Boolean>empty();
        if (isKeyed.isEmpty() || !isKeyed.get() && login.assertion() == null) {
            return Optional.empty();
        }
        if (login.assertion() == null) {
            throw OAuthError.client("this client proves who it is with client_assertion (private_key_jwt)");
        }
        return Optional.of(clients.verify(login.id(), login.assertion(), audiences));
    }

    private void use(@Nullable DpopProof proof, long tenant) {
        if (proof != null) {
            proofs.use(tenant, proof);
        }
    }

    /** The refresh token of a client that proves who it is otherwise is bound to no key: such a client may change its key. */
    private static void checkPossession(AccessGrantStore.Taken taken, boolean isPublic, @Nullable DpopProof proof) {
        var bound = taken.kind().equals("code") || isPublic ? taken.proofKey() : null;
        if (proof == null && taken.proves()) {
            throw unproven();
        }
        checkKey(bound, proof);
    }

    /** @param bound the thumbprint of the key that is needed; null for none */
    private static void checkKey(@Nullable String bound, @Nullable DpopProof proof) {
        if (bound == null) {
            return;
        }
        if (proof == null) {
            throw unproven();
        }
        if (!bound.equals(proof.key())) {
            throw OAuthError.grant("this access is bound to another key than that of the DPoP proof");
        }
    }

    static OAuthError unproven() {
        return new OAuthError(
                "invalid_dpop_proof", "this access is bound to a key: send a proof of it in the header DPoP");
    }

    /** An assertion works once, on all replicas. */
    private void use(Optional<ClientAssertions.Proof> signed, String client, long tenant) {
        signed.ifPresent(proof -> grants.use(proof, client, tenant));
    }

    private ObjectNode redeem(
            ClientLogin login, String secret, String kind, Parameters parameters, @Nullable DpopProof proof) {
        var client = login.id();
        var scope = parameters.find("scope");
        var redirect = kind.equals("code") ? parameters.find("redirect_uri") : null;
        var verifier = kind.equals("code") ? parameters.read("code_verifier") : null;
        var named = AuthorizationRequest.resource(parameters, resource);
        var signed = signed(login, secret, null);
        var isPublic = login.secret() == null && signed.isEmpty();
        var now = clock.instant();
        var outcome = db.<Outcome>transaction(() -> {
            var taken = grants.take(secret, now)
                    .filter(one -> one.kind().equals(kind) && one.client().equals(client))
                    .orElseThrow(() -> invalid(kind));
            use(signed, client, taken.tenant());
            checkPossession(taken, isPublic, proof); // First, since nobody without the key ends the access.
            if (taken.usedAt() != null
                    && !(kind.equals("refresh") && now.isBefore(taken.usedAt().plus(RETIRED_LIFE)))) {
                // Two have it: the program and somebody else.
                grants.revoke(taken.tenant(), taken.key(), now);
                return new Outcome(null);
            }
            var ends = taken.ends();
            if (!taken.alive() || !now.isBefore(taken.expires()) || ends != null && !now.isBefore(ends)) {
                throw invalid(kind);
            }
            if (kind.equals("code")) {
                checkProof(taken, redirect, verifier);
            }
            if (!named.orElse(taken.resource()).equals(taken.resource())) {
                throw new OAuthError(
                        "invalid_target",
                        "this access is for %s; leave resource out, or name that"
                                .formatted(resource.address(taken.resource())));
            }
            checkScope(scope, taken.capabilities());
            use(proof, taken.tenant());
            return new Outcome(renewed(taken, secret, proof, now));
        });
        if (outcome.answer() == null) {
            throw OAuthError.grant(
                    "the %s was used before; all tokens of this access are revoked, so ask the user again"
                            .formatted(kind.equals("code") ? "code" : "refresh token"));
        }
        return outcome.answer();
    }

    private record Outcome(@Nullable ObjectNode answer) {}

    private static OAuthError invalid(String kind) {
        return OAuthError.grant(
                kind.equals("code")
                        ? "the code is not valid: unknown, expired, revoked, or of another client"
                        : "the refresh token is not valid: unknown, expired, revoked, or of another client");
    }

    private static void checkProof(AccessGrantStore.Taken taken, @Nullable String redirect, @Nullable String verifier) {
        if (!taken.redirectUri().equals(redirect)) {
            throw OAuthError.grant("redirect_uri must be the one that the code was requested with");
        }
        if (verifier == null
                || !VERIFIER.matcher(verifier).matches()
                || !MessageDigest.isEqual(
                        taken.challenge().getBytes(StandardCharsets.US_ASCII),
                        Base64.getUrlEncoder().withoutPadding().encode(Sha256.of(verifier)))) {
            throw OAuthError.grant("code_verifier does not fit the code_challenge");
        }
    }

    /** A program may name the scopes that it has. It keeps all of them, and the answer lists them. */
    private static void checkScope(@Nullable String scope, Collection<String> granted) {
        if (scope != null
                && !granted.contains(Capability.ALL)
                && !granted.containsAll(AuthorizationRequest.scopes(scope))) {
            throw new OAuthError("invalid_scope", "scope has more than the user gave: " + String.join(" ", granted));
        }
    }

    private ObjectNode renewed(AccessGrantStore.Taken taken, String used, @Nullable DpopProof proof, Instant now) {
        var token = ApiKey.token(taken.key(), random);
        var expires = earlier(now.plus(ACCESS_LIFE), taken.ends());
        var refresh = OAuthSecret.generate(OAuthSecret.REFRESH, random);
        var refreshExpires = earlier(now.plus(REFRESH_LIFE), taken.ends());
        var renewal = new AccessGrantStore.Renewal(token, expires, refresh, refreshExpires, key(proof));
        grants.renew(taken, used, renewal, now);
        return answer(token, proof, now, expires, taken.capabilities()).put("refresh_token", refresh);
    }

    private static Instant earlier(Instant end, @Nullable Instant other) {
        return other != null && other.isBefore(end) ? other : end;
    }

    private static @Nullable String key(@Nullable DpopProof proof) {
        return proof == null ? null : proof.key();
    }

    private static ObjectNode answer(
            ApiKey token, @Nullable DpopProof proof, Instant now, Instant expires, Collection<String> capabilities) {
        return Json.object()
                .put("access_token", token.reveal())
                .put("token_type", proof == null ? "Bearer" : Credentials.PROOF)
                .put("expires_in", Duration.between(now, expires).toSeconds())
                .put("scope", String.join(" ", capabilities));
    }

    /** The resource is in the assertion. A client without a secret or a key could not show that it is the one in the assertion. */
    private ObjectNode byAssertion(
            Parameters parameters, ClientLogin login, Request request, @Nullable DpopProof proof) {
        var id = login.id();
        var isDocument = Clients.isDocument(id);
        if (isDocument ? login.assertion() == null : login.secret() == null) {
            throw new OAuthError(
                    "unauthorized_client",
                    "an assertion is accepted only from a client that proves who it is, with a secret or with private_key_jwt");
        }
        var named = AuthorizationRequest.resource(parameters, resource);
        var text = parameters.read("assertion");
        var now = clock.instant();
        var expires = now.plus(ACCESS_LIFE);
        var presenter = new AssertionGrant.Presenter(id, () -> presenter(login), proof);
        var access = assertions.issue(text, named, parameters.find("scope"), presenter, expires, request);
        if (!isDocument) {
            clients.use(id, now);
        }
        return answer(access.token(), proof, now, expires, access.capabilities())
                .put("resource", resource.address(access.resource()));
    }

    private AssertionGrant.Proven presenter(ClientLogin login) {
        var signature = login.assertion();
        var signed = signature == null
                ? Optional.<ClientAssertions.Proof>empty()
                : Optional.of(clients.verify(login.id(), signature, audiences));
        return new AssertionGrant.Proven(clients.read(login.id()), signed);
    }

    /** A program's own key is its secret. The token is a child of that key, with at most its capabilities, and ends with it. */
    private ObjectNode byKey(Parameters parameters, Caller caller, @Nullable DpopProof proof) {
        checkKey(caller.credential().proofKey(), proof);
        if (caller.boundAgent() == null) {
            throw new OAuthError(
                    "unauthorized_client",
                    "the API key must be bound to an agent: create one with AK_Create and agent");
        }
        var above = caller.credential().resource();
        var path = AuthorizationRequest.resource(parameters, resource)
                .orElse(above == null ? ProtectedResource.WHOLE : above);
        if (above != null && !ProtectedResource.covers(above, path)) {
            throw OAuthError.target(resource.address(above));
        }
        var granted = capabilities(parameters.find("scope"), caller);
        var now = clock.instant();
        var expires = Consent.earlier(now.plus(ACCESS_LIFE), caller);
        var token = ApiKey.token(KeyFormat.randomId(random), random);
        var child = new AccessGrantStore.Child(token, granted, path, expires, key(proof));
        var isInserted = db.transaction(() -> {
            use(proof, caller.tenant());
            return grants.insertChild(caller, child, MOST_CHILDREN, now);
        });
        if (!isInserted) {
            throw Problem.rateLimited(
                    "%d tokens of this key are in use, which is the maximum: use one until it expires"
                            .formatted(MOST_CHILDREN),
                    Duration.ofMinutes(1));
        }
        return answer(token, proof, now, expires, granted);
    }

    private Caller keyCaller(ClientLogin login) {
        return keyHolder(login)
                .orElseThrow(
                        () -> OAuthError.client(
                                "client_id must be the id of an API key, and client_secret the whole key; it is unknown, revoked or expired"));
    }

    private Optional<Caller> keyHolder(ClientLogin login) {
        try {
            var key = ApiKey.parse(login.secret() == null ? "" : login.secret());
            return key.isToken() || !key.id().equals(login.id())
                    ? Optional.empty()
                    : Optional.of(keys.authenticate(key));
        } catch (Problem problem) {
            if (problem.failure() == Failure.UNAUTHENTICATED) {
                return Optional.empty();
            }
            throw problem;
        }
    }

    private static Collection<String> capabilities(@Nullable String scope, Caller caller) {
        var scopes = AuthorizationRequest.scopes(scope);
        if (scopes.isEmpty()) {
            return caller.capabilities();
        }
        if (!caller.capabilities().contains(Capability.ALL)
                && !caller.capabilities().containsAll(scopes)) {
            throw new OAuthError(
                    "invalid_scope", "scope has more than the key: " + String.join(" ", caller.capabilities()));
        }
        return scopes;
    }

    /** Ends the access that a token belongs to (RFC 7009). An unknown token, or one of another client, changes nothing. */
    void revoke(Parameters parameters, @Nullable ClientLogin basic) {
        var login = ClientLogin.of(parameters, basic);
        var token = parameters.read("token");
        var isKey = keyHolder(login).isPresent();
        if (!isKey) {
            checkClient(login);
        }
        var client = login.id();
        var holder = holder(token);
        var signed = signed(
                login, token, holder.map(caller -> caller.credential().key()).orElse(null));
        var now = clock.instant();
        db.transaction(() -> {
            grants.take(token, now)
                    .filter(taken -> taken.client().equals(client))
                    .ifPresent(taken -> {
                        use(signed, client, taken.tenant());
                        grants.revoke(taken.tenant(), taken.key(), now);
                    });
            holder.ifPresent(caller -> {
                var key = String.valueOf(caller.credential().key());
                if (grants.isOf(caller.tenant(), key, client)) {
                    use(signed, client, caller.tenant());
                    grants.revoke(caller.tenant(), key, now);
                }
            });
            return true;
        });
    }

    private Optional<Caller> holder(String token) {
        try {
            var key = ApiKey.parse(token);
            return key.isToken() ? Optional.of(keys.authenticate(key)) : Optional.empty();
        } catch (Problem problem) {
            return Optional.empty();
        }
    }
}
