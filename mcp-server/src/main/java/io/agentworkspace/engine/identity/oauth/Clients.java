package io.agentworkspace.engine.identity.oauth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.identity.signin.ClientAssertions;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.text.StorableText;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds clients: registered ones, and those whose id is the address of a document about them (client ID metadata documents).
 * Such a document is fetched only for a signed-in user, with the protection that webhooks have.
 */
public final class Clients {
    private static final int LARGEST = 16 * 1024;
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration FRESH = Duration.ofMinutes(15);
    private static final Duration RENEW = Duration.ofMinutes(1);
    private static final int MOST = 1_000;

    /** An address with a path, none of whose segments is a dot (draft-ietf-oauth-client-id-metadata-document, section 3). */
    private static final Pattern DOCUMENT =
            Pattern.compile("https?://[^/?#@\\\\]+/(?!(?:[^?#]*/)?\\.{1,2}(?:[/?#]|$))[^?#\\\\]*(?:\\?[^#]*)?");

    private record KeySet(ObjectNode set, Instant at) {}

    private final Cache<String, KeySet> keySets =
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(FRESH).build();
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

    /**
     * Registers a client, and returns its registration (RFC 7591, section 3.2.1).
     *
     * @param address where the request comes from
     * @throws Problem {@code rate_limited} if there are too many that nobody uses
     */
    ObjectNode register(ObjectNode metadataDocument, String address) {
        var metadata = ClientMetadata.of(metadataDocument);
        var method = metadata.authMethod();
        var now = clock.instant();
        var secret = method.equals(ClientMetadata.NONE) ? null : OAuthSecret.generate(OAuthSecret.CLIENT, random);
        var id = "client_" + KeyFormat.randomId(random);
        var hash = secret == null ? null : Sha256.of(secret);
        var client = new OAuthClient(id, metadata.name(), metadata.redirectUris(), hash, null, metadata.proves());
        if (!store.insert(client, ClientStore.Source.of(address), now)) {
            throw Problem.rateLimited(
                    "too many clients were registered and not used: %d from one address, %d from one network, %,d in all are kept; use one that you have, or try again later"
                            .formatted(ClientStore.MOST_OF_ADDRESS, ClientStore.MOST_OF_NETWORK, ClientStore.MOST),
                    ClientStore.PENDING);
        }
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
        if (metadata.proves()) {
            answer.put("dpop_bound_access_tokens", true);
        }
        return answer.put("token_endpoint_auth_method", method);
    }

    /** Returns a registered client. */
    Optional<OAuthClient> find(String id) {
        return StorableText.isStorable(id) ? store.find(id) : Optional.empty();
    }

    /** Notes that a user gave a registered client access. */
    void use(String id, Instant now) {
        store.use(id, now);
    }

    /** @throws OAuthError if there is no such client, or its document is not valid */
    OAuthClient read(String id) {
        return isDocument(id) ? known(id).orElseGet(() -> fetched(id)) : find(id).orElseThrow(Clients::unknown);
    }

    /**
     * Returns the client that wants the browser to be sent to an address. The document of a known one is fetched only if the address
     * is new.
     */
    OAuthClient read(String id, @Nullable String redirectUri) {
        return redirectUri == null
                ? read(id)
                : known(id)
                        .filter(client -> RedirectUri.isRegistered(redirectUri, client.redirectUris()))
                        .orElseGet(() -> isDocument(id) ? fetched(id) : read(id));
    }

    private Optional<OAuthClient> known(String id) {
        return KnownClients.find(id).map(document -> client(id, http.parse(id), document));
    }

    private OAuthClient fetched(String id) {
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
            var document = document(url);
            if (!document.path("client_id").asString("").equals(id)) {
                throw OAuthError.client("the document at client_id must contain this very client_id");
            }
            return client(id, url, document);
        } catch (Problem e) {
            throw OAuthError.client("the document at client_id cannot be read: " + e.note());
        }
    }

    private OAuthClient client(String id, URI url, ObjectNode document) {
        var metadata = ClientMetadata.of(document);
        var name = "%s (%s)".formatted(metadata.name(), host(url));
        return new OAuthClient(
                id, name, metadata.redirectUris(), null, keys(document, metadata.authMethods()), metadata.proves());
    }

    /** Returns the keys of a client that signs; null for a public one without any. */
    private OAuthClient.@Nullable Keys keys(ObjectNode document, List<String> methods) {
        var isPublic = methods.contains(ClientMetadata.NONE);
        if (document.has("client_secret") || !isPublic && !methods.contains(ClientMetadata.PRIVATE_KEY)) {
            throw OAuthError.client(
                    "the document at client_id must be that of a client without a secret: token_endpoint_auth_method none or private_key_jwt");
        }
        var address = document.path("jwks_uri").asString("");
        var set = document.path("jwks") instanceof ObjectNode inside ? inside : null;
        if (!methods.contains(ClientMetadata.PRIVATE_KEY) || isPublic && set == null && address.isEmpty()) {
            return null;
        }
        if (set == null) {
            http.parse(address); // Refuses an address that nothing may be fetched from.
        } else if (ClientAssertions.keys(set).isEmpty()) {
            throw OAuthError.client(
                    "jwks must have a public key to verify signatures with: RSA from 2048 bits, EC or Ed25519");
        }
        var algorithm = document.path("token_endpoint_auth_signing_alg").asString("");
        return new OAuthClient.Keys(
                set, set == null ? address : null, algorithm.isEmpty() ? null : algorithm, !isPublic);
    }

    /**
     * Verifies what a client with a metadata document has signed.
     *
     * @param audiences the addresses of this server that it may be for
     * @throws OAuthError if it is not valid
     */
    ClientAssertions.Proof verify(String id, String assertion, Set<String> audiences) {
        var keys = read(id).keys();
        if (keys == null) {
            throw OAuthError.client(
                    "the document at client_id has no keys to verify client_assertion with: leave it out");
        }
        try {
            return verified(id, assertion, keys, audiences);
        } catch (Problem e) {
            throw OAuthError.client("client_assertion is not valid: " + e.note());
        }
    }

    private ClientAssertions.Proof verified(String id, String assertion, OAuthClient.Keys keys, Set<String> audiences) {
        var check = new ClientAssertions(id, audiences, keys.algorithm(), clock);
        var address = keys.address();
        if (address == null) {
            return check.verified(assertion, Objects.requireNonNull(keys.set()));
        }
        var now = clock.instant();
        var cached = keySets.getIfPresent(address);
        // A new key is looked for at most once a minute, whatever arrives.
        if (cached == null
                || !check.knows(assertion, cached.set())
                        && !now.isBefore(cached.at().plus(RENEW))) {
            cached = new KeySet(document(http.parse(address)), now);
            keySets.put(address, cached);
        }
        return check.verified(assertion, cached.set());
    }

    /** @throws OAuthError if there is no JSON object at the address */
    private ObjectNode document(URI url) {
        try {
            return Json.readObject(http.read(url, LARGEST, LIMIT));
        } catch (IOException e) {
            throw OAuthError.client("the document at %s cannot be read: %s".formatted(host(url), e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw OAuthError.client("the document at %s cannot be read now".formatted(host(url)));
        }
    }

    private static String host(URI url) {
        return url.getHost().toLowerCase(Locale.ROOT);
    }
}
