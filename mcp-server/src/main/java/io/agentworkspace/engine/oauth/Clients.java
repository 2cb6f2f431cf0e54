package io.agentworkspace.engine.oauth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.credentials.KeyFormat;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.webhooks.sender.VettedClient;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds clients: registered ones, and those whose id is the address of a document about them (client ID metadata documents).
 * Such a document is fetched only for a signed-in user, with the protection that webhooks have.
 */
public final class Clients {
    private static final int LARGEST = 16 * 1024;
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration FRESH = Duration.ofMinutes(15);
    private static final int MOST = 1_000;

    /** An address with a path, none of whose segments is a dot (draft-ietf-oauth-client-id-metadata-document, section 3). */
    private static final Pattern DOCUMENT =
            Pattern.compile("https?://[^/?#@\\\\]+/(?!(?:[^?#]*/)?\\.{1,2}(?:[/?#]|$))[^?#\\\\]*(?:\\?[^#]*)?");

    private final SecureRandom random = new SecureRandom();
    private final ClientStore store;
    private final VettedClient http;
    private final Clock clock;
    private final Cache<String, OAuthClient> documents =
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(FRESH).build();

    public Clients(ClientStore store, VettedClient http, Clock clock) {
        this.store = store;
        this.http = http;
        this.clock = clock;
    }

    static boolean isDocument(String id) {
        return id.contains("://");
    }

    /** Registers a client, and returns its registration (RFC 7591, section 3.2.1). */
    ObjectNode register(ObjectNode metadataDocument) {
        var metadata = ClientMetadata.of(metadataDocument);
        var now = clock.instant();
        var secret = metadata.authMethod().equals("none") ? null : OAuthSecret.generate(OAuthSecret.CLIENT, random);
        var id = "client_" + KeyFormat.randomId(random);
        store.insert(
                new OAuthClient(
                        id, metadata.name(), metadata.redirectUris(), secret == null ? null : Sha256.of(secret)),
                now);
        var answer = Json.object().put("client_id", id).put("client_id_issued_at", now.getEpochSecond());
        if (secret != null) {
            answer.put("client_secret", secret).put("client_secret_expires_at", 0);
        }
        answer.put("client_name", metadata.name());
        metadata.redirectUris().forEach(answer.putArray("redirect_uris")::add);
        var grants = answer.putArray("grant_types").add("authorization_code").add("refresh_token");
        if (secret != null) {
            grants.add(TokenIssuer.JWT_BEARER);
        }
        answer.putArray("response_types").add("code");
        return answer.put("token_endpoint_auth_method", metadata.authMethod());
    }

    /** Returns a registered client. */
    Optional<OAuthClient> find(String id) {
        return store.find(id);
    }

    /** Notes that a user gave a registered client access. */
    void use(String id, Instant now) {
        store.use(id, now);
    }

    /** @throws OAuthError if there is no such client, or its document is not valid */
    OAuthClient read(String id) {
        if (!isDocument(id)) {
            return store.find(id).orElseThrow(Clients::unknown);
        }
        var client = documents.getIfPresent(id);
        if (client == null) {
            client = fetch(id);
            documents.put(id, client);
        }
        return client;
    }

    static OAuthError unknown() {
        return OAuthError.client("client_id is not that of a registered client: register it at /oauth/register");
    }

    private OAuthClient fetch(String id) {
        try {
            if (!DOCUMENT.matcher(id).matches() || !id.equals(id.strip()) || KeyFormat.isIn(id)) {
                throw OAuthError.client("client_id must be the id of a registration, or an https address with a path");
            }
            var url = http.parse(id);
            var document = Json.readObject(http.read(url, LARGEST, LIMIT));
            if (!document.path("client_id").asString("").equals(id)) {
                throw OAuthError.client("the document at client_id must contain this very client_id");
            }
            if (document.has("client_secret")
                    || !document.path("token_endpoint_auth_method")
                            .asString("none")
                            .equals("none")) {
                throw OAuthError.client("the document at client_id must be that of a public client, without a secret");
            }
            var metadata = ClientMetadata.of(document);
            return new OAuthClient(id, "%s (%s)".formatted(metadata.name(), host(url)), metadata.redirectUris(), null);
        } catch (IOException e) {
            throw OAuthError.client("the document at client_id cannot be read: " + e.getMessage());
        } catch (Problem e) {
            throw OAuthError.client("the document at client_id cannot be read: " + e.note());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw OAuthError.client("the document at client_id cannot be read now");
        }
    }

    private static String host(URI url) {
        return url.getHost().toLowerCase(Locale.ROOT);
    }
}
