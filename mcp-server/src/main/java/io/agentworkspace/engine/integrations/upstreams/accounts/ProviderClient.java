package io.agentworkspace.engine.integrations.upstreams.accounts;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who the engine is at an authorization server.
 *
 * @param secret null for a public client
 * @param method how it authenticates at the token endpoint
 */
record ProviderClient(String id, @Nullable String secret, String method) {
    static final String NONE = "none";
    static final String BASIC = "client_secret_basic";
    static final String POST = "client_secret_post";

    /** @param methods that the server accepts; empty if it does not say, which means Basic */
    static ProviderClient of(String id, @Nullable String secret, List<String> methods) {
        var method = secret == null || secret.isEmpty()
                ? NONE
                : methods.isEmpty() || methods.contains(BASIC) || !methods.contains(POST) ? BASIC : POST;
        return new ProviderClient(id, method.equals(NONE) ? null : secret, method);
    }

    /** Returns the headers of a request to the token endpoint, and adds to its form what else proves who the client is. */
    Map<String, String> authenticate(Map<String, String> form) {
        if (method.equals(BASIC)) {
            var pair = ProviderHttp.encoded(id) + ":" + ProviderHttp.encoded(String.valueOf(secret));
            var basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            return Map.of("Accept", ProviderHttp.JSON, "Authorization", "Basic " + basic);
        }
        form.put("client_id", id);
        if (secret != null) {
            form.put("client_secret", secret);
        }
        return Map.of("Accept", ProviderHttp.JSON);
    }

    @Override
    public String toString() {
        return "client " + id;
    }
}
