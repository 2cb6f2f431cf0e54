package io.agentworkspace.engine.upstreams.client;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.webhooks.sender.VettedClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Posts messages to the address of a server, with its credential.
 *
 * @param streams the places that the streams of announcements of this address have
 * @param readsNotFound whether a 404 carries a message; with sessions it says that there is none
 */
record McpChannel(VettedClient http, URI url, CredentialSource credential, Semaphore streams, boolean readsNotFound) {
    private static final String EVENTS = "text/event-stream";
    private static final String ACCEPT = "application/json, " + EVENTS;

    /** The head of a response. */
    record Head(int status, HttpFields headers) {}

    /**
     * @param isLast receives each message of the response; returns true for the last one that matters
     * @throws UpstreamFailure if there is no response, or one that refuses the credential
     */
    Head post(ObjectNode body, Map<String, String> headers, Duration limit, Predicate<ObjectNode> isLast)
            throws InterruptedException {
        return exchange(body, headers, limit, isLast, false);
    }

    /**
     * Reads a stream of announcements to its end.
     *
     * @param body null for the stream that a session has besides its calls
     * @param isLast receives each message; returns true for the one that ends the stream
     */
    Head stream(@Nullable ObjectNode body, Map<String, String> headers, Predicate<ObjectNode> isLast)
            throws InterruptedException {
        return exchange(body, headers, AnnouncementStream.LIFE, isLast, true);
    }

    private Head exchange(
            @Nullable ObjectNode body,
            Map<String, String> headers,
            Duration limit,
            Predicate<ObjectNode> isLast,
            boolean announces)
            throws InterruptedException {
        var exchange = new UpstreamExchange(isLast, readsNotFound, announces);
        var own = credential.headers(limit);
        try {
            var request = http.request(url)
                    .method(body == null ? HttpMethod.GET : HttpMethod.POST)
                    .headers(fields -> {
                        fields.put(HttpHeader.ACCEPT, body == null ? EVENTS : ACCEPT);
                        headers.forEach(fields::put);
                        own.forEach(fields::put);
                    });
            if (body != null) {
                request.body(new BytesRequestContent("application/json", Json.bytes(body)));
            }
            exchange.run(request, limit);
        } catch (IOException e) {
            throw new UpstreamFailure(Kind.UNREACHABLE, String.valueOf(e.getMessage()));
        }
        if (exchange.status() == HttpStatus.UNAUTHORIZED_401 || exchange.status() == HttpStatus.FORBIDDEN_403) {
            credential.refused();
            throw new UpstreamFailure(Kind.CREDENTIAL, "it refused the credential (%d)".formatted(exchange.status()));
        }
        if (exchange.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500
                || exchange.status() == HttpStatus.TOO_MANY_REQUESTS_429) {
            throw new UpstreamFailure(Kind.UNREACHABLE, "it answered %d".formatted(exchange.status()));
        }
        return new Head(exchange.status(), exchange.headers());
    }
}
