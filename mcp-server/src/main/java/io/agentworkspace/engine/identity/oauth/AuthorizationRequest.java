package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.model.access.Capability;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A client's request for access (RFC 6749, section 4.1.1, with PKCE). Its redirect URI is checked before everything else, since
 * every other refusal is sent there.
 *
 * @param resource the path of the MCP endpoint that it requests access to
 * @param scopes the capabilities that it requests; none if it leaves them to the user
 * @param proofKey the thumbprint of the key that the code is bound to (DPoP); null for none
 */
record AuthorizationRequest(
        OAuthClient client,
        String redirectUri,
        @Nullable String state,
        String challenge,
        String resource,
        Set<String> scopes,
        @Nullable String proofKey) {
    private static final Pattern CHALLENGE = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final Pattern UPSTREAM = Pattern.compile("upstream:[a-z0-9][a-z0-9-]{0,19}");
    private static final int LONGEST_STATE = 4_000;

    /** Where refusals are sent: an address that is the client's. */
    record ReturnAddress(
            OAuthClient client,
            String redirectUri,
            @Nullable String state) {
        /** @throws OAuthError that must not be sent to the redirect URI */
        static ReturnAddress of(Parameters parameters, OAuthClient client) {
            var redirect = parameters.read("redirect_uri");
            if (!RedirectUri.isRegistered(redirect, client.redirectUris())) {
                throw OAuthError.request("redirect_uri is not one of the addresses that this client registered");
            }
            var state = parameters.find("state");
            if (state != null && state.length() > LONGEST_STATE) {
                throw OAuthError.request("state is longer than %,d characters".formatted(LONGEST_STATE));
            }
            return new ReturnAddress(client, redirect, state);
        }

        /** Returns the address with the outcome, which names this server (RFC 9207). */
        String with(Map<String, String> outcome, String issuer) {
            var all = new LinkedHashMap<>(outcome);
            if (state != null) {
                all.put("state", state);
            }
            all.put("iss", issuer);
            var query = all.entrySet().stream()
                    .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                    .collect(Collectors.joining("&"));
            return redirectUri + (redirectUri.indexOf('?') < 0 ? "?" : "&") + query;
        }

        String with(OAuthError error, String issuer) {
            var outcome = new LinkedHashMap<String, String>();
            outcome.put("error", error.code());
            outcome.put("error_description", error.description());
            return with(outcome, issuer);
        }
    }

    /** @throws OAuthError that is sent to the redirect URI */
    static AuthorizationRequest of(Parameters parameters, ReturnAddress back, ProtectedResource resource) {
        if (parameters.find("request") != null || parameters.find("request_uri") != null) {
            throw new OAuthError(
                    "request_not_supported", "send the parameters in the query, not as request or request_uri");
        }
        if (!parameters.read("response_type").equals("code")) {
            throw new OAuthError("unsupported_response_type", "response_type must be code");
        }
        var mode = parameters.find("response_mode");
        if (mode != null && !mode.equals("query")) {
            throw OAuthError.request("response_mode must be query, or be left out");
        }
        var challenge = parameters.read("code_challenge");
        if (!"S256".equals(parameters.find("code_challenge_method"))) {
            throw OAuthError.request("code_challenge_method must be S256");
        }
        if (!CHALLENGE.matcher(challenge).matches()) {
            throw OAuthError.request(
                    "code_challenge must be the SHA-256 of the verifier, in 43 characters of base64url");
        }
        return new AuthorizationRequest(
                back.client(),
                back.redirectUri(),
                back.state(),
                challenge,
                resource(parameters, resource).orElse(ProtectedResource.WHOLE),
                scopes(parameters.find("scope")),
                proofKey(parameters.find("dpop_jkt")));
    }

    private static @Nullable String proofKey(@Nullable String thumbprint) {
        if (thumbprint != null && !CHALLENGE.matcher(thumbprint).matches()) {
            throw OAuthError.request(
                    "dpop_jkt must be the SHA-256 thumbprint of a key, in 43 characters of base64url (RFC 7638)");
        }
        return thumbprint;
    }

    /**
     * Returns the path of the resource that the parameters name; empty if they name none.
     *
     * @throws OAuthError {@code invalid_target} unless it is the MCP address, or one below it
     */
    static Optional<String> resource(Parameters parameters, ProtectedResource resource) {
        var values = parameters.fields().getValuesOrEmpty("resource").stream()
                .filter(value -> !value.isEmpty())
                .toList();
        if (values.isEmpty()) {
            return Optional.empty();
        }
        var path = values.size() == 1 ? resource.path(values.getFirst()) : Optional.<String>empty();
        return Optional.of(path.orElseThrow(() -> OAuthError.target(resource.address())));
    }

    /** Returns the capabilities among the scopes. Others are left out: clients request what other servers have, too. */
    static Set<String> scopes(@Nullable String text) {
        return text == null
                ? Set.of()
                : Arrays.stream(text.strip().split("\\s+"))
                        .filter(AuthorizationRequest::isCapability)
                        .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static boolean isCapability(String word) {
        return word.equals(Capability.ALL)
                || UPSTREAM.matcher(word).matches()
                || Arrays.stream(Capability.values()).anyMatch(one -> one.word().equals(word));
    }
}
