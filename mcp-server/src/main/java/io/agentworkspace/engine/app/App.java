package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.oauth.AccessGrantStore;
import io.agentworkspace.engine.identity.oauth.AssertionGrant;
import io.agentworkspace.engine.identity.oauth.ClientStore;
import io.agentworkspace.engine.identity.oauth.Clients;
import io.agentworkspace.engine.identity.oauth.Consent;
import io.agentworkspace.engine.identity.oauth.OAuthEndpoint;
import io.agentworkspace.engine.identity.oauth.TokenIssuer;
import io.agentworkspace.engine.kernel.db.DatabaseClock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.http.PublicPath;
import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.kernel.metrics.HttpMeter;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint.MetricsText;
import io.agentworkspace.engine.kernel.metrics.MetricsServer;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.tracing.Tracing;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.web.server.BelowPath;
import io.agentworkspace.engine.web.server.CallerLimit;
import io.agentworkspace.engine.web.server.Endpoints;
import io.agentworkspace.engine.web.server.Gate;
import io.agentworkspace.engine.web.server.GateRules;
import io.agentworkspace.engine.web.server.ObservedRequests;
import io.agentworkspace.engine.web.server.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Handler;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The engine, assembled by hand: database, callers, tools, endpoints, server. It closes them in reverse order. */
public final class App implements AutoCloseable {
    static final String VERSION = "0.1.0";

    private static final Duration QUIET = Duration.ofMinutes(1);

    private final Settings settings;
    private final Clock clock;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final WebServer server;
    private final PublicAddresses published;
    private final Housekeeping housekeeping;
    private final Optional<FirstKey> firstKey;
    private final @Nullable MetricsServer metricsServer;

    /**
     * Starts the engine, and returns when it is ready to serve. If this fails, everything that was opened is closed.
     */
    static App start(Settings settings) {
        return start(settings, new DatabaseClock(Clock.systemUTC()), UnaryOperator.identity());
    }

    /**
     * @param clock a {@link DatabaseClock} follows the database's; any other one is used as it is
     * @param around wraps the gate in a handler that sees all traffic
     */
    public static App start(Settings settings, Clock clock, UnaryOperator<Handler> around) {
        return start(settings, clock, around, AddressPolicy.PUBLIC);
    }

    /** @param documents where the documents about OAuth clients may be; no setting changes that */
    public static App start(Settings settings, Clock clock, UnaryOperator<Handler> around, AddressPolicy documents) {
        return new App(settings, clock, around, documents);
    }

    private App(Settings settings, Clock clock, UnaryOperator<Handler> around, AddressPolicy documents) {
        this.settings = settings;
        this.clock = clock;
        try {
            server = keep(bind()); // First, so that a port in use is reported at once.
            published = published(server.port());
            server.open(clock, VERSION, settings.http().drain());
            housekeeping = new Housekeeping(clock);

            var database = DatabaseAssembly.of(settings, server, clock, this::keep, housekeeping);
            var db = database.db();
            var watch = database.watch();
            var metrics = new Metrics();
            var http = new HttpMeter(metrics);
            var figures = new EngineMetrics(metrics).database(db).connections(server);
            var tracing = tracing();
            var callers = CallerAssembly.of(
                    settings, published, db, watch, database.vault(), clock, this::keep, housekeeping);
            callers.count(figures);
            firstKey = callers.firstKey();
            var webhooks = WebhookAssembly.of(settings, database, clock, this::keep, housekeeping, figures);
            var limits = LimitAssembly.of(settings, db, watch, webhooks.events(), clock, housekeeping);
            var search = SearchAssembly.of(settings, db, clock, this::keep, housekeeping, figures);
            var process =
                    new EngineParts.Process(settings, clock, server, published, metrics, housekeeping, this::keep);
            var parts = new EngineParts(process, database, callers, webhooks, limits, search);

            var tools = ToolAssembly.of(parts);
            var text = new MetricsText(metrics);
            var endpoints = EndpointAssembly.of(parts, tools, figures, text, URI.create(listening(server.port())));
            var documentHttp = new VettedClient(documents, settings.webhooks().authorities());
            authorizationServer(callers, db, keep(documentHttp), tools.runner(), webhooks.events(), endpoints.pages())
                    .ifPresent(handler -> endpoints.own().put(Endpoints.OAUTH, handler));
            var gate = gate(parts, tools.catalogue(), endpoints);

            var observability = settings.observability();
            if (observability.metricsToken() != null || observability.metricsListen() != null) {
                figures.depth(webhooks.outbox(), housekeeping, clock);
            }
            db.fill();
            keep(housekeeping).start(QUIET);
            metricsServer = metricsServer(text);
            var handler = new BelowPath(publicPath(), new ObservedRequests(gate, http, tracing));
            keep(server)
                    .serve(around.apply(handler), endpoints.refusals()); // Closed early, while the database is there.
            keep(tools.waiting()); // Closed before the server, which waits for the calls that it serves.
            opened.push(server::drain); // First, so that calls go on waiting meanwhile.
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Gate gate(EngineParts parts, Catalogue catalogue, EndpointAssembly endpoints) {
        var mcp = endpoints.mcp();
        var rest = endpoints.rest();
        var rules = rules(parts.limits().callers())
                .within(parts.limits().quotas()::commands)
                .reading(catalogue.tools())
                .serving(path -> Endpoints.serve(path, mcp::serves, rest::serves));
        var handlers = new Endpoints(mcp, endpoints.own(), endpoints.pages(), rest);
        return new Gate(rules, parts.callers().resolver(), endpoints.refusals(), clock, handlers);
    }

    /** Returns the authorization server, unless another one issues the tokens for the MCP endpoint. */
    private Optional<Handler> authorizationServer(
            CallerAssembly callers, Db db, VettedClient http, ToolRunner runner, EventLog events, Handler pages) {
        var resource = callers.resource();
        var identities = callers.identities();
        if (resource == null || identities == null || !resource.isBuiltin()) {
            return Optional.empty();
        }
        var store = new ClientStore(db);
        var grants = new AccessGrantStore(db);
        housekeeping.clearing("clients of OAuth", store::purge).clearing("grants of OAuth", grants::purge);
        var clients = new Clients(store, http, clock);
        var consent = new Consent(db, runner, grants, store, events, clock);
        var assertions = new AssertionGrant(db, runner, grants, identities, events);
        var tokens = new TokenIssuer(db, grants, assertions, clients, callers.keys(), resource, clock);
        return Optional.of(new OAuthEndpoint(resource, clients, consent, tokens, clock, pages));
    }

    private @Nullable Tracing tracing() {
        var tracing = settings.observability().tracing();
        if (tracing.isEmpty()) {
            return null;
        }
        try {
            return keep(Tracing.start(tracing, VERSION));
        } catch (IllegalArgumentException e) {
            throw new InvalidSetting("a variable of OpenTelemetry is invalid: " + e.getMessage());
        }
    }

    private @Nullable MetricsServer metricsServer(MetricsText text) {
        var listen = settings.observability().metricsListen();
        return listen == null ? null : keep(MetricsServer.start(listen.host(), listen.port(), text));
    }

    private GateRules rules(CallerLimit callerLimit) {
        return GateRules.of(
                        List.of(URI.create(published.baseUrl()), URI.create(published.mcpUrl())),
                        settings.http().allowedHosts(),
                        settings.http().allowedOrigins(),
                        callerLimit,
                        LimitAssembly.rate(settings.http().strangerLimit()))
                .behind(proxies());
    }

    private TrustedProxies proxies() {
        return new TrustedProxies(settings.http().trustedProxies());
    }

    private PublicPath publicPath() {
        return PublicPath.of(published.baseUrl(), published.mcpUrl());
    }

    private WebServer bind() {
        try {
            return WebServer.bind(settings.http().host(), settings.http().port(), proxies());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the public addresses: those in the settings, else the listening address. */
    private PublicAddresses published(int port) {
        var base = settings.http().baseUrl() == null
                ? listening(port)
                : settings.http().baseUrl();
        return new PublicAddresses(
                base, settings.http().mcpUrl() == null ? base : settings.http().mcpUrl(), VERSION);
    }

    private String listening(int port) {
        return "http://%s:%d".formatted(reachableHost(settings.http().host()), port);
    }

    private static String reachableHost(String host) {
        return switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]" -> "[::1]";
            default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        };
    }

    /** Returns the published public address. */
    public String baseUrl() {
        return published.baseUrl();
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return server.port();
    }

    /** Returns the port that serves metrics without a credential, if there is one. */
    public OptionalInt metricsPort() {
        return metricsServer == null ? OptionalInt.empty() : OptionalInt.of(metricsServer.port());
    }

    /** Returns the key that this start created, if it was the first on a fresh database. */
    public Optional<FirstKey> firstKey() {
        return firstKey;
    }

    /** Deletes expired data now rather than with the next scheduled run. */
    public void clear() {
        housekeeping.clear();
    }

    private <T extends AutoCloseable> T keep(T part) {
        opened.push(part);
        return part;
    }

    /** Stops accepting requests, completes those in progress, then stops the database. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LoggerFactory.getLogger(App.class).warn("a part of the engine could not be closed", e);
            }
        }
    }
}
