package io.agentworkspace.engine.integrations.upstreams.accounts;

import static io.agentworkspace.engine.integrations.upstreams.accounts.ProviderHttp.failed;

import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.model.json.Json;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * How the engine becomes a client of an authorization server: with the id that an admin gave, with a document about itself (client ID
 * metadata documents), or by registration (RFC 7591). Each server has a redirect address and a document of its own, so that a response
 * meant for one is never taken for another's.
 */
final class Registration {
    static final String PATH = "/oauth/upstreams/";

    private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e]{1,8000}");

    private final ProviderHttp http;
    private final AccountStore store;
    private final String baseUrl;
    private final Clock clock;

    Registration(ProviderHttp http, AccountStore store, String baseUrl, Clock clock) {
        this.http = http;
        this.store = store;
        this.baseUrl = baseUrl;
        this.clock = clock;
    }

    String redirect(String upstream) {
        return "%s%s%s/callback".formatted(baseUrl, PATH, upstream);
    }

    private String documentId(String upstream) {
        return "%s%s%s/client.json".formatted(baseUrl, PATH, upstream);
    }

    /** Returns the document about the client for a server. */
    ObjectNode document(String upstream) {
        var document = metadata(upstream).put("token_endpoint_auth_method", ProviderClient.NONE);
        return document.put("client_id", documentId(upstream));
    }

    private ObjectNode metadata(String upstream) {
        var metadata = Json.object()
                .put("client_name", "Agent Workspace Engine (%s)".formatted(upstream))
                .put("client_uri", baseUrl);
        metadata.putArray("redirect_uris").add(redirect(upstream));
        metadata.putArray("grant_types").add("authorization_code").add("refresh_token");
        metadata.putArray("response_types").add("code");
        return metadata;
    }

    ProviderClient of(Target target, AuthorizationServer server) throws InterruptedException {
        var given = target.credential().clientId();
        if (given != null) {
            var secret = target.secret().get();
            checkIssuer(target, server, secret);
            return ProviderClient.of(given, secret, server.methods());
        }
        if (server.readsDocuments() && baseUrl.startsWith("https:")) { // Documents are read over https only.
            return new ProviderClient(documentId(target.name()), null, ProviderClient.NONE);
        }
        var registered = store.client(registered(target, server.issuer()), clock.instant());
        return registered.isPresent() ? registered.get() : register(target, server);
    }

    /** A secret goes to the issuer that the admin gave with it, whichever one the server names. */
    private static void checkIssuer(Target target, AuthorizationServer server, String secret) {
        var issuer = target.credential().audience();
        if (issuer == null ? !secret.isEmpty() : !AuthorizationServer.isSame(issuer, server.issuer())) {
            throw failed(
                    "the server names the issuer %s, but the client_id is for %s: an admin checks which one is right, and gives its credential with UP_Update"
                            .formatted(Discovery.cut(server.issuer()), issuer == null ? "none" : issuer));
        }
    }

    private AccountStore.Registered registered(Target target, String issuer) {
        return new AccountStore.Registered(target.tenant(), target.name(), issuer, redirect(target.name()));
    }

    private ProviderClient register(Target target, AuthorizationServer server) throws InterruptedException {
        if (server.register() == null) {
            throw failed(
                    "it accepts neither client ID metadata documents nor registrations: an admin registers the engine there, with the redirect URI %s, and gives client_id and client_secret with UP_Update"
                            .formatted(redirect(target.name())));
        }
        var methods = server.methods();
        var method = methods.contains(ProviderClient.NONE)
                ? ProviderClient.NONE
                : methods.isEmpty() || methods.contains(ProviderClient.BASIC)
                        ? ProviderClient.BASIC
                        : ProviderClient.POST;
        var metadata = metadata(target.name()).put("token_endpoint_auth_method", method);
        if (server.scope() != null) {
            metadata.put("scope", server.scope());
        }
        var answer = http.post(
                server.register(), Map.of("Accept", ProviderHttp.JSON), ProviderHttp.JSON, Json.text(metadata));
        var body = answer.json()
                .filter(_ -> answer.isDone())
                .orElseThrow(
                        () -> failed("it refused to register the engine as a client (%d)".formatted(answer.status())));
        var id = printable(body, "client_id");
        if (id == null) {
            throw failed("it registered the engine without a client_id");
        }
        var client = client(
                id,
                printable(body, "client_secret"),
                body.path("token_endpoint_auth_method").asString(""),
                server);
        var expires = body.path("client_secret_expires_at").asLong(0);
        store.register(
                registered(target, server.issuer()),
                client,
                expires > 0 && client.secret() != null
                        ? Instant.ofEpochSecond(Math.min(expires, Integer.MAX_VALUE))
                        : null,
                clock.instant());
        return client;
    }

    private static ProviderClient client(
            String id, @Nullable String secret, String method, AuthorizationServer server) {
        return switch (method) {
            case ProviderClient.NONE -> new ProviderClient(id, null, method);
            case ProviderClient.BASIC, ProviderClient.POST ->
                new ProviderClient(id, secret, secret == null ? ProviderClient.NONE : method);
            default -> ProviderClient.of(id, secret, server.methods());
        };
    }

    private static @Nullable String printable(ObjectNode body, String field) {
        var text = body.path(field).asString("");
        return PRINTABLE.matcher(text).matches() ? text : null;
    }
}
