package io.agentworkspace.engine.model.upstream;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** The credential for an upstream server, as it may be shown. */
public record UpstreamCredential(
        @Doc(
                value = "none, header, or client_credentials (OAuth 2).",
                oneOf = {NO_CREDENTIAL, HEADER, CLIENT_CREDENTIALS})
        String kind,

        @Doc(value = "Of header: its name, by default Authorization.", max = 100) @Nullable
        String header,

        @Doc(value = "Of client_credentials: the address that issues tokens.", max = 2_000) @Nullable
        String tokenUrl,

        @Doc(value = "Of client_credentials: the client.", max = 500) @Nullable
        String clientId,

        @Doc(value = "Of client_credentials: the scope to ask for.", max = 500) @Nullable
        String scope) {
    public static final String NO_CREDENTIAL = "none";
    public static final String HEADER = "header";
    public static final String CLIENT_CREDENTIALS = "client_credentials";

    /** No credential. */
    public static final UpstreamCredential NONE = new UpstreamCredential(NO_CREDENTIAL, null, null, null, null);
}
