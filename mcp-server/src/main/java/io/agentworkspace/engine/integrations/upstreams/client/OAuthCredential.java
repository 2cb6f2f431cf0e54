package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Access tokens of OAuth: by client credentials (RFC 6749, section 4.4), or in exchange for an assertion of who the calling user is,
 * which is a subject token (RFC 8693) or an ID-JAG (RFC 7523). A token is used until shortly before it expires.
 */
final class OAuthCredential implements CredentialSource {
    private static final Duration MARGIN = Duration.ofSeconds(30);
    private static final long UNKNOWN_SECONDS = 300;

    private final VettedClient http;
    private final Target target;
    private final Supplier<String> subject;
    private final Clock clock;
    private volatile @Nullable Token token;

    private record Token(String text, Instant until) {}

    /** @param subject asserts who the user is, for an exchange */
    OAuthCredential(VettedClient http, Target target, Supplier<String> subject, Clock clock) {
        this.http = http;
        this.target = target;
        this.subject = subject;
        this.clock = clock;
    }

    @Override
    public Map<String, String> headers(Duration limit) throws InterruptedException {
        var current = token;
        if (current == null || !clock.instant().isBefore(current.until())) {
            current = issued(limit);
            token = current;
        }
        return Map.of("Authorization", "Bearer " + current.text());
    }

    @Override
    public boolean refused(int status, Map<String, String> sent) {
        token = null;
        return false;
    }

    private Token issued(Duration limit) throws InterruptedException {
        var answer = new AtomicReference<ObjectNode>();
        var exchange = new UpstreamExchange(
                message -> {
                    answer.set(message);
                    return true;
                },
                true,
                false,
                new Reception(true));
        try {
            var request = http.request(
                            URI.create(String.valueOf(target.credential().tokenUrl())))
                    .method(HttpMethod.POST)
                    .headers(fields ->
                            fields.put(HttpHeader.ACCEPT, "application/json").put(HttpHeader.AUTHORIZATION, basic()))
                    .body(new BytesRequestContent(
                            "application/x-www-form-urlencoded", form().getBytes(StandardCharsets.US_ASCII)));
            exchange.run(request, limit);
        } catch (IOException e) {
            throw new UpstreamFailure(Kind.CREDENTIAL, "no token: " + e.getMessage());
        }
        var issued = answer.get();
        if (issued == null
                || !issued.path("access_token").isString()
                || !issued.path("token_type").asString("Bearer").equalsIgnoreCase("Bearer")) {
            throw new UpstreamFailure(Kind.CREDENTIAL, "no token: its issuer answered " + exchange.status());
        }
        var seconds = issued.path("expires_in").asLong(UNKNOWN_SECONDS);
        return new Token(
                issued.path("access_token").asString(),
                clock.instant().plusSeconds(Math.max(0, seconds)).minus(MARGIN));
    }

    private String basic() {
        var pair = encoded(String.valueOf(target.credential().clientId())) + ":"
                + encoded(target.secret().get());
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private String form() {
        var fields = new LinkedHashMap<String, String>();
        switch (target.credential().kind()) {
            case UpstreamCredential.TOKEN_EXCHANGE -> {
                fields.put("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
                fields.put("subject_token", subject.get());
                fields.put("subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
                fields.put("requested_token_type", "urn:ietf:params:oauth:token-type:access_token");
            }
            case UpstreamCredential.ID_JAG -> {
                fields.put("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
                fields.put("assertion", subject.get());
            }
            default -> fields.put("grant_type", "client_credentials");
        }
        fields.put("resource", target.url().toString());
        if (target.credential().scope() != null) {
            fields.put("scope", target.credential().scope());
        }
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
