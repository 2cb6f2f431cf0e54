package io.agentworkspace.engine.credentials;

/** An access token at the MCP door that another issuer has made, or is said to have made. It never prints itself. */
public record IssuedToken(String text) implements Presented {
    @Override
    public String toString() {
        return "issued token";
    }
}
