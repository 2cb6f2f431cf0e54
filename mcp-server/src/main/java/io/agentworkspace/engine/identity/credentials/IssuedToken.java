package io.agentworkspace.engine.identity.credentials;

/** An access token for the MCP endpoint from another issuer, not yet verified. It is never printed. */
public record IssuedToken(String text) implements Presented {
    @Override
    public String toString() {
        return "issued token";
    }
}
