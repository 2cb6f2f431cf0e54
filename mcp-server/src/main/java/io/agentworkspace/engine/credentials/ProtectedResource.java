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
 * The MCP endpoint as an OAuth resource (RFC 9728): whose access tokens it accepts, and how clients learn that. Only who came without
 * a credential, or with a token, is told.
 *
 * @param url the public address of the tool protocol's host
 * @param issuer who makes the tokens, letter for letter
 * @param own who makes the tokens of sessions, which are none of these
 */
public record ProtectedResource(String url, URI issuer, String own) {
    private static final String ENDPOINT = "/mcp";
    private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";

    /** Where the metadata is. */
    public static final List<String> PATHS = List.of(WELL_KNOWN, WELL_KNOWN + ENDPOINT);

    private static final String READ = ":read";
    private static final int LONGEST = 300;

    /** What tokens for it must name as their audience. */
    public String address() {
        return url + ENDPOINT;
    }

    /** What is taken for its name in a token. */
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

    /** A token that was sent to the endpoint, as the kind of credential that it is checked as. */
    public Presented judged(Presented presented) {
        return presented instanceof AccessToken token && !token.issuer().equals(own)
                ? new IssuedToken(token.text())
                : presented;
    }

    /** For who came with nothing: to read is enough to begin with. */
    public String challenge() {
        var scopes = Arrays.stream(Capability.values())
                .map(Capability::word)
                .filter(word -> word.endsWith(READ))
                .toList();
        return "Bearer realm=\"engine\", %s, scope=\"%s\"".formatted(place(), String.join(" ", scopes));
    }

    /** For who came with a token that is not, or no longer, good. */
    public String invalid(String why) {
        return "Bearer error=\"invalid_token\", error_description=\"%s\", %s".formatted(quoted(why), place());
    }

    /** @param scopes all that the next token needs */
    public String insufficient(Collection<String> scopes, String why) {
        return "Bearer error=\"insufficient_scope\", scope=\"%s\", %s, error_description=\"%s\""
                .formatted(String.join(" ", scopes), place(), quoted(why));
    }

    private String place() {
        return "resource_metadata=\"%s%s%s\"".formatted(url, WELL_KNOWN, ENDPOINT);
    }

    /** RFC 6750, section 3: ASCII without quotes and backslashes. */
    private static String quoted(String text) {
        return text.chars()
                .limit(LONGEST)
                .mapToObj(c -> c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? "'" : Character.toString(c))
                .collect(Collectors.joining());
    }
}
