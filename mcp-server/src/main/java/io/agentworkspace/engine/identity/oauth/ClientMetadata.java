package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ClientName;
import java.text.Normalizer;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a client says about itself (RFC 7591, section 2), checked.
 *
 * @param authMethods how it proves who it is at the token route; a description may list several
 * @param proves whether it gets only tokens that are bound to a key of its own (RFC 9449, section 5.2)
 */
record ClientMetadata(String name, List<String> redirectUris, List<String> authMethods, boolean proves) {
    static final String NONE = "none";
    static final String PRIVATE_KEY = "private_key_jwt";

    /** Those that a registration may choose from. A client with keys describes itself, where it can change them. */
    static final List<String> AUTH_METHODS = List.of(NONE, "client_secret_post", "client_secret_basic");

    private static final Pattern DECORATION = Pattern.compile(
            "[\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{So}[\\p{Sm}&&[^+]]\\p{Co}\\p{Cf}\\p{Me}\\uFE00-\\uFE0F\"\\s]+");
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
        if (document.hasNonNull("grant_types")
                && !texts(document.path("grant_types")).contains("authorization_code")) {
            throw metadata(
                    "grant_types must contain authorization_code; for client_credentials use an API key that is bound to an agent");
        }
        if (document.hasNonNull("response_types")
                && !texts(document.path("response_types")).contains("code")) {
            throw metadata("response_types must contain code");
        }
        return new ClientMetadata(name(document), uris, methods(document), proves(document));
    }

    private static boolean proves(ObjectNode document) {
        var value = document.path("dpop_bound_access_tokens");
        if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
            throw metadata("dpop_bound_access_tokens must be true or false");
        }
        return value.asBoolean(false);
    }

    /** Returns the way in which a registered client proves who it is. */
    String authMethod() {
        if (authMethods.size() != 1 || !AUTH_METHODS.contains(authMethods.getFirst())) {
            throw metadata("token_endpoint_auth_method must be one of " + String.join(", ", AUTH_METHODS));
        }
        return authMethods.getFirst();
    }

    /** Returns the one that is named, and others that are listed beside it; {@code none} without any. */
    private static List<String> methods(ObjectNode document) {
        var named = document.path("token_endpoint_auth_method");
        var all = Stream.of(
                        named.isString() ? List.of(named.asString()) : texts(named),
                        texts(document.path("token_endpoint_auth_methods")),
                        texts(document.path("token_endpoint_auth_methods_supported")))
                .flatMap(List::stream)
                .distinct()
                .toList();
        return all.isEmpty() ? List.of(NONE) : all;
    }

    /**
     * Returns the name without what would let it look like more than a name: brackets, in which pages show what was verified, signs such as check
     * marks, and letters in other widths.
     */
    private static String name(ObjectNode document) {
        var plain = Normalizer.normalize(document.path("client_name").asString(""), Normalizer.Form.NFKC);
        @Nullable String name = ClientName.readable(DECORATION.matcher(plain).replaceAll(" "), LONGEST_NAME);
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
