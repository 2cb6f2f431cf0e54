package io.agentworkspace.engine;

import io.agentworkspace.engine.http.Doors;
import io.agentworkspace.engine.http.Gate;
import io.agentworkspace.engine.http.Pages;
import io.agentworkspace.engine.http.Proxies;
import io.agentworkspace.engine.http.Rate;
import io.agentworkspace.engine.http.Refusals;
import io.agentworkspace.engine.http.Rules;
import io.agentworkspace.engine.http.WebServer;
import io.agentworkspace.engine.hubs.Hubs;
import io.agentworkspace.engine.identity.ProtectedResource;
import io.agentworkspace.engine.library.Library;
import io.agentworkspace.engine.mcp.Bounds;
import io.agentworkspace.engine.mcp.Doctor;
import io.agentworkspace.engine.mcp.Handshakes;
import io.agentworkspace.engine.mcp.McpDoor;
import io.agentworkspace.engine.mcp.ProductionOffer;
import io.agentworkspace.engine.model.Published;
import io.agentworkspace.engine.postgres.EmbeddedPostgres;
import io.agentworkspace.engine.rest.RestFacade;
import io.agentworkspace.engine.rest.SignIn;
import io.agentworkspace.engine.signin.AccessTokens;
import io.agentworkspace.engine.signin.Identities;
import io.agentworkspace.engine.signin.IssuedTokens;
import io.agentworkspace.engine.signin.OAuthDesk;
import io.agentworkspace.engine.signin.ProviderHttp;
import io.agentworkspace.engine.signin.SessionDesk;
import io.agentworkspace.engine.store.AuditStore;
import io.agentworkspace.engine.store.BankStore;
import io.agentworkspace.engine.store.BrowserSessions;
import io.agentworkspace.engine.store.ContextStore;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.EventLog;
import io.agentworkspace.engine.store.FeedStore;
import io.agentworkspace.engine.store.HandshakeStore;
import io.agentworkspace.engine.store.Housekeeping;
import io.agentworkspace.engine.store.IdempotencyStore;
import io.agentworkspace.engine.store.Interest;
import io.agentworkspace.engine.store.KeyStore;
import io.agentworkspace.engine.store.Migrations;
import io.agentworkspace.engine.store.OutboxStore;
import io.agentworkspace.engine.store.PlanLimits;
import io.agentworkspace.engine.store.Presence;
import io.agentworkspace.engine.store.Quotas;
import io.agentworkspace.engine.store.RateStore;
import io.agentworkspace.engine.store.SealKeys;
import io.agentworkspace.engine.store.SessionStore;
import io.agentworkspace.engine.store.SignInStore;
import io.agentworkspace.engine.store.SigningKeys;
import io.agentworkspace.engine.store.SkillReads;
import io.agentworkspace.engine.store.TaskStore;
import io.agentworkspace.engine.store.TokenGrants;
import io.agentworkspace.engine.store.TrashStore;
import io.agentworkspace.engine.store.Vault;
import io.agentworkspace.engine.tools.Metering;
import io.agentworkspace.engine.tools.Outbound;
import io.agentworkspace.engine.tools.Runner;
import io.agentworkspace.engine.tools.Toolbox;
import io.agentworkspace.engine.webhooks.Looks;
import io.agentworkspace.engine.webhooks.Outbox;
import io.agentworkspace.engine.webhooks.Sender;
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
final class App implements AutoCloseable {
    static final String VERSION = "0.1.0";

    private static final Bounds.Share STREAMS = new Bounds.Share(2_500, 3_000, 4_000, 8_000);
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
    static App start(Settings settings, Clock clock, UnaryOperator<Handler> around) {
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
        var db = keep(source.open(settings.poolSize()));
        Migrations.run(db);
        PlanLimits.publish(db);
        var vault = new Vault(db, settings.masterKeys());
        vault.check();
        var watch = keep(source.watch());
        var keys = new KeyStore(db, clock, watch);
        firstKey = new FirstStart(db, keys, clock)
                .run(settings, settings.databaseUrl() == null ? settings.dataDir() : null);
        var sessions = new BrowserSessions(db, keys, watch, clock);
        var signingKeys = new SigningKeys(db, vault, clock);
        var tokens = tokens(signingKeys, published);
        var events = new EventLog();
        var sender = keep(new Sender(
                settings.webhooks().allowPrivate(), settings.webhooks().authorities(), clock));
        var outbox = outbox(db, vault, events, sender);
        var audit = keep(new AuditStore(db, Duration.ofDays(settings.auditDays())));
        var signIns = new SignInStore(db, audit);
        var grants = new TokenGrants(db, watch);
        var http = keep(new ProviderHttp());
        var issued = issued(http, signIns, grants, published);
        var presence = new Presence(db);
        var quotas = new Quotas(db, watch, events, clock);
        var rates = new RateStore(db);
        var trash = new TrashStore(db, new BankStore(db));
        var handshakes = new HandshakeStore(db);
        var replica = new McpDoor.Replica(
                new Identities(keys, sessions, tokens, issued),
                new SealKeys(db, clock),
                new SessionStore(db),
                new TaskStore(db),
                keep(source.signals()),
                new Interest(db, clock),
                new Handshakes(handshakes, clock),
                new Bounds(STREAMS, PATIENCE),
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
                .clearing("events", now -> outbox.purge(now.minus(Duration.ofDays(settings.eventsDays()))))
                .clearing("keys of seals", replica.keys()::purge)
                .clearing("MCP sessions", replica.sessions()::purge)
                .clearing("interest", replica.interest()::purge)
                .clearing("idempotency keys", new IdempotencyStore(db)::purge)
                .clearing("tasks", replica.tasks()::purge)
                .clearing("contexts", new ContextStore(db)::purge);
        housekeeping.start(QUIET);
        var metering = new Metering(quotas, caller -> gate == null ? List.of() : gate.left(caller));
        var around = new Runner.Surroundings(clock, presence, keys.use(), audit, events, metering);
        var desk = new SessionDesk(sessions, tokens, providers(http, signIns, published), audit, clock);
        var looks = keep(new Looks(
                settings.webhooks().allowPrivate(), settings.webhooks().authorities(), clock));
        var outbound = new Outbound(vault, looks, settings.webhooks().allowPrivate());
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

    private AccessTokens tokens(SigningKeys keys, Published published) {
        var audience = List.of(published.baseUrl(), published.mcpUrl());
        return new AccessTokens(keys, published.baseUrl(), audience, clock);
    }

    private @Nullable IssuedTokens issued(
            ProviderHttp http, SignInStore signIns, TokenGrants grants, Published published) {
        var provider = settings.mcpProvider();
        if (provider == null) {
            return null;
        }
        var resource = new ProtectedResource(published.mcpUrl(), provider.issuer(), published.baseUrl());
        var issuer = OAuthDesk.issuers(List.of(provider), http, clock).getFirst();
        return new IssuedTokens(resource, issuer, signIns, grants, clock);
    }

    private OAuthDesk providers(ProviderHttp http, SignInStore signIns, Published published) {
        var issuers = OAuthDesk.issuers(settings.signInProviders(), http, clock);
        var surfaces = Set.copyOf(settings.signInSurfaces());
        return new OAuthDesk(issuers, surfaces, published.baseUrl(), signIns, clock);
    }

    private record Parts(
            Db db,
            Runner.Surroundings around,
            McpDoor.Replica replica,
            SignIn signIn,
            Outbound outbound,
            Doctor doctor) {}

    private void serve(WebServer server, Published published, Parts parts) {
        var runner = Toolbox.runner(parts.db(), parts.around(), parts.outbound());
        var library = new Library(new SkillReads(parts.db()));
        var mcp = new McpDoor(ProductionOffer.of(runner, library, VERSION, clock), parts.replica(), published.mcpUrl());
        var rest =
                RestFacade.handler(runner, published, parts.db()::state, parts.signIn(), parts.doctor()::latest, clock);
        var pages = new Pages(new Hubs(runner, published));
        var doors = new Doors(mcp, pages, rest);
        var refusals = new Refusals(clock, pages, parts.replica().handshakes()::refused);
        keep(server); // Opened first, so that a taken port is reported at once; closed first, while the database is
        // available.
        try {
            var quotas = parts.around().metering().quotas();
            gate = new Gate(
                    rules(published)
                            .within(quotas::commands)
                            .reading(runner.catalogue().tools())
                            .serving(path -> Doors.serve(path, rest::serves)),
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

    private Rules rules(Published published) {
        return Rules.of(
                        List.of(URI.create(published.baseUrl()), URI.create(published.mcpUrl())),
                        settings.allowedHosts(),
                        settings.allowedOrigins(),
                        rate(settings.rateLimit()),
                        rate(settings.strangerLimit()))
                .behind(new Proxies(settings.trustedProxies()));
    }

    private static Rate rate(RateLimit limit) {
        return limit.isOff() ? Rate.OFF : new Rate(limit.permitsPerSecond(), limit.burst());
    }

    private Source source() {
        return settings.databaseUrl() != null
                ? new Source(settings.databaseUrl(), null, null)
                : Source.of(keep(EmbeddedPostgres.start(settings.dataDir())).access());
    }

    private WebServer bind() {
        try {
            return WebServer.bind(settings.host(), settings.port());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The public addresses: those in the settings, else the listening address. */
    private Published published(int port) {
        var listening = "http://%s:%d".formatted(reachableHost(settings.host()), port);
        var base = settings.baseUrl() == null ? listening : settings.baseUrl();
        return new Published(base, settings.mcpUrl() == null ? base : settings.mcpUrl(), VERSION);
    }

    private static String reachableHost(String host) {
        return switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]" -> "[::1]";
            default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        };
    }

    /** The public address, as it is published. */
    String baseUrl() {
        return Objects.requireNonNull(baseUrl);
    }

    /** Where it listens. */
    int port() {
        return port;
    }

    /** The key that this start created, if it was the first on a fresh database. */
    Optional<FirstKey> firstKey() {
        return firstKey;
    }

    /** Deletes expired data now instead of within the next ten minutes. */
    void clear() {
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
