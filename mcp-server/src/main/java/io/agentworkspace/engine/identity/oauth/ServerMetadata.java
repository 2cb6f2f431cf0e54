package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.signin.ClientAssertions;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** What clients learn about the authorization server (RFC 8414). */
record ServerMetadata(String issuer) {
    private static final List<String> METHODS = Stream.concat(
                    ClientMetadata.AUTH_METHODS.stream(), Stream.of(ClientMetadata.PRIVATE_KEY))
            .toList();

    ObjectNode oauth() {
        var metadata = Json.object()
                .put("issuer", issuer)
                .put("authorization_endpoint", issuer + OAuthEndpoint.AUTHORIZE)
                .put("token_endpoint", issuer + OAuthEndpoint.TOKEN)
                .put("registration_endpoint", issuer + OAuthEndpoint.REGISTER)
                .put("revocation_endpoint", issuer + OAuthEndpoint.REVOKE);
        Arrays.stream(Capability.values()).map(Capability::word).forEach(metadata.putArray("scopes_supported")::add);
        metadata.putArray("response_types_supported").add("code");
        metadata.putArray("response_modes_supported").add("query");
        TokenIssuer.GRANTS.forEach(metadata.putArray("grant_types_supported")::add);
        metadata.putArray("code_challenge_methods_supported").add("S256");
        for (var endpoint : List.of("token", "revocation")) {
            METHODS.forEach(metadata.putArray(endpoint + "_endpoint_auth_methods_supported")::add);
            ClientAssertions.ALGORITHMS.forEach(
                    metadata.putArray(endpoint + "_endpoint_auth_signing_alg_values_supported")::add);
        }
        ClientAssertions.ALGORITHMS.forEach(metadata.putArray("dpop_signing_alg_values_supported")::add);
        metadata.putArray("authorization_grant_profiles_supported").add("urn:ietf:params:oauth:grant-profile:id-jag");
        return metadata.put("authorization_response_iss_parameter_supported", true)
                .put("client_id_metadata_document_supported", true)
                .put("service_documentation", issuer + "/docs/oauth");
    }

    /** Returns the same for clients that look for OpenID metadata below the issuer's path. No ID tokens are issued. */
    ObjectNode openId() {
        var metadata = oauth().put("jwks_uri", issuer + "/.well-known/jwks.json");
        metadata.putArray("subject_types_supported").add("public");
        metadata.putArray("id_token_signing_alg_values_supported").add("ES256");
        return metadata;
    }
}
