package io.agentworkspace.engine.oauth;

import io.agentworkspace.engine.credentials.ClientName;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a client says about itself (RFC 7591, section 2), checked. */
record ClientMetadata(String name, List<String> redirectUris, String authMethod) {
    static final List<String> AUTH_METHODS = List.of("none", "client_secret_post", "client_secret_basic");

    private static final int MOST_URIS = 10;
    private static final int LONGEST_NAME = 80;

    static ClientMetadata of(ObjectNode document) {
        var uris = texts(document.path("redirect_uris"));
        if (uris.isEmpty() || uris.size() > MOST_URIS) {
            throw new OAuthError(
                    "invalid_redirect_uri", "redirect_uris must have 1 to %d addresses".formatted(MOST_URIS));
        }
        uris.stream().filter(uri -> !RedirectUri.isAllowed(uri)).findFirst().ifPresent(wrong -> {
            throw new OAuthError("invalid_redirect_uri", """
                    a redirect URI must be https, http on 127.0.0.1, [::1] or localhost, or have an app's own scheme such as \
                    com.example.app, without a fragment""");
        });
        var method = document.path("token_endpoint_auth_method").asString("none");
        if (!AUTH_METHODS.contains(method)) {
            throw metadata("token_endpoint_auth_method must be one of " + String.join(", ", AUTH_METHODS));
        }
        if (document.has("grant_types") && !texts(document.path("grant_types")).contains("authorization_code")) {
            throw metadata(
                    "grant_types must contain authorization_code; for client_credentials use an API key that is bound to an agent");
        }
        if (document.has("response_types")
                && !texts(document.path("response_types")).contains("code")) {
            throw metadata("response_types must contain code");
        }
        return new ClientMetadata(name(document), uris, method);
    }

    private static String name(ObjectNode document) {
        @Nullable String name = ClientName.readable(document.path("client_name").asString(""), LONGEST_NAME);
        return Objects.requireNonNullElse(name, "A program without a name");
    }

    private static List<String> texts(JsonNode array) {
        if (!array.isArray() || array.valueStream().anyMatch(one -> !one.isString())) {
            return List.of();
        }
        return array.valueStream().map(JsonNode::asString).toList();
    }

    private static OAuthError metadata(String description) {
        return new OAuthError("invalid_client_metadata", description);
    }
}
