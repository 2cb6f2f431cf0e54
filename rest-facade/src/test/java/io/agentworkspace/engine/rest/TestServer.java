package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.Handshake;
import io.agentworkspace.engine.model.mcp.HandshakeReports;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import tools.jackson.databind.JsonNode;

/** The facade on a real port, behind a gate that accepts the keys {@code member} and {@code viewer}. */
final class TestServer {
    static final Instant NOW = Instant.parse("2026-05-25T12:00:00Z");
    static final PublicAddresses PUBLISHED =
            new PublicAddresses("http://engine.test", "http://mcp.engine.test", "0.1.0");

    final TestRunner runner;
    final AtomicReference<DatabaseState> database = new AtomicReference<>(DatabaseState.REACHABLE);
    private final Server server = new Server(new VirtualThreadPool());
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();

    TestServer() throws Exception {
        var clock = Clock.fixed(NOW, ZoneOffset.UTC);
        runner = new TestRunner(new TestCatalogue().catalogue(), clock);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        HandshakeReports none = (caller, key) -> new Handshake.Latest(key, caller.userName(), List.of());
        server.setHandler(new Gate(RestFacade.handler(
                runner,
                (_, _) -> List.of(),
                PUBLISHED,
                database::get,
                new TestSignIn(),
                new TestJoining(),
                none,
                new NoFiles(),
                new NoAccounts(),
                clock)));
        server.start();
    }

    int port() {
        return connector.getLocalPort();
    }

    HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .header("X-Api-Key", "member")
                .header("X-Request-Id", "req-1");
    }

    HttpRequest.Builder anonymously(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .header("X-Request-Id", "req-1");
    }

    Got post(String path, String body) throws Exception {
        return post(path, BodyPublishers.ofString(body));
    }

    Got post(String path, BodyPublisher body) throws Exception {
        return send(to(path).header("Content-Type", "application/json").POST(body));
    }

    Got get(String path) throws Exception {
        return send(to(path));
    }

    Got send(HttpRequest.Builder request) throws Exception {
        return new Got(client.send(request.build(), BodyHandlers.ofString()));
    }

    void close() throws Exception {
        client.close();
        server.stop();
    }

    /** A response, with the accessors that tests use. */
    record Got(HttpResponse<String> response) {
        int status() {
            return response.statusCode();
        }

        JsonNode json() {
            return Json.readObject(response.body().getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }

        String at(String pointer) {
            return json().at(pointer).asString();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        String note() {
            return at("/status/note");
        }

        /** Returns status, code and symbolic name of an envelope. */
        String refusal() {
            return "%d %s %s".formatted(status(), at("/status/internal_code"), at("/status/error"));
        }

        /** Returns status and symbolic name of a problem document. */
        String problem() {
            return "%d %s".formatted(status(), at("/error"));
        }
    }

    private static final class Gate extends Handler.Wrapper {
        Gate(Handler behind) {
            super(behind);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            var id = request.getHeaders().get("X-Request-Id");
            var context = new RequestContext(id == null ? "req-0" : id);
            request.setAttribute(RequestContext.ATTRIBUTE, context);
            var key = request.getHeaders().get("X-Api-Key");
            if (key != null) {
                var role = key.equals("viewer") ? Role.VIEWER : Role.MEMBER;
                context.identify(new Caller(1, "default", 1, "maria", role, Set.of("*"), "key:" + key, null));
            }
            return super.handle(
                    request, response, request.getHeaders().contains("Expect") ? callback : reading(request, callback));
        }

        /** As the engine does, reads a body that no route asked for, so that the connection can be used again. */
        private static Callback reading(Request request, Callback callback) {
            return Callback.from(() -> Content.Source.consumeAll(request, callback), callback::failed);
        }
    }
}
