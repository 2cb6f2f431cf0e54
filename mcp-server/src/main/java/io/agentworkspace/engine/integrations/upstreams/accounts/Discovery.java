package io.agentworkspace.engine.integrations.upstreams.accounts;

import static io.agentworkspace.engine.integrations.upstreams.accounts.ProviderHttp.failed;

import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.model.text.Excerpt;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds the authorization server of a server, by its protected resource metadata (RFC 9728) and the metadata of its issuer (RFC 8414). */
record Discovery(ProviderHttp http) {
    private static final String RESOURCE = "/.well-known/oauth-protected-resource";
    private static final String SERVER = "/.well-known/oauth-authorization-server";
    private static final String OPEN_ID = "/.well-known/openid-configuration";
    private static final String OFFLINE = "offline_access";
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"ping\"}";
    private static final int LONGEST_SCOPE = 2_000;
    private static final Pattern SCOPE =
            Pattern.compile("[\\x21\\x23-\\x5b\\x5d-\\x7e]+( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*");

    /** @throws UpstreamFailure if it cannot be found, or is not what it says */
    AuthorizationServer of(Target target) throws InterruptedException {
        var challenge = challenge(target.url());
        var resource = resource(target.url(), parameter(challenge, "resource_metadata"));
        var named = resource.map(found -> found.at("/authorization_servers/0").asString(""))
                .orElse("");
        var issuer = named.isEmpty() ? origin(target.url()) : named;
        var server = server(issuer);
        var wanted = target.credential().scope();
        return new AuthorizationServer(
                issuer,
                endpoint(server, issuer, "authorization_endpoint"),
                endpoint(server, issuer, "token_endpoint"),
                server.has("registration_endpoint") ? endpoint(server, issuer, "registration_endpoint") : null,
                server.has("revocation_endpoint") ? endpoint(server, issuer, "revocation_endpoint") : null,
                server.path("authorization_response_iss_parameter_supported").asBoolean(false),
                server.path("client_id_metadata_document_supported").asBoolean(false),
                texts(server.path("token_endpoint_auth_methods_supported")),
                resource.map(found -> found.path("resource").asString())
                        .orElse(origin(target.url()) + target.url().getRawPath()),
                wanted == null ? scope(parameter(challenge, "scope"), resource, server) : wanted);
    }

    /** Returns how the server refuses a request without a credential; empty if it says nothing of tokens. */
    private String challenge(URI url) throws InterruptedException {
        try {
            var answer = http.ask(url, Map.of("Accept", "application/json, text/event-stream"), PING);
            return answer.headers().getValuesList(HttpHeader.WWW_AUTHENTICATE).stream()
                    .filter(each -> each.regionMatches(true, 0, "Bearer", 0, "Bearer".length()))
                    .findFirst()
                    .orElse("");
        } catch (UpstreamFailure e) {
            return ""; // The metadata also has a place of its own.
        }
    }

    private static String parameter(String challenge, String name) {
        var found = Pattern.compile("[ ,]%s=\"([^\"]*)\"".formatted(name)).matcher(challenge);
        return found.find() ? found.group(1) : "";
    }

    /** Returns the metadata of the server; empty if it has none, as before the revision 2025-06-18. */
    private Optional<ObjectNode> resource(URI url, String place) throws InterruptedException {
        var places = new LinkedHashSet<String>();
        if (!place.isEmpty()) {
            places.add(place);
        }
        if (url.getRawPath().length() > 1) {
            places.add(origin(url) + RESOURCE + url.getRawPath());
        }
        places.add(origin(url) + RESOURCE);
        var found = document("resource_metadata", places);
        if (found.isPresent()) {
            var named = found.get().path("resource").asString("");
            if (!covers(http.parse("resource", named), url)) {
                throw failed("its metadata is about another resource, %s: its tokens would be for that one"
                        .formatted(cut(named)));
            }
        }
        return found;
    }

    /** Returns whether a resource is the server, or contains it. */
    private static boolean covers(URI resource, URI url) {
        var path = resource.getRawPath().replaceAll("/+$", "");
        return origin(resource).equals(origin(url))
                && resource.getRawQuery() == null
                && (url.getRawPath().equals(path) || url.getRawPath().startsWith(path + "/"));
    }

    private ObjectNode server(String issuer) throws InterruptedException {
        var url = http.parse("authorization_servers", issuer);
        if (url.getRawQuery() != null) {
            throw failed("the issuer %s has a query".formatted(cut(issuer)));
        }
        var path = url.getRawPath().replaceAll("/+$", "");
        var places = new LinkedHashSet<String>();
        places.add(origin(url) + SERVER + path);
        places.add(origin(url) + OPEN_ID + path);
        places.add(origin(url) + path + OPEN_ID);
        var server = document("metadata", places)
                .orElseThrow(
                        () -> failed("%s publishes no metadata of an authorization server".formatted(cut(issuer))));
        if (!AuthorizationServer.isSame(server.path("issuer").asString(""), issuer)) {
            throw failed("the metadata at %s is that of another issuer, %s"
                    .formatted(cut(issuer), cut(server.path("issuer").asString(""))));
        }
        if (!texts(server.path("code_challenge_methods_supported")).contains("S256")) {
            throw failed("%s does not declare PKCE with S256, which is required".formatted(cut(issuer)));
        }
        return server;
    }

    private Optional<ObjectNode> document(String what, Iterable<String> places) throws InterruptedException {
        for (var place : places) {
            var answer = http.get(http.parse(what, place));
            if (answer.status() == HttpStatus.OK_200) {
                return Optional.of(
                        answer.json().orElseThrow(() -> failed("%s is not a JSON object".formatted(cut(place)))));
            }
            if (answer.status() < HttpStatus.BAD_REQUEST_400
                    || answer.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500) {
                throw failed("%s answered %d".formatted(cut(place), answer.status()));
            }
        }
        return Optional.empty();
    }

    /** An address is not less secure than its issuer. */
    private URI endpoint(JsonNode server, String issuer, String field) {
        var url = http.parse(field, server.path(field).asString(""));
        if (issuer.startsWith("https:") && !url.getScheme().equals("https")) {
            throw failed("the %s of %s must begin with https://".formatted(field, cut(issuer)));
        }
        return url;
    }

    /** Returns what the server requires, or else all that it knows; and that the access may last, where this is a scope. */
    private static @Nullable String scope(String required, Optional<ObjectNode> resource, JsonNode server) {
        var scopes = required.isEmpty()
                ? new ArrayList<>(texts(
                        resource.map(found -> found.path("scopes_supported")).orElse(server.path("none"))))
                : new ArrayList<>(List.of(required.strip().split(" +")));
        if (texts(server.path("scopes_supported")).contains(OFFLINE) && !scopes.contains(OFFLINE)) {
            scopes.add(OFFLINE);
        }
        var scope = String.join(" ", scopes);
        return scope.length() <= LONGEST_SCOPE && SCOPE.matcher(scope).matches() ? scope : null;
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(each -> each.asString("")).collect(Collectors.toUnmodifiableList());
    }

    private static String origin(URI url) {
        return url.getScheme() + "://" + url.getRawAuthority();
    }

    static String cut(String text) {
        return Excerpt.cut(text.replaceAll("[^\\x20-\\x7e]", "?"), 200);
    }
}
