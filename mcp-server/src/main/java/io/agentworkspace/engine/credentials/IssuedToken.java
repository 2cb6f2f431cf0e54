package io.agentworkspace.engine.credentials;

/** An access token for the MCP endpoint that another issuer has made, or claims to have made. It is never printed. */
public record IssuedToken(String text) implements Presented {
    @Override
    public String toString() {
        return "issued token";
    }
}
