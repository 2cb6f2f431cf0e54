package io.agentworkspace.engine.identity.signin;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A provider's metadata (OpenID Connect Discovery 1.0).
 *
 * @param basic whether the client authenticates by HTTP Basic; else in the form
 * @param namesItself whether its responses contain {@code iss} (RFC 9207)
 */
record ProviderMetadata(
        URI authorization, URI token, URI keys, @Nullable URI userInfo, boolean basic, boolean namesItself) {

    /**
     * @throws ProviderHttp.Failed if the document is of another issuer, lacks a field, or has an
     *     address less secure than its own
     */
    static ProviderMetadata of(Provider provider, ObjectNode document) throws ProviderHttp.Failed {
        if (!document.path("issuer").asString("").equals(provider.issuer().toString())) {
            throw new ProviderHttp.Failed("the discovery document is not the issuer's own");
        }
        var methods = document.path("token_endpoint_auth_methods_supported");
        return new ProviderMetadata(
                required(provider, document, "authorization_endpoint"),
                required(provider, document, "token_endpoint"),
                required(provider, document, "jwks_uri"),
                document.has("userinfo_endpoint") ? required(provider, document, "userinfo_endpoint") : null,
                methods.isMissingNode()
                        || methods.valueStream()
                                .anyMatch(method -> method.asString("").equals("client_secret_basic")),
                document.path("authorization_response_iss_parameter_supported").asBoolean(false));
    }

    private static URI required(Provider provider, ObjectNode document, String field) throws ProviderHttp.Failed {
        try {
            var address = URI.create(document.path(field).asString(""));
            var isSecure = "https".equals(address.getScheme())
                    || ("http".equals(address.getScheme())
                            && "http".equals(provider.issuer().getScheme()));
            if (isSecure && address.getHost() != null && address.getRawFragment() == null) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // Refused below, like other invalid addresses.
        }
        throw new ProviderHttp.Failed("the discovery document has no good " + field);
    }
}
