package io.agentworkspace.engine.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Sends many thousands of POST requests. It uses Jetty's client: on a busy machine, the JDK's client loses about
 * one response in many thousands, if it takes a connection from its pool while the connection is being returned
 * ("Data received while in pool").
 */
public final class LoadClient {
    /**
     * How long an unused connection stays open. The server closes it after 75 seconds: then a request that takes it from the pool just
     * then would get no response.
     */
    private static final Duration LESS_THAN_THE_SERVERS = Duration.ofSeconds(10);

    private static final int MOST_BYTES = 64 << 20;
    private static final HttpClient CLIENT = start();

    private LoadClient() {}

    private static HttpClient start() {
        var client = new HttpClient();
        client.setConnectTimeout(HangLimit.TIME.toMillis());
        client.setIdleTimeout(LESS_THAN_THE_SERVERS.toMillis());
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "engine-tests"));
        client.setMaxConnectionsPerDestination(1_024);
        try {
            client.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        client.getContentDecoderFactories().clear();
        client.getProtocolHandlers().clear(); // Refusals and redirects are returned unchanged.
        return client;
    }

    public static HttpResponse<byte[]> post(String url, Map<String, String> headers, byte[] body) {
        var request = CLIENT.POST(url)
                .timeout(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS)
                .idleTimeout(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS)
                .body(new BytesRequestContent((String) null, body));
        request.headers(fields -> headers.forEach(fields::put));
        try {
            var answer = new CompletableResponseListener(request, MOST_BYTES).send();
            return new Answer(URI.create(url), answer.get());
        } catch (ExecutionException e) {
            throw new UncheckedIOException(new IOException(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private record Answer(URI uri, ContentResponse answer) implements HttpResponse<byte[]> {
        @Override
        public int statusCode() {
            return answer.getStatus();
        }

        @Override
        public HttpHeaders headers() {
            var fields = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
            for (HttpField field : answer.getHeaders()) {
                fields.put(field.getName(), answer.getHeaders().getValuesList(field.getName()));
            }
            return HttpHeaders.of(fields, (_, _) -> true);
        }

        @Override
        public byte[] body() {
            return answer.getContent();
        }

        @Override
        public HttpRequest request() {
            return HttpRequest.newBuilder(uri).build();
        }

        @Override
        public Optional<HttpResponse<byte[]>> previousResponse() {
            return Optional.empty();
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return Optional.empty();
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }
    }
}
