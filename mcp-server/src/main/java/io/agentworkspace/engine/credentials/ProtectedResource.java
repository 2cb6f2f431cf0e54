package io.agentworkspace.engine.credentials;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * The MCP endpoint as an OAuth resource (RFC 9728): whose access tokens it accepts, and how clients learn that. Only
 * clients without a credential, or with a token, are informed.
 *
 * @param url the public address of the tool protocol's host
 * @param issuer the issuer of these tokens, exactly as written
 * @param own the issuer of the tokens of sessions, which are not accepted as these
 */
public record ProtectedResource(String url, URI issuer, String own) {
    private static final String ENDPOINT = "/mcp";
    private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";

    /** The paths of the metadata. */
    public static final List<String> PATHS = List.of(WELL_KNOWN, WELL_KNOWN + ENDPOINT);

    private static final String READ = ":read";
    private static final int LONGEST = 300;

    /** Returns the audience that tokens for the endpoint must name. */
    public String address() {
        return url + ENDPOINT;
    }

    /** Returns all accepted audiences. */
    public Set<String> audiences() {
        return Set.of(address(), url, url + "/");
    }

    public ObjectNode metadata(String name, String documentation) {
        var metadata = Json.object().put("resource", address());
        metadata.putArray("authorization_servers").add(issuer.toString());
        var scopes = metadata.putArray("scopes_supported");
        Arrays.stream(Capability.values()).map(Capability::word).forEach(scopes::add);
        metadata.putArray("bearer_methods_supported").add("header");
        return metadata.put("resource_name", name).put("resource_documentation", documentation);
    }

    /** Returns a token sent to the endpoint as the type of credential that it is checked as. */
    public Presented judged(Presented presented) {
        return presented instanceof AccessToken token && !token.issuer().equals(own)
                ? new IssuedToken(token.text())
                : presented;
    }

    /** Returns the challenge for a client without a credential. The scopes to read are enough to begin with. */
    public String challenge() {
        var scopes = Arrays.stream(Capability.values())
                .map(Capability::word)
                .filter(word -> word.endsWith(READ))
                .toList();
        return "Bearer realm=\"engine\", %s, scope=\"%s\"".formatted(place(), String.join(" ", scopes));
    }

    /** Returns the challenge for a client with a token that is not valid, or no longer. */
    public String invalid(String why) {
        return "Bearer error=\"invalid_token\", error_description=\"%s\", %s".formatted(quoted(why), place());
    }

    /** @param scopes all scopes that the next token needs */
    public String insufficient(Collection<String> scopes, String why) {
        return "Bearer error=\"insufficient_scope\", scope=\"%s\", %s, error_description=\"%s\""
                .formatted(String.join(" ", scopes), place(), quoted(why));
    }

    private String place() {
        return "resource_metadata=\"%s%s%s\"".formatted(url, WELL_KNOWN, ENDPOINT);
    }

    /** Limits the text to RFC 6750, section 3: ASCII without quotes and backslashes. */
    private static String quoted(String text) {
        return text.chars()
                .limit(LONGEST)
                .mapToObj(c -> c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? "'" : Character.toString(c))
                .collect(Collectors.joining());
    }
}
