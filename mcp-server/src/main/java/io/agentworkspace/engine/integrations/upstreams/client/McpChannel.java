package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.model.json.Json;
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
    private static final String LAST_ID = "Last-Event-ID";
    private static final Duration SOON = Duration.ofSeconds(5);

    static final String OLDER_TRANSPORT =
            "it speaks HTTP+SSE, the transport of 2024-11-05, and the engine only Streamable HTTP: run a bridge before it, such as"
                    + " supergateway, and give the address of the bridge";

    /** The head of a response. */
    record Head(int status, HttpFields headers) {}

    /**
     * @param isLast receives each message of the response; returns true for the last one that matters
     * @throws UpstreamFailure if there is no response, or one that refuses the credential
     */
    Head post(
            ObjectNode body,
            Map<String, String> headers,
            Duration limit,
            Predicate<ObjectNode> isLast,
            Reception reception)
            throws InterruptedException {
        return exchange(body, headers, limit, isLast, false, reception);
    }

    /** Receives the rest of a response whose stream ended too soon, from the place that the server named last. */
    Head resume(Map<String, String> headers, Duration limit, Predicate<ObjectNode> isLast, Reception reception)
            throws InterruptedException {
        return exchange(null, headers, limit, isLast, false, reception);
    }

    /**
     * Reads a stream of announcements to its end.
     *
     * @param body null for the stream that a session has besides its calls
     * @param isLast receives each message; returns true for the one that ends the stream
     */
    Head stream(
            @Nullable ObjectNode body, Map<String, String> headers, Predicate<ObjectNode> isLast, Reception reception)
            throws InterruptedException {
        return exchange(body, headers, AnnouncementStream.LIFE, isLast, true, reception);
    }

    /** @throws UpstreamFailure if it is an address of the transport before Streamable HTTP, whose stream begins with an address */
    void checkTransport(Duration limit) {
        try {
            exchange(null, Map.of(), limit.compareTo(SOON) < 0 ? limit : SOON, _ -> true, false, new Reception(true));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (UpstreamFailure e) {
            if (e.kind() == Kind.TRANSPORT) {
                throw e;
            }
        }
    }

    private Head exchange(
            @Nullable ObjectNode body,
            Map<String, String> headers,
            Duration limit,
            Predicate<ObjectNode> isLast,
            boolean announces,
            Reception reception)
            throws InterruptedException {
        var own = credential.headers(limit);
        var exchange = sent(
                body,
                headers,
                limit,
                new UpstreamExchange(isLast, readsNotFound, announces, reception),
                own,
                reception);
        if (isRefused(exchange) && credential.refused(exchange.status(), own)) {
            own = credential.headers(limit);
            exchange = sent(
                    body,
                    headers,
                    limit,
                    new UpstreamExchange(isLast, readsNotFound, announces, reception),
                    own,
                    reception);
        }
        if (isRefused(exchange)) {
            throw new UpstreamFailure(Kind.CREDENTIAL, refusal(exchange, own));
        }
        if (exchange.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500
                || exchange.status() == HttpStatus.TOO_MANY_REQUESTS_429) {
            throw new UpstreamFailure(Kind.UNREACHABLE, "it answered %d".formatted(exchange.status()));
        }
        return new Head(exchange.status(), exchange.headers());
    }

    private static boolean isRefused(UpstreamExchange exchange) {
        return exchange.status() == HttpStatus.UNAUTHORIZED_401 || exchange.status() == HttpStatus.FORBIDDEN_403;
    }

    private UpstreamExchange sent(
            @Nullable ObjectNode body,
            Map<String, String> headers,
            Duration limit,
            UpstreamExchange exchange,
            Map<String, String> own,
            Reception reception)
            throws InterruptedException {
        var lastId = body == null ? reception.lastId() : null;
        try {
            var request = http.request(url)
                    .method(body == null ? HttpMethod.GET : HttpMethod.POST)
                    .headers(fields -> {
                        fields.put(HttpHeader.ACCEPT, body == null ? EVENTS : ACCEPT);
                        headers.forEach(fields::put);
                        own.forEach(fields::put);
                        if (lastId != null) {
                            fields.put(LAST_ID, lastId);
                        }
                    });
            if (body != null) {
                request.body(new BytesRequestContent("application/json", Json.bytes(body)));
            }
            exchange.run(request, limit);
        } catch (IOException e) {
            throw new UpstreamFailure(Kind.UNREACHABLE, String.valueOf(e.getMessage()));
        }
        return exchange;
    }

    private String refusal(UpstreamExchange exchange, Map<String, String> own) {
        var status = exchange.status();
        var wantsOAuth = exchange.headers().getValuesList(HttpHeader.WWW_AUTHENTICATE).stream()
                .anyMatch(challenge -> challenge.regionMatches(true, 0, "Bearer", 0, "Bearer".length()));
        if (!own.isEmpty()) {
            return "it refused the credential (%d)%s"
                    .formatted(
                            status,
                            wantsOAuth && !(credential instanceof OAuthCredential) ? ", and requires OAuth" : "");
        }
        return wantsOAuth
                ? "it requires OAuth (%d), and has no credential here: set one of the kind user_oauth, client_credentials, token_exchange or id_jag, or a token as header"
                        .formatted(status)
                : status == HttpStatus.UNAUTHORIZED_401
                        ? "it requires a credential (401), such as a token of OAuth, and has none here: set one"
                        : "it answered 403, and has no credential here: it may require one, or refuse the engine's address";
    }
}
