package io.agentworkspace.engine.integrations.upstreams.accounts;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Requests to authorization servers. A response has a limited size, comes in time, and is never a redirect that is followed. */
final class ProviderHttp {
    static final String FORM = "application/x-www-form-urlencoded";
    static final String JSON = "application/json";

    private static final int LARGEST = 256 * 1024;
    /** Of each request to find a server. Of these there are at most fourteen. */
    private static final Duration SHORT = Duration.ofSeconds(5);

    /** Of a request for tokens, which is not repeated. */
    private static final Duration LONG = Duration.ofSeconds(10);

    private final VettedClient client;

    ProviderHttp(VettedClient client) {
        this.client = client;
    }

    /** A response with its JSON object; empty if it is something else. */
    record Answer(int status, HttpFields headers, Optional<ObjectNode> json) {
        boolean isDone() {
            return status >= 200 && status < 300;
        }
    }

    Answer get(URI url) throws InterruptedException {
        return repeated(url, Map.of("Accept", JSON), null);
    }

    /** Sends what changes nothing there. */
    Answer ask(URI url, Map<String, String> headers, String content) throws InterruptedException {
        return repeated(url, headers, new VettedClient.Content(JSON, content.getBytes(StandardCharsets.UTF_8)));
    }

    /** A connection that was kept may have been closed meanwhile: the second attempt has a new one. */
    private Answer repeated(URI url, Map<String, String> headers, VettedClient.@Nullable Content content)
            throws InterruptedException {
        var start = System.nanoTime();
        try {
            return send(url, headers, content, SHORT);
        } catch (UpstreamFailure e) {
            if (System.nanoTime() - start > SHORT.toNanos() / 2) {
                throw e;
            }
            return send(url, headers, content, SHORT);
        }
    }

    Answer post(URI url, Map<String, String> headers, String type, String content) throws InterruptedException {
        return send(url, headers, new VettedClient.Content(type, content.getBytes(StandardCharsets.UTF_8)), LONG);
    }

    private Answer send(URI url, Map<String, String> headers, VettedClient.@Nullable Content content, Duration limit)
            throws InterruptedException {
        try {
            var reply = client.send(url, headers, content, LARGEST, limit);
            return new Answer(reply.status(), reply.headers(), object(reply.content()));
        } catch (IOException e) {
            throw failed("%s: %s".formatted(url.getAuthority(), e.getMessage()));
        }
    }

    private static Optional<ObjectNode> object(byte[] content) {
        try {
            return Optional.of(Json.readObject(content));
        } catch (Problem e) {
            return Optional.empty();
        }
    }

    /** @throws UpstreamFailure if no request may be made to the address */
    URI parse(String what, String url) {
        try {
            return client.parse(url);
        } catch (Problem e) {
            throw failed("%s: %s".formatted(what, e.note()));
        }
    }

    static UpstreamFailure failed(String words) {
        return new UpstreamFailure(Kind.CREDENTIAL, words);
    }

    static String form(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
