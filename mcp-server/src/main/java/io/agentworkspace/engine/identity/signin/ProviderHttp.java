package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends requests to providers. A response must be one JSON object, arrive in time, be of limited size, and not be a redirect.
 */
final class ProviderHttp implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final int LARGEST = 256 * 1024;

    /** Created at the first sign-in with a provider, since most installations have none. */
    private @Nullable HttpClient client;

    /** A provider's response was wrong or missing. The message is for the log and contains no secrets. */
    static final class Failed extends Exception {
        Failed(String message) {
            super(message);
        }
    }

    record ProviderResponse(int status, ObjectNode body) {}

    /** @param authorization the header's value, or empty */
    ObjectNode get(URI address, String authorization) throws Failed {
        var answer = send(request(address, authorization).GET().build());
        if (answer.status() != 200) {
            throw new Failed("status %d from %s".formatted(answer.status(), address));
        }
        return answer.body();
    }

    ProviderResponse post(URI address, String authorization, Map<String, String> form) throws Failed {
        return send(request(address, authorization)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(encoded(form)))
                .build());
    }

    static String encoded(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + encoded(entry.getValue()))
                .collect(Collectors.joining("&"));
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static HttpRequest.Builder request(URI address, String authorization) {
        var request = HttpRequest.newBuilder(address).header("Accept", "application/json");
        return authorization.isEmpty() ? request : request.header("Authorization", authorization);
    }

    private synchronized HttpClient client() {
        if (client == null) {
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(CONNECT)
                    .executor(Executors.newVirtualThreadPerTaskExecutor())
                    .build();
        }
        return client;
    }

    private ProviderResponse send(HttpRequest request) throws Failed {
        var sent = client().sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST));
        try {
            var response = sent.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
            return new ProviderResponse(response.statusCode(), Json.readObject(response.body()));
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new Failed("no answer within %s from %s".formatted(ANSWER, request.uri()));
        } catch (ExecutionException e) {
            var kind = e.getCause() instanceof IOException
                    ? e.getCause().getClass().getSimpleName()
                    : "failure";
            throw new Failed("%s at %s".formatted(kind, request.uri()));
        } catch (Problem e) {
            throw new Failed("no JSON object from %s".formatted(request.uri()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted at %s".formatted(request.uri()));
        }
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.shutdownNow();
        }
    }
}
