package io.agentworkspace.engine.app;

import io.agentworkspace.engine.account.CallLimits;
import io.agentworkspace.engine.account.PlanLimits;
import io.agentworkspace.engine.account.Quotas;
import io.agentworkspace.engine.account.RateStore;
import io.agentworkspace.engine.agents.AgentPresence;
import io.agentworkspace.engine.audit.AuditStore;
import io.agentworkspace.engine.banks.BankStore;
import io.agentworkspace.engine.banks.TrashStore;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.credentials.ProtectedResource;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Housekeeping;
import io.agentworkspace.engine.db.Migrations;
import io.agentworkspace.engine.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.events.EventLog;
import io.agentworkspace.engine.http.Endpoints;
import io.agentworkspace.engine.http.Gate;
import io.agentworkspace.engine.http.GateRules;
import io.agentworkspace.engine.http.PageEndpoint;
import io.agentworkspace.engine.http.RefusalRenderer;
import io.agentworkspace.engine.http.TrustedProxies;
import io.agentworkspace.engine.http.WebServer;
import io.agentworkspace.engine.http.limits.RequestRate;
import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.keys.KeyStore;
import io.agentworkspace.engine.keys.SealKeys;
import io.agentworkspace.engine.mcp.HandshakeRecorder;
import io.agentworkspace.engine.mcp.McpEndpoint;
import io.agentworkspace.engine.mcp.doctor.Doctor;
import io.agentworkspace.engine.mcp.doctor.HandshakeStore;
import io.agentworkspace.engine.mcp.features.EngineFeatures;
import io.agentworkspace.engine.mcp.lanes.SessionStore;
import io.agentworkspace.engine.mcp.streams.ListeningTenants;
import io.agentworkspace.engine.mcp.streams.StreamLimits;
import io.agentworkspace.engine.mcp.tasks.TaskStore;
import io.agentworkspace.engine.model.tool.PublicAddresses;
import io.agentworkspace.engine.rest.RestFacade;
import io.agentworkspace.engine.rest.SignIn;
import io.agentworkspace.engine.runtime.IdempotencyStore;
import io.agentworkspace.engine.runtime.Runner;
import io.agentworkspace.engine.secrets.Vault;
import io.agentworkspace.engine.settings.RateLimit;
import io.agentworkspace.engine.settings.Settings;
import io.agentworkspace.engine.signin.AccessTokens;
import io.agentworkspace.engine.signin.BrowserSessions;
import io.agentworkspace.engine.signin.CredentialResolver;
import io.agentworkspace.engine.signin.IssuedTokens;
import io.agentworkspace.engine.signin.ProviderHttp;
import io.agentworkspace.engine.signin.SessionEndpoint;
import io.agentworkspace.engine.signin.SignInEndpoint;
import io.agentworkspace.engine.signin.SignInStore;
import io.agentworkspace.engine.signin.SigningKeyStore;
import io.agentworkspace.engine.signin.TokenGrantStore;
import io.agentworkspace.engine.skilllibrary.Library;
import io.agentworkspace.engine.skilllibrary.SkillQueries;
import io.agentworkspace.engine.webhooks.ReceiverAccess;
import io.agentworkspace.engine.webhooks.outbox.FeedStore;
import io.agentworkspace.engine.webhooks.outbox.Outbox;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore;
import io.agentworkspace.engine.webhooks.sender.EndpointProbes;
import io.agentworkspace.engine.webhooks.sender.Sender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Handler;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The engine, assembled by hand: database, callers, tools, endpoints, server. Closes them in the reverse order. */
public final class App implements AutoCloseable {
    static final String VERSION = "0.1.0";

    private static final StreamLimits.Share STREAMS = new StreamLimits.Share(2_500, 3_000, 4_000, 8_000);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Settings settings;
    private final Clock clock;
    private final UnaryOperator<Handler> around;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable String baseUrl;
    private @Nullable Housekeeping housekeeping;
    private int port;

    /** Created last; the tools in front of it use it. */
    private volatile @Nullable Gate gate;

    private Optional<FirstKey> firstKey = Optional.empty();

    private App(Settings settings, Clock clock, UnaryOperator<Handler> around) {
        this.settings = settings;
        this.clock = clock;
        this.around = around;
    }

    /** Returns when it is ready to serve. On a failure it closes what it has opened. */
    static App start(Settings settings) {
        return start(settings, Clock.systemUTC(), UnaryOperator.identity());
    }

    /** @param around adds a handler in front of the gate that sees all traffic */
    public static App start(Settings settings, Clock clock, UnaryOperator<Handler> around) {
        var app = new App(settings, clock, around);
        try {
            app.open();
            return app;
        } catch (RuntimeException | Error e) {
            app.close();
            throw e;
        }
    }

    private void open() {
        var server = bind();
        port = server.port();
        var published = published(port);
        baseUrl = published.baseUrl();
        var source = source();
        var db = keep(source.open(settings.database().poolSize()));
        Migrations.run(db);
        PlanLimits.publish(db);
        var vault =
                new Vault(db, settings.secrets().masterKeys(settings.database().dataDir()));
        vault.check();
        var watch = keep(source.watch());
        var keys = new KeyStore(db, clock, watch);
        firstKey = new FirstStart(db, keys, clock)
                .run(
                        settings,
                        settings.database().url() == null ? settings.database().dataDir() : null);
        var sessions = new BrowserSessions(db, keys, watch, clock);
        var signingKeys = new SigningKeyStore(db, vault, clock);
        var tokens = tokens(signingKeys, published);
        var events = new EventLog();
        var sender = keep(new Sender(
                settings.webhooks().allowPrivate(), settings.webhooks().authorities(), clock));
        var outbox = outbox(db, vault, events, sender);
        var audit = keep(new AuditStore(db, Duration.ofDays(settings.retention().auditDays())));
        var signIns = new SignInStore(db, audit);
        var grants = new TokenGrantStore(db, watch);
        var http = keep(new ProviderHttp());
        var issued = issued(http, signIns, grants, published);
        var presence = new AgentPresence(db);
        var quotas = new Quotas(db, watch, events, clock);
        var rates = new RateStore(db);
        var trash = new TrashStore(db, new BankStore(db));
        var handshakes = new HandshakeStore(db);
        var replica = new McpEndpoint.Replica(
                new CredentialResolver(keys, sessions, tokens, issued),
                new SealKeys(db, clock),
                new SessionStore(db),
                new TaskStore(db),
                keep(source.signals()),
                new ListeningTenants(db, clock),
                new HandshakeRecorder(handshakes, clock),
                new StreamLimits(STREAMS, PATIENCE),
                clock);
        housekeeping = keep(new Housekeeping(clock));
        housekeeping
                .every(SECOND, "counts", quotas::flush)
                .every(SECOND, "rates", () -> settle(rates))
                .every(SECOND, "use of keys", keys.use()::flush)
                .every(SECOND, "audit", () -> audit.flush(clock.instant()))
                .every(SECOND, "handshakes", handshakes::flush)
                .every(Duration.ofSeconds(5), "presence", presence::flush)
                .every(Duration.ofMinutes(1), "sessions", sessions::flush)
                .clearing("use of keys", keys.use()::purge)
                .clearing("audit", audit::purge)
                .clearing("counts", quotas::purge)
                .clearing("rates", rates::purge)
                .clearing("trash", trash::purge)
                .clearing("sessions", sessions::purge)
                .clearing("sign-ins", signIns::purge)
                .clearing("grants of tokens", grants::purge)
                .clearing("handshakes", handshakes::purge)
                .clearing("signing keys", signingKeys::purge)
                .clearing(
                        "events",
                        now -> outbox.purge(
                                now.minus(Duration.ofDays(settings.retention().eventsDays()))))
                .clearing("keys of seals", replica.keys()::purge)
                .clearing("MCP sessions", replica.sessions()::purge)
                .clearing("interest", replica.interest()::purge)
                .clearing("idempotency keys", new IdempotencyStore(db)::purge)
                .clearing("tasks", replica.tasks()::purge)
                .clearing("contexts", new ContextStore(db)::purge);
        housekeeping.start(QUIET);
        var metering = new CallLimits(quotas, caller -> gate == null ? List.of() : gate.left(caller));
        var around = new Runner.Surroundings(clock, presence, keys.use(), audit, events, metering);
        var desk = new SessionEndpoint(sessions, tokens, providers(http, signIns, published), audit, clock);
        var looks = keep(new EndpointProbes(
                settings.webhooks().allowPrivate(), settings.webhooks().authorities(), clock));
        var outbound = new ReceiverAccess(vault, looks, settings.webhooks().allowPrivate());
        serve(
                server,
                published,
                new Parts(db, around, replica, desk, outbound, new Doctor(handshakes, published.mcpUrl(), clock)));
    }

    /** Started before the endpoints open, and closed after them. */
    private OutboxStore outbox(Db db, Vault vault, EventLog events, Sender sender) {
        var store = new OutboxStore(db, vault, events);
        var outbox = keep(
                new Outbox(new FeedStore(db), store, sender, settings.webhooks().schedule(), clock));
        events.onCommitted(outbox::wake);
        outbox.start();
        return store;
    }

    private AccessTokens tokens(SigningKeyStore keys, PublicAddresses published) {
        var audience = List.of(published.baseUrl(), published.mcpUrl());
        return new AccessTokens(keys, published.baseUrl(), audience, clock);
    }

    private @Nullable IssuedTokens issued(
            ProviderHttp http, SignInStore signIns, TokenGrantStore grants, PublicAddresses published) {
        var provider = settings.signIn().mcpProvider();
        if (provider == null) {
            return null;
        }
        var resource = new ProtectedResource(published.mcpUrl(), provider.issuer(), published.baseUrl());
        var issuer = SignInEndpoint.issuers(List.of(provider), http, clock).getFirst();
        return new IssuedTokens(resource, issuer, signIns, grants, clock);
    }

    private SignInEndpoint providers(ProviderHttp http, SignInStore signIns, PublicAddresses published) {
        var issuers = SignInEndpoint.issuers(settings.signIn().providers(), http, clock);
        var surfaces = Set.copyOf(settings.signIn().surfaces());
        return new SignInEndpoint(issuers, surfaces, published.baseUrl(), signIns, clock);
    }

    private record Parts(
            Db db,
            Runner.Surroundings around,
            McpEndpoint.Replica replica,
            SignIn signIn,
            ReceiverAccess outbound,
            Doctor doctor) {}

    private void serve(WebServer server, PublicAddresses published, Parts parts) {
        var runner = Tools.runner(parts.db(), parts.around(), parts.outbound());
        var library = new Library(new SkillQueries(parts.db()));
        var mcp = new McpEndpoint(
                EngineFeatures.of(runner, library, VERSION, clock), parts.replica(), published.mcpUrl());
        var rest =
                RestFacade.handler(runner, published, parts.db()::state, parts.signIn(), parts.doctor()::latest, clock);
        var pages = new PageEndpoint(new HubRoutes(runner, published));
        var doors = new Endpoints(mcp, pages, rest);
        var refusals = new RefusalRenderer(clock, pages, parts.replica().handshakes()::refused);
        keep(server); // Opened first, so that a taken port is reported at once; closed first, while the database is
        // available.
        try {
            var quotas = parts.around().metering().quotas();
            gate = new Gate(
                    rules(published)
                            .within(quotas::commands)
                            .reading(runner.catalogue().tools())
                            .serving(path -> Endpoints.serve(path, rest::serves)),
                    parts.replica().callers(),
                    refusals,
                    clock,
                    doors);
            server.serve(around.apply(gate), refusals);
        } catch (Exception e) {
            throw new IllegalStateException("the server cannot start", e);
        }
    }

    private void settle(RateStore rates) {
        var open = gate;
        if (open != null) {
            open.settle(rates);
        }
    }

    private GateRules rules(PublicAddresses published) {
        return GateRules.of(
                        List.of(URI.create(published.baseUrl()), URI.create(published.mcpUrl())),
                        settings.http().allowedHosts(),
                        settings.http().allowedOrigins(),
                        rate(settings.http().rateLimit()),
                        rate(settings.http().strangerLimit()))
                .behind(new TrustedProxies(settings.http().trustedProxies()));
    }

    private static RequestRate rate(RateLimit limit) {
        return limit.isOff() ? RequestRate.OFF : new RequestRate(limit.permitsPerSecond(), limit.burst());
    }

    private DatabaseSource source() {
        return settings.database().url() != null
                ? new DatabaseSource(settings.database().url(), null, null)
                : DatabaseSource.of(
                        keep(EmbeddedPostgres.start(settings.database().dataDir()))
                                .access());
    }

    private WebServer bind() {
        try {
            return WebServer.bind(settings.http().host(), settings.http().port());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The public addresses: those in the settings, else the listening address. */
    private PublicAddresses published(int port) {
        var listening = "http://%s:%d".formatted(reachableHost(settings.http().host()), port);
        var base =
                settings.http().baseUrl() == null ? listening : settings.http().baseUrl();
        return new PublicAddresses(
                base, settings.http().mcpUrl() == null ? base : settings.http().mcpUrl(), VERSION);
    }

    private static String reachableHost(String host) {
        return switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]" -> "[::1]";
            default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        };
    }

    /** The public address, as it is published. */
    public String baseUrl() {
        return Objects.requireNonNull(baseUrl);
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** The key that this start created, if it was the first on a fresh database. */
    public Optional<FirstKey> firstKey() {
        return firstKey;
    }

    /** Deletes expired data now instead of within the next ten minutes. */
    public void clear() {
        Objects.requireNonNull(housekeeping).clear();
    }

    private <T extends AutoCloseable> T keep(T part) {
        opened.push(part);
        return part;
    }

    /** Stops accepting, finishes what is in flight, then stops the database. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LoggerFactory.getLogger(App.class).warn("not everything was closed", e);
            }
        }
    }
}
