package io.agentworkspace.engine.identity.oauth;

/** A refusal in the words of OAuth (RFC 6749, section 5.2). */
final class OAuthError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final String description;

    OAuthError(String code, String description) {
        super(description, null, false, false);
        this.code = code;
        this.description = description;
    }

    static OAuthError request(String description) {
        return new OAuthError("invalid_request", description);
    }

    static OAuthError grant(String description) {
        return new OAuthError("invalid_grant", description);
    }

    static OAuthError client(String description) {
        return new OAuthError("invalid_client", description);
    }

    static OAuthError target(String resource) {
        return new OAuthError(
                "invalid_target", "resource must be left out, or sent once and be the MCP address " + resource);
    }

    String code() {
        return code;
    }

    String description() {
        return description;
    }

    int status() {
        return code.equals("invalid_client") ? 401 : 400;
    }
}
