package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamCredential;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The credential for a server, as an admin gives it. Its secret is never shown again. */
record CredentialRequest(
        @Doc(
                value =
                        "header: one of every request; else OAuth 2: token_exchange, id_jag, user_oauth for the calling user.",
                oneOf = {
                    UpstreamCredential.NO_CREDENTIAL,
                    UpstreamCredential.HEADER,
                    UpstreamCredential.CLIENT_CREDENTIALS,
                    UpstreamCredential.TOKEN_EXCHANGE,
                    UpstreamCredential.ID_JAG,
                    UpstreamCredential.USER_OAUTH
                })
        String kind,

        @Doc(value = "For header: its name. Default: Authorization.", max = 100, mayBeBlank = true) @Nullable
        String header,

        @Doc(value = "For header: its value.", max = 8_000, mayBeBlank = true) @Nullable
        String value,

        @Doc(value = "For OAuth: the token endpoint.", max = 2_000, mayBeBlank = true) @Nullable
        String tokenUrl,

        @Doc(value = "For OAuth.", max = 500, mayBeBlank = true) @Nullable
        String clientId,

        @Doc(value = "For OAuth.", max = 8_000, mayBeBlank = true) @Nullable
        String clientSecret,

        @Doc(value = "For OAuth.", max = 500) @Nullable String scope,

        @Doc(value = "The issuer. Default of id_jag: token_url's origin.", max = 2_000) @Nullable
        String audience) {
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}");
    private static final Pattern ORIGIN = Pattern.compile("^(https?://[^/?#]+).*$");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]+");

    /** Headers that say what a request is, and not who sends it. */
    private static final List<String> RESERVED = List.of(
            "accept",
            "connection",
            "content-length",
            "content-type",
            "host",
            "mcp-method",
            "mcp-name",
            "mcp-protocol-version",
            "mcp-session-id",
            "transfer-encoding");

    /** @throws Problem {@code missing_field} or {@code invalid_field} */
    UpstreamCredential credential() {
        switch (kind) {
            case UpstreamCredential.HEADER -> {
                require("credential.value", value);
                var name = header == null ? "Authorization" : header;
                if (!HEADER.matcher(name).matches() || RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
                    throw Problem.invalid(
                            "credential.header", "must be the name of a header that carries a credential");
                }
                return new UpstreamCredential(kind, name, null, null, null, null);
            }
            case UpstreamCredential.CLIENT_CREDENTIALS,
                    UpstreamCredential.TOKEN_EXCHANGE,
                    UpstreamCredential.ID_JAG -> {
                require("credential.token_url", tokenUrl);
                require("credential.client_id", clientId);
                require("credential.client_secret", clientSecret);
                return new UpstreamCredential(kind, null, tokenUrl, clientId, scope, issuer());
            }
            case UpstreamCredential.USER_OAUTH -> {
                return ownAccount();
            }
            default -> {
                return UpstreamCredential.NONE;
            }
        }
    }

    private UpstreamCredential ownAccount() {
        if (clientId != null) {
            require("credential.client_id", clientId);
        }
        if (clientSecret != null) {
            require("credential.client_id", clientId);
            require("credential.client_secret", clientSecret);
            require(
                    "credential.audience",
                    audience); // The server says who its issuer is, and may say another tomorrow.
        }
        if (audience != null) {
            require("credential.client_id", clientId);
            require("credential.audience", audience);
        }
        if (scope != null) {
            require("credential.scope", scope);
        }
        if (tokenUrl != null) {
            throw Problem.invalid(
                    "credential.token_url",
                    "is not for user_oauth, which finds it in the server's metadata: leave it out");
        }
        return new UpstreamCredential(kind, null, null, clientId, scope, audience);
    }

    private @Nullable String issuer() {
        if (!kind.equals(UpstreamCredential.ID_JAG)) {
            return null;
        }
        if (audience != null) {
            require("credential.audience", audience);
            return audience;
        }
        return ORIGIN.matcher(String.valueOf(tokenUrl)).replaceFirst("$1");
    }

    private static void require(String field, @Nullable String text) {
        if (text == null) {
            throw Problem.missing(field);
        }
        if (!VALUE.matcher(text).matches()) {
            throw Problem.invalid(field, "must have only printable ASCII characters");
        }
    }

    /** Returns the secret part; null if there is none. */
    @Nullable
    String secret() {
        return switch (kind) {
            case UpstreamCredential.HEADER -> value;
            case UpstreamCredential.CLIENT_CREDENTIALS,
                    UpstreamCredential.TOKEN_EXCHANGE,
                    UpstreamCredential.ID_JAG,
                    UpstreamCredential.USER_OAUTH -> clientSecret;
            default -> null;
        };
    }
}
