package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Toolset;
import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    private static final String ENDPOINT = McpAddress.ENDPOINT;

    /** The path of the whole endpoint. */
    public static final String WHOLE = ENDPOINT;

    /** Where other programs' agents call this server's: a resource of its own. A token for the whole MCP endpoint works there, too. */
    private static final String AGENTS = "/a2a";

    private static final List<String> TALK = List.of("agent:read", "agent:write");

    private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";

    /** The paths of the metadata. */
    public static final List<String> PATHS = List.of(WELL_KNOWN, WELL_KNOWN + ENDPOINT);

    /** The paths of the endpoint: as a whole, limited to a toolset, limited to reading. */
    private static final Pattern ENDPOINTS = Pattern.compile(ENDPOINT + "(/x/(?<toolset>[^/]+))?(/readonly)?/?");

    private static final String READ = ":read";
    private static final int LONGEST = 300;

    /** The scopes that a client of the built-in server begins with: what an agent needs to talk, remember and work. */
    public static final List<String> WORK = List.of(
            "agent:read",
            "agent:write",
            "domain:read",
            "zone:read",
            "zone:write",
            "bank:read",
            "bank:write",
            "task:read",
            "task:write",
            "user:read",
            "document:read",
            "skill:read");

    /** Returns whether this server issues the tokens itself. */
    public boolean isBuiltin() {
        return issuer.toString().equals(own);
    }

    /**
     * Returns the path of a resource that a client names (RFC 8707): the endpoint's, or one below it, or that of the agents; empty if it
     * is none.
     */
    public Optional<String> path(String resource) {
        var whole = canonical(address());
        var named = canonical(resource);
        var agents = canonical(own + AGENTS);
        if (named.equals(agents) || named.startsWith(agents + "/")) {
            return Optional.of(AGENTS); // One agent's address is no resource of its own.
        }
        return named.startsWith(whole)
                ? Optional.of(ENDPOINT + named.substring(whole.length()))
                        .filter(ProtectedResource::isEndpoint)
                        .map(ProtectedResource::plain)
                : Optional.empty();
    }

    /** Returns an address without what has no meaning in it: capital letters of scheme and host, and the scheme's own port. */
    private static String canonical(String address) {
        try {
            var uri = URI.create(address);
            if (uri.getHost() == null
                    || uri.getRawUserInfo() != null
                    || uri.getRawQuery() != null
                    || uri.getRawFragment() != null) {
                return address;
            }
            var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            var port = uri.getPort() < 0 || uri.getPort() == (scheme.equals("https") ? 443 : 80)
                    ? ""
                    : ":" + uri.getPort();
            return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + port + uri.getRawPath();
        } catch (IllegalArgumentException e) {
            return address;
        }
    }

    /** Returns a path of the endpoint in the form that is stored and compared. */
    private static String plain(String path) {
        return (path.endsWith("/") ? path.substring(0, path.length() - 1) : path).toLowerCase(Locale.ROOT);
    }

    /**
     * Returns whether a credential for some resources works at the path of a request: at one of theirs, or below it.
     *
     * @param resources their paths, separated by spaces
     */
    public static boolean covers(String resources, String path) {
        var at = plain(path);
        return Stream.of(resources.split(" "))
                .anyMatch(one -> at.equals(one) || at.startsWith(one + "/") || isOfAgents(at) && one.equals(ENDPOINT));
    }

    private static boolean isOfAgents(String path) {
        return path.equals(AGENTS) || path.startsWith(AGENTS + "/");
    }

    /** Returns whether a refusal at this path tells the client where to get an access token. */
    public static boolean isAt(String path) {
        return path.equals(ENDPOINT) || path.startsWith(ENDPOINT + "/") || isOfAgents(path);
    }

    /** Returns the toolset of a path: the tools that a key for it is limited to. */
    public static List<String> toolset(String path) {
        return Stream.of(path.split("/")).filter(Toolset::isNamed).toList();
    }

    /** Returns the audience that tokens for the endpoint must name. */
    public String address() {
        return url + ENDPOINT;
    }

    /** Returns the address of a path of the endpoint, or of the agents. */
    public String address(String path) {
        return (isOfAgents(path) ? own : url) + path;
    }

    /**
     * Returns the path that tokens for this audience are accepted at: the endpoint's, also for the whole host, or one below it; empty
     * if they are not.
     */
    public Optional<String> audience(String audience) {
        return audience.equals(url) || audience.equals(url + "/") ? Optional.of(ENDPOINT) : path(audience);
    }

    private static boolean isEndpoint(String path) {
        if (isOfAgents(path)) {
            return true; // Whether there is such an agent is not told.
        }
        var endpoint = ENDPOINTS.matcher(path);
        var toolset = endpoint.matches() ? Optional.ofNullable(endpoint.group("toolset")) : Optional.of("");
        return toolset.map(word -> Toolset.isNamed(word.toLowerCase(Locale.ROOT)))
                .orElse(true);
    }

    /** Returns whether the metadata is at a path: the endpoint's own, or that of one of its paths, existing or not. */
    public static boolean isMetadata(String path) {
        return path.equals(WELL_KNOWN)
                || path.startsWith(WELL_KNOWN + "/") && isAt(path.substring(WELL_KNOWN.length()));
    }

    /**
     * Returns the metadata at a path, which names the resource that the path is of (RFC 9728, section 3.3).
     *
     * @throws Problem {@code not_found} for a toolset that does not exist
     */
    public ObjectNode metadata(String path, String name, String documentation) {
        var endpoint = path.substring(WELL_KNOWN.length());
        if (!endpoint.isEmpty() && !isEndpoint(endpoint)) {
            throw new Problem(
                    Failure.NOT_FOUND,
                    "there is no MCP endpoint at %s; there are %s, %s/readonly and %s/x/<toolset>, with the toolsets %s and the families"
                            .formatted(
                                    Name.shortened(endpoint),
                                    ENDPOINT,
                                    ENDPOINT,
                                    ENDPOINT,
                                    String.join(", ", Toolset.GENERAL)));
        }
        var metadata = Json.object().put("resource", endpoint.isEmpty() ? address() : address(endpoint));
        metadata.putArray("authorization_servers").add(issuer.toString());
        var scopes = metadata.putArray("scopes_supported");
        Arrays.stream(Capability.values()).map(Capability::word).forEach(scopes::add);
        metadata.putArray("bearer_methods_supported").add("header");
        return metadata.put("resource_name", name).put("resource_documentation", documentation);
    }

    /** Returns a token sent to the endpoint as the type of credential that it is checked as. */
    public Presented judged(Presented presented) {
        return !isBuiltin()
                        && presented instanceof AccessToken token
                        && !token.issuer().equals(own)
                ? new IssuedToken(token.text())
                : presented;
    }

    /**
     * Returns the challenge for a client without a credential. Where more scopes can be requested later, those to read are
     * enough to begin with.
     *
     * @param path the path of the request, whose metadata the client reads
     */
    public String challenge(String path) {
        var scopes = isOfAgents(path) ? TALK : isBuiltin() ? WORK : readScopes();
        return "Bearer realm=\"engine\", %s, scope=\"%s\"".formatted(place(path), String.join(" ", scopes));
    }

    private static List<String> readScopes() {
        return Arrays.stream(Capability.values())
                .map(Capability::word)
                .filter(word -> word.endsWith(READ))
                .toList();
    }

    /**
     * Returns the challenge for a client with a token that is not valid, or no longer.
     *
     * @param scheme that of the request
     * @param path the path of the request
     */
    public String invalid(String scheme, String path, String why) {
        return "%s error=\"invalid_token\", error_description=\"%s\", %s".formatted(scheme, quoted(why), place(path));
    }

    /**
     * @param scheme that of the request
     * @param path the path of the request
     * @param scopes all scopes that the next token needs
     */
    public String insufficient(String scheme, String path, Collection<String> scopes, String why) {
        return "%s error=\"insufficient_scope\", scope=\"%s\", %s, error_description=\"%s\""
                .formatted(scheme, String.join(" ", scopes), place(path), quoted(why));
    }

    /** Some clients accept only metadata of the very address that they call, with or without a slash at its end. */
    private String place(String path) {
        var host = isOfAgents(path) ? own : url;
        return "resource_metadata=\"%s%s%s\"".formatted(host, WELL_KNOWN, isEndpoint(path) ? quoted(path) : ENDPOINT);
    }

    /** Limits the text to RFC 6750, section 3: ASCII without quotes and backslashes. */
    public static String quoted(String text) {
        return text.chars()
                .limit(LONGEST)
                .mapToObj(c -> c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? "'" : Character.toString(c))
                .collect(Collectors.joining());
    }
}
