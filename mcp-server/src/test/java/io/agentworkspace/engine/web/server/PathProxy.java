package io.agentworkspace.engine.web.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.testing.HangLimit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy that serves an engine below the path {@code /engine}, and nothing else. It strips the path, or does not. */
final class PathProxy implements AutoCloseable {
    static final String PATH = "/engine";
    private static final Set<String> OWN =
            Set.of("connection", "content-length", "host", "transfer-encoding", "upgrade", "http2-settings");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final boolean strips;
    private volatile String target = "";

    PathProxy(boolean strips) throws IOException {
        this.strips = strips;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::pass);
        server.start();
    }

    void to(String engine) {
        target = engine;
    }

    String url() {
        return "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), PATH);
    }

    private void pass(HttpExchange exchange) throws IOException {
        var uri = exchange.getRequestURI().toString();
        var wellKnown = uri.startsWith("/.well-known/") && uri.contains(PATH);
        if (!wellKnown && !uri.equals(PATH) && !uri.startsWith(PATH + "/")) {
            exchange.sendResponseHeaders(418, -1); // Not the engine's.
            exchange.close();
            return;
        }
        var path = strips && !wellKnown ? uri.substring(PATH.length()) : uri;
        var request = HttpRequest.newBuilder(URI.create(target + (path.startsWith("/") ? path : "/" + path)))
                .timeout(HangLimit.TIME)
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        try {
            var answer = http.send(request.build(), BodyHandlers.ofInputStream());
            answer.headers().map().forEach((name, values) -> {
                if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            exchange.sendResponseHeaders(
                    answer.statusCode(), exchange.getRequestMethod().equals("HEAD") ? -1 : 0);
            try (var in = answer.body();
                    var out = exchange.getResponseBody()) {
                var buffer = new byte[8_192];
                for (var n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    out.write(buffer, 0, n);
                    out.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        http.shutdownNow();
    }
}
