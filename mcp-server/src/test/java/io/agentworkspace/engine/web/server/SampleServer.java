package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.mcp.apps.WorkspaceApps;
import io.agentworkspace.engine.mcp.content.EngineContent;
import io.agentworkspace.engine.mcp.content.WelcomeQueries;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.rest.openapi.CommandsDocument;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.wire.Wire;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Handler;
import tools.jackson.databind.JsonNode;

/** The production server, gate and MCP endpoint on a loopback port, with sample tools. */
public final class SampleServer implements AutoCloseable {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static final URI PUBLIC = URI.create("https://engine.example");

    public final TestKeys keys;
    public final String key;
    private final DatabaseSignals signals = TestDatabase.signals();
    private final WebServer web;

    public SampleServer() {
        this(RequestRate.OFF, RequestRate.OFF);
    }

    public SampleServer(RequestRate callers, RequestRate strangers) {
        this(
                EngineContent.of(
                        new SampleTools(),
                        TestDatabase.library(),
                        (_, _) -> List.of(),
                        new WelcomeQueries(TestDatabase.db(), new Contexts(TestDatabase.db())),
                        _ -> List.of(),
                        new WorkspaceApps(List.of()),
                        "1",
                        Clock.systemUTC()),
                new TestKeys(),
                PUBLIC,
                callers,
                strangers);
    }

    /** Starts a server behind these proxies, with a rate limit for requests without a valid credential. */
    SampleServer(TrustedProxies proxies, RequestRate strangers) {
        this(
                EngineContent.of(
                        new SampleTools(),
                        TestDatabase.library(),
                        (_, _) -> List.of(),
                        new WelcomeQueries(TestDatabase.db(), new Contexts(TestDatabase.db())),
                        _ -> List.of(),
                        new WorkspaceApps(List.of()),
                        "1",
                        Clock.systemUTC()),
                new TestKeys(),
                PUBLIC,
                rules -> rules.behind(proxies),
                RequestRate.OFF,
                strangers);
    }

    /** Starts a server with this much memory. */
    SampleServer(Capacity capacity) {
        this(
                EngineContent.of(
                        new SampleTools(),
                        TestDatabase.library(),
                        (_, _) -> List.of(),
                        new WelcomeQueries(TestDatabase.db(), new Contexts(TestDatabase.db())),
                        _ -> List.of(),
                        new WorkspaceApps(List.of()),
                        "1",
                        Clock.systemUTC()),
                new TestKeys(),
                PUBLIC,
                rules -> rules.holding(capacity),
                RequestRate.OFF,
                RequestRate.OFF);
    }

    /** Starts the production endpoint with other features, and the memory limits of this heap size. */
    public SampleServer(ServedContent offer, long heap) {
        this(
                offer,
                new TestKeys(),
                PUBLIC,
                rules -> rules.holding(Capacity.of(heap)),
                RequestRate.OFF,
                RequestRate.OFF);
    }

    /** Starts the production endpoint with other features. */
    public SampleServer(ServedContent offer) {
        this(offer, new TestKeys());
    }

    /** Starts another replica with the same keys. */
    public SampleServer(ServedContent offer, TestKeys keys) {
        this(offer, keys, PUBLIC);
    }

    /** Starts a replica behind a proxy. */
    public SampleServer(ServedContent offer, TestKeys keys, URI address) {
        this(offer, keys, address, RequestRate.OFF, RequestRate.OFF);
    }

    /** Starts the production endpoint with other features, beside this one for REST. */
    public SampleServer(ServedContent offer, TestKeys keys, Handler rest) {
        this(offer, keys, PUBLIC, UnaryOperator.identity(), RequestRate.OFF, RequestRate.OFF, rest);
    }

    private SampleServer(ServedContent offer, TestKeys keys, URI address, RequestRate callers, RequestRate strangers) {
        this(offer, keys, address, UnaryOperator.identity(), callers, strangers);
    }

    private SampleServer(
            ServedContent offer,
            TestKeys keys,
            URI address,
            UnaryOperator<GateRules> more,
            RequestRate callers,
            RequestRate strangers) {
        this(offer, keys, address, more, callers, strangers, new SampleRest());
    }

    private SampleServer(
            ServedContent offer,
            TestKeys keys,
            URI address,
            UnaryOperator<GateRules> more,
            RequestRate callers,
            RequestRate strangers,
            Handler rest) {
        this.keys = keys;
        this.key = keys.add(Role.OWNER, "*");
        try {
            web = WebServer.bind("127.0.0.1", 0);
            var clock = Clock.systemUTC();
            var refusals = new RefusalWriter(clock);
            var rules = GateRules.of(
                    List.of(address, url("")),
                    List.of("alias.example"),
                    List.of("https://app.example"),
                    new CallerLimit(callers, clock),
                    strangers);
            var own = url("").toString();
            var pages = new PageEndpoint(new HubRoutes(
                    new NoTools(),
                    (_, _) -> List.of(),
                    () -> CommandsDocument.render(TestDatabase.catalogue()),
                    new PublicAddresses(own, own, "0")));
            var mcp = TestDatabase.mcp(offer, keys, signals, own);
            var doors = new Endpoints(
                    new Feature.Endpoint(mcp::serves, mcp), List.of(), pages, new Feature.Endpoint(_ -> true, rest));
            web.serve(new Wire(new Gate(more.apply(rules), keys, refusals, clock, doors)), refusals);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private record NoTools() implements ToolRunner {
        @Override
        public Catalogue catalogue() {
            return new Catalogue(List.of());
        }

        @Override
        public Answer run(Request request) {
            throw new IllegalStateException("there is no tool " + request.service());
        }
    }

    public int port() {
        return web.port();
    }

    public URI url(String path) {
        return URI.create("http://127.0.0.1:%d%s".formatted(web.port(), path));
    }

    @Override
    public void close() {
        web.close();
        signals.close();
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send(
                path,
                request -> headers.length == 0 ? request.GET() : request.GET().headers(headers));
    }

    /** Posts with the owner's key, in the form of the contract. */
    public HttpResponse<String> mcp(String body, String... headers) {
        return send("/mcp", request -> {
            request.POST(BodyPublishers.ofString(body))
                    .header("Content-Type", "application/json")
                    .header("X-API-Key", key);
            return headers.length == 0 ? request : request.headers(headers);
        });
    }

    public HttpResponse<String> send(String path, UnaryOperator<HttpRequest.Builder> request) {
        try {
            return CLIENT.send(request.apply(HttpRequest.newBuilder(url(path))).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends exactly these characters and reads until the server closes the connection. */
    public String raw(String request) {
        try (var socket = new Socket("127.0.0.1", web.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static JsonNode json(HttpResponse<String> response) {
        return Json.read(response.body().getBytes(StandardCharsets.UTF_8));
    }
}
