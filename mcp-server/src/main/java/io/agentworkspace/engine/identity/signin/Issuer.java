package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.jsonwebtoken.security.Jwk;
import io.jsonwebtoken.security.Jwks;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The connection to a provider: its keys, its token endpoint, and its metadata, which is cached for an hour. */
public final class Issuer {
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final Provider provider;
    private final ProviderHttp http;
    private final Clock clock;
    private volatile @Nullable CachedMetadata cache;
    private final IssuerKeys keys;

    Issuer(Provider provider, ProviderHttp http, Clock clock) {
        this.provider = provider;
        this.http = http;
        this.clock = clock;
        this.keys = new IssuerKeys(this, IssuerKeys.Trust.SIGN_IN, clock);
    }

    private record CachedMetadata(ProviderMetadata metadata, Instant at) {}

    Provider provider() {
        return provider;
    }

    /** Returns the keys that verify ID tokens. */
    IssuerKeys keys() {
        return keys;
    }

    ProviderMetadata metadata() throws ProviderHttp.Failed {
        var latest = cache;
        if (latest == null || !clock.instant().isBefore(latest.at().plus(REMEMBERED))) {
            var address = provider.issuer().toString().replaceFirst("/$", "") + "/.well-known/openid-configuration";
            var document = http.get(URI.create(address), "");
            latest = new CachedMetadata(ProviderMetadata.of(provider, document), clock.instant());
            cache = latest;
        }
        return latest.metadata();
    }

    /**
     * Exchanges a code for tokens.
     *
     * @return empty if the provider refuses the code
     */
    Optional<ObjectNode> redeem(String code, String verifier, String redirect) throws ProviderHttp.Failed {
        var form = new LinkedHashMap<>(Map.of("grant_type", "authorization_code"));
        form.put("code", code);
        form.put("redirect_uri", redirect);
        form.put("code_verifier", verifier);
        form.put("client_id", provider.clientId());
        var authorization = "";
        if (provider.clientSecret() != null && metadata().basic()) {
            authorization = basic(provider.clientId(), provider.clientSecret());
        } else if (provider.clientSecret() != null) {
            form.put("client_secret", provider.clientSecret());
        }
        var answer = http.post(metadata().token(), authorization, form);
        if (answer.status() == 400 && answer.body().path("error").asString("").equals("invalid_grant")) {
            return Optional.empty();
        } else if (answer.status() != 200) {
            throw new ProviderHttp.Failed("status %d from the token endpoint".formatted(answer.status()));
        }
        return Optional.of(answer.body());
    }

    /** Returns the HTTP Basic credentials. Both halves are form-encoded first (RFC 6749, section 2.3.1). */
    private static String basic(String id, String secret) {
        var pair = ProviderHttp.encoded(id) + ":" + ProviderHttp.encoded(secret);
        return "Basic "
                + java.util.Base64.getEncoder().encodeToString(pair.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Returns further claims about the user; empty if there are none. */
    ObjectNode userInfo(String accessToken) throws ProviderHttp.Failed {
        var address = metadata().userInfo();
        return address == null || accessToken.isEmpty() ? Json.object() : http.get(address, "Bearer " + accessToken);
    }

    List<Jwk<?>> fetchKeys() throws ProviderHttp.Failed {
        return parsed(http.get(metadata().keys(), ""));
    }

    private static List<Jwk<?>> parsed(ObjectNode set) {
        var parsed = new ArrayList<Jwk<?>>();
        for (var one : set.path("keys")) {
            try {
                parsed.add(Jwks.parser().json(TokenJson.PARSER).build().parse(Json.text(one)));
            } catch (RuntimeException e) {
                // Skips keys of unsupported types.
            }
        }
        return List.copyOf(parsed);
    }
}
