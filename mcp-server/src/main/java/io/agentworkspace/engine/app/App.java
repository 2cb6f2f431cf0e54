package io.agentworkspace.engine.app;

import io.agentworkspace.engine.agents.AgentPresence;
import io.agentworkspace.engine.agents.AgentStore;
import io.agentworkspace.engine.banks.BankStore;
import io.agentworkspace.engine.banks.TrashStore;
import io.agentworkspace.engine.banks.transfer.ImportRunner;
import io.agentworkspace.engine.changes.DatabaseSignals;
import io.agentworkspace.engine.chat.GuardStopStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Housekeeping;
import io.agentworkspace.engine.demo.Demo;
import io.agentworkspace.engine.demo.DemoEndpoint;
import io.agentworkspace.engine.documents.DocumentFileStore;
import io.agentworkspace.engine.documents.queue.QueueStore;
import io.agentworkspace.engine.documents.queue.ValidationQueue;
import io.agentworkspace.engine.events.EventLog;
import io.agentworkspace.engine.hearing.WaitQueries;
import io.agentworkspace.engine.hearing.WaitingCalls;
import io.agentworkspace.engine.hearing.WakeStore;
import io.agentworkspace.engine.hooks.HookEndpoint;
import io.agentworkspace.engine.hooks.Hooks;
import io.agentworkspace.engine.http.BelowPath;
import io.agentworkspace.engine.http.Endpoints;
import io.agentworkspace.engine.http.Gate;
import io.agentworkspace.engine.http.GateRules;
import io.agentworkspace.engine.http.ObservedRequests;
import io.agentworkspace.engine.http.PageEndpoint;
import io.agentworkspace.engine.http.PublicPath;
import io.agentworkspace.engine.http.RefusalWriter;
import io.agentworkspace.engine.http.TrustedProxies;
import io.agentworkspace.engine.http.WebServer;
import io.agentworkspace.engine.http.limits.CallerLimit;
import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.joining.InvitationStore;
import io.agentworkspace.engine.joining.Joiner;
import io.agentworkspace.engine.keys.SealKeys;
import io.agentworkspace.engine.keys.SealedCursors;
import io.agentworkspace.engine.keys.StateSigner;
import io.agentworkspace.engine.live.LiveEndpoint;
import io.agentworkspace.engine.live.LiveQueries;
import io.agentworkspace.engine.mcp.McpEndpoint;
import io.agentworkspace.engine.mcp.doctor.Doctor;
import io.agentworkspace.engine.mcp.doctor.HandshakeStore;
import io.agentworkspace.engine.mcp.features.EngineFeatures;
import io.agentworkspace.engine.mcp.features.HookTool;
import io.agentworkspace.engine.mcp.features.WelcomeQueries;
import io.agentworkspace.engine.memory.search.ToolIndex;
import io.agentworkspace.engine.metrics.HttpMeter;
import io.agentworkspace.engine.metrics.Metrics;
import io.agentworkspace.engine.metrics.MetricsEndpoint;
import io.agentworkspace.engine.metrics.MetricsEndpoint.MetricsText;
import io.agentworkspace.engine.metrics.MetricsServer;
import io.agentworkspace.engine.metrics.ToolMeter;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.oauth.ClientStore;
import io.agentworkspace.engine.oauth.Clients;
import io.agentworkspace.engine.oauth.Consent;
import io.agentworkspace.engine.oauth.GrantStore;
import io.agentworkspace.engine.oauth.OAuthEndpoint;
import io.agentworkspace.engine.oauth.TokenIssuer;
import io.agentworkspace.engine.reservations.ReservationStore;
import io.agentworkspace.engine.rest.RestFacade;
import io.agentworkspace.engine.rules.Rules;
import io.agentworkspace.engine.runtime.ObservedRunner;
import io.agentworkspace.engine.runtime.Runner;
import io.agentworkspace.engine.settings.InvalidSetting;
import io.agentworkspace.engine.settings.Settings;
import io.agentworkspace.engine.skilllibrary.Library;
import io.agentworkspace.engine.skilllibrary.SkillQueries;
import io.agentworkspace.engine.streams.ListeningTenants;
import io.agentworkspace.engine.streams.StreamLimits;
import io.agentworkspace.engine.tasks.TaskLeaseStore;
import io.agentworkspace.engine.tracing.Tracing;
import io.agentworkspace.engine.webhooks.sender.AddressPolicy;
import io.agentworkspace.engine.webhooks.sender.VettedClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
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

    private static final StreamLimits.Share STREAMS = new StreamLimits.Share(2_500, 3_000, 4_000, 8_000);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

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
        return start(settings, Clock.systemUTC(), UnaryOperator.identity());
    }

    /** @param around wraps the gate in a handler that sees all traffic */
    public static App start(Settings settings, Clock clock, UnaryOperator<Handler> around) {
        return new App(settings, clock, around);
    }

    private App(Settings settings, Clock clock, UnaryOperator<Handler> around) {
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
            var vault = database.vault();

            // What the engine counts about itself.
            var observability = settings.observability();
            var metrics = new Metrics();
            var http = new HttpMeter(metrics);
            var figures = new EngineMetrics(metrics).database(db).connections(server);
            var tracing = tracing();

            // Callers: keys, sessions and tokens.
            var callers = CallerAssembly.of(settings, published, db, watch, vault, clock, this::keep, housekeeping);
            firstKey = callers.firstKey();
            var keys = callers.keys();
            var audit = callers.audit();
            callers.count(figures);

            var webhooks = WebhookAssembly.of(settings, database, clock, this::keep, housekeeping, figures);
            var events = webhooks.events();

            var limits = LimitAssembly.of(settings, db, watch, events, clock, housekeeping);

            var search = SearchAssembly.of(settings, db, clock, this::keep, housekeeping, figures);

            // Tools.
            var files = new DocumentFileStore(db, clock);
            var presence = new AgentPresence(db);
            var wakes = new WakeStore(db, clock);
            var waiting = new WaitingCalls(
                    new WaitQueries(db), new ListeningTenants(db, clock), wakes, server.mostConnections() / 4, clock);
            housekeeping.clearing("registrations of who hears", wakes::purge);
            var leases = new TaskLeaseStore(db, clock, events);
            var reservations = new ReservationStore(db);
            var tasksKept = Duration.ofDays(settings.retention().tasksDays());
            housekeeping
                    .whileOpen(SECOND, "freeing tasks", leases::free)
                    .whileOpen(SECOND, "ending reservations", () -> reservations.end(clock))
                    .clearing("finished tasks", now -> leases.purge(now.minus(tasksKept)));
            var upstreamHttp = keep(new VettedClient(
                    AddressPolicy.allowing(settings.upstreams().allowed()),
                    settings.webhooks().authorities()));
            var upstreams = Tools.Upstreams.of(db, vault, upstreamHttp, callers.assertions()::issue, watch, clock);
            housekeeping.every(SECOND, "writing the health of upstream servers", upstreams.calls()::flush);
            var rules = new Rules(db, watch);
            var shared = new Tools.Shared(
                    search.searcher(), search.vectors(), files, waiting, clock, published.baseUrl(), rules, upstreams);
            var catalogue = Tools.catalogue(db, limits.calls(), webhooks.receivers(), shared);
            var sealKeys = new SealKeys(db, clock);
            var observed = new ObservedRunner(
                    new Runner(
                            catalogue,
                            db,
                            clock,
                            presence,
                            keys.use(),
                            audit,
                            events,
                            limits.calls(),
                            rules,
                            new SealedCursors(new StateSigner(sealKeys)),
                            search.heavy()),
                    new ToolMeter(
                            metrics, catalogue.tools().stream().map(Tool::name).toList()));
            var runner = new ImportRunner(observed, clock);
            housekeeping
                    .every(Duration.ofSeconds(5), "writing presence", presence::flush)
                    .every(SECOND, "writing counts of rules", rules::flush)
                    .clearing("trash", new TrashStore(db, new BankStore(db))::purge)
                    .clearing("revisions of agents", new AgentStore(db)::purge);

            // Documents.
            validation(new QueueStore(db, events, audit), files, rules, events);

            // Endpoints.
            var handshakes = new HandshakeStore(db);
            var doctor = new Doctor(handshakes, published.mcpUrl(), clock);
            var library = new Library(new SkillQueries(db));
            var toolIndex = new ToolIndex(search.embedder(), search.heavy());
            var hooks = new Hooks(db, runner, presence, settings.http().hooks(), clock);
            var features = EngineFeatures.of(
                            runner,
                            library,
                            toolIndex,
                            new WelcomeQueries(db),
                            upstreams.installed()::contents,
                            VERSION,
                            clock)
                    .with(new HookTool(hooks));
            var signals = keep(new DatabaseSignals(db));
            var shares = STREAMS.within(server.mostConnections());
            var streams = new StreamLimits(shares, Runtime.getRuntime().maxMemory(), PATIENCE);
            figures.streams(streams);
            var mcp = new McpEndpoint(
                    features,
                    db,
                    callers.resolver(),
                    signals,
                    handshakes,
                    streams,
                    published.mcpUrl(),
                    sealKeys,
                    clock);
            var news = new LiveQueries(db, clock);
            var live = new LiveEndpoint(catalogue, news, new ListeningTenants(db, clock), streams, clock);
            signals.onSignal(live.listener());
            var hookRoutes = new HookEndpoint(hooks, new ListeningTenants(db, clock), streams, wakes);
            signals.onSignal(hookRoutes.listener());
            signals.onSignal(waiting);
            waiting.start();
            mcp.register(housekeeping);
            housekeeping
                    .every(SECOND, "writing handshakes", handshakes::flush)
                    .clearing("handshakes", handshakes::purge)
                    .clearing("live events", news::purge)
                    .clearing("sessions of hooks", hooks::purge);
            var demo = keep(new Demo(runner, db, vault, URI.create(listening(server.port()) + "/mcp"), clock));
            var invitations = new InvitationStore(db);
            housekeeping
                    .clearing("invitations", invitations::purge)
                    .clearing("stops of the loop guard", new GuardStopStore(db)::purge);
            var joiner = new Joiner(db, invitations, keys, runner, events, published, clock);
            var rest = RestFacade.handler(
                    runner, toolIndex, published, db::state, callers.signIn(), joiner, doctor::latest, files, clock);
            var pages = new PageEndpoint(new HubRoutes(runner, toolIndex::findByWords, published), publicPath());
            var refusals = new RefusalWriter(clock, pages, mcp::refused);
            housekeeping.every(SECOND, "writing repeated requests", refusals::flushLog);
            var gateRules = rules(limits.callers())
                    .within(limits.quotas()::commands)
                    .reading(catalogue.tools())
                    .serving(path -> Endpoints.serve(path, mcp::serves, rest::serves));
            var text = new MetricsText(metrics);
            var own = new LinkedHashMap<String, Handler>();
            own.put(Endpoints.STREAM, live);
            own.put(Endpoints.HOOKS, hookRoutes);
            own.put(Endpoints.DEMO, new DemoEndpoint(demo));
            own.put(Endpoints.METRICS, new MetricsEndpoint(text, observability.metricsToken()));
            authorizationServer(callers, db, upstreamHttp, runner, events, pages)
                    .ifPresent(server -> own.put(Endpoints.OAUTH, server));
            var gate = new Gate(gateRules, callers.resolver(), refusals, clock, new Endpoints(mcp, own, pages, rest));

            if (observability.metricsToken() != null || observability.metricsListen() != null) {
                figures.depth(webhooks.outbox(), housekeeping, clock);
            }
            db.fill();
            keep(housekeeping).start(QUIET);
            metricsServer = metricsServer(text);
            keep(server)
                    .serve(
                            around.apply(new BelowPath(publicPath(), new ObservedRequests(gate, http, tracing))),
                            refusals); // Closed early, while the database is available.
            keep(waiting); // Closed before the server, which waits for the calls that it serves.
            opened.push(server::drain); // First, so that calls go on waiting meanwhile.
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Assembles the validation of documents, which starts before the endpoints open and is closed after them. */
    private void validation(QueueStore store, DocumentFileStore files, Rules rules, EventLog events) {
        var limits = settings.documents();
        var queue = keep(new ValidationQueue(store, files, rules.documents(), limits.longest(), clock));
        events.onCommitted(queue::wake);
        var kept = Duration.ofDays(limits.rejectedDays());
        housekeeping
                .clearing("files", files::purge)
                .clearing("rejected documents", now -> store.purge(now.minus(kept)));
        queue.start();
    }

    /** Returns the authorization server, unless another one issues the tokens for the MCP endpoint. */
    private Optional<Handler> authorizationServer(
            CallerAssembly callers, Db db, VettedClient http, ToolRunner runner, EventLog events, Handler pages) {
        var resource = callers.resource();
        if (resource == null || !resource.isBuiltin()) {
            return Optional.empty();
        }
        var store = new ClientStore(db);
        var grants = new GrantStore(db);
        housekeeping.clearing("clients of OAuth", store::purge).clearing("grants of OAuth", grants::purge);
        var clients = new Clients(store, http, clock);
        var consent = new Consent(db, runner, grants, store, events, clock);
        var tokens = new TokenIssuer(db, grants, clients, callers.keys(), resource, clock);
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
