package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import org.jspecify.annotations.Nullable;

/** The credential for an upstream server, as it may be shown. */
@Titled
public record UpstreamCredential(
        @Doc(
                value =
                        "none, header, client_credentials (OAuth 2), or, for the calling user, token_exchange, id_jag or user_oauth (OAuth 2).",
                oneOf = {NO_CREDENTIAL, HEADER, CLIENT_CREDENTIALS, TOKEN_EXCHANGE, ID_JAG, USER_OAUTH})
        String kind,

        @Doc(value = "Of header: its name, by default Authorization.", max = 100) @Nullable
        String header,

        @Doc(value = "Of OAuth: the address that issues tokens.", max = 2_000) @Nullable
        String tokenUrl,

        @Doc(value = "Of OAuth: the client.", max = 500) @Nullable
        String clientId,

        @Doc(value = "Of OAuth: the scope to ask for.", max = 500) @Nullable
        String scope,

        @Doc(
                value =
                        "Of id_jag: the issuer that the token_url belongs to. Of user_oauth: the only one that gets the client_secret.",
                max = 2_000)
        @Nullable
        String audience) {
    public static final String NO_CREDENTIAL = "none";
    public static final String HEADER = "header";
    public static final String CLIENT_CREDENTIALS = "client_credentials";
    public static final String TOKEN_EXCHANGE = "token_exchange";
    public static final String ID_JAG = "id_jag";
    public static final String USER_OAUTH = "user_oauth";

    /** No credential. */
    public static final UpstreamCredential NONE = new UpstreamCredential(NO_CREDENTIAL, null, null, null, null, null);

    /** Returns whether each user has a token of their own. */
    public boolean perUser() {
        return kind.equals(TOKEN_EXCHANGE) || kind.equals(ID_JAG) || hasAccounts();
    }

    /** Returns whether each user connects an account of their own. */
    public boolean hasAccounts() {
        return kind.equals(USER_OAUTH);
    }
}
