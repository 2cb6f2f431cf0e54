package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.figures.FiguresFeature;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.RateLimit;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.account.CallLimits;
import io.agentworkspace.engine.identity.account.Quotas;
import io.agentworkspace.engine.identity.account.RateStore;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.db.DatabaseClock;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.http.PublicPath;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.kernel.metrics.HttpMeter;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint;
import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint.MetricsText;
import io.agentworkspace.engine.kernel.metrics.MetricsServer;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.scheduling.Housekeeping;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.tracing.Tracing;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.web.server.BelowPath;
import io.agentworkspace.engine.web.server.CallerLimit;
import io.agentworkspace.engine.web.server.Endpoints;
import io.agentworkspace.engine.web.server.Gate;
import io.agentworkspace.engine.web.server.GateRules;
import io.agentworkspace.engine.web.server.ObservedRequests;
import io.agentworkspace.engine.web.server.WebFeature;
import io.agentworkspace.engine.web.server.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
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

    private static final StreamLimits.Share STREAMS = new StreamLimits.Share(2_500, 3_000, 4_000, 8_000);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Settings settings;
    private final Metrics metrics = new Metrics();
    private final List<Feature.Endpoint> own = new ArrayList<>();
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

    /** @param clientMetadata where the documents about OAuth clients may be; no setting changes that */
    public static App start(
            Settings settings, Clock clock, UnaryOperator<Handler> around, AddressPolicy clientMetadata) {
        return new App(settings, clock, around, clientMetadata);
    }

    private App(Settings settings, Clock clock, UnaryOperator<Handler> around, AddressPolicy clientMetadata) {
        this.settings = settings;
        try {
            server = keep(bind()); // Opened first, so that a port in use is reported at once.
            published = published(server.port());
            server.open(clock, VERSION, settings.http().drain());
            housekeeping = new Housekeeping(clock);
            metrics.gauges("engine_info", "1, with the version of the engine.", "version")
                    .with(VERSION, () -> 1);
            var http = new HttpMeter(metrics);
            var tracing = tracing();

            var ground = Ground.open(settings, published, server::upgrading, clock, this::keep);
            var callers = new CallerLimit(rate(settings.http().rateLimit()), clock);
            var quotas = new Quotas(ground.db(), ground.watch(), ground.events(), clock);
            var limits = new CallLimits(quotas, callers.and(quotas::commands), callers::take);
            var features = new Features(ground, limits, server.mostConnections() / 4);
            firstKey = new FirstStart(ground.db(), features.keys(), clock).run(settings);
            var signals = new DatabaseSignals(ground.watch());
            add(ground.feature(), signals);
            add(
                    FiguresFeature.of(
                            ground.db(), ground.watch(), settings.database().dataDir()),
                    signals);
            features.all().forEach(feature -> add(feature, signals));

            keep(signals); // Closed before the features that it tells of changes.
            features.waits().waiting().start();
            var sealKeys = new SealKeys(ground.db(), clock);
            var runner = features.runner(ground, limits, metrics, sealKeys);
            var streams = new StreamLimits(
                    STREAMS.within(server.mostConnections()),
                    Runtime.getRuntime().maxMemory(),
                    PATIENCE);
            var endpoints = EndpointFeatures.of(
                    ground, features, runner, streams, sealKeys, URI.create(listening(server.port())), clientMetadata);
            endpoints.all().forEach(feature -> add(feature, signals));
            var rules = rules(callers);
            add(WebFeature.of(server, rules, new RateStore(ground.db()), streams, endpoints.refusals()), signals);
            var text = new MetricsText(metrics);
            var token = settings.observability().metricsToken();
            own.add(new Feature.Endpoint(MetricsEndpoint.PATH::equals, new MetricsEndpoint(text, token)));
            var handlers = new Endpoints(endpoints.mcp(), own, endpoints.pages(), endpoints.rest());
            var allRules = rules.within(quotas::commands)
                    .proving(endpoints.proofs())
                    .reading(features.catalogue().tools())
                    .serving(handlers::serves);
            var gate = new Gate(allRules, features.signIn().resolver(), endpoints.refusals(), clock, handlers);

            ground.db().fill();
            keep(housekeeping).start(QUIET);
            metricsServer = metricsServer(text);
            var handler = new BelowPath(publicPath(), new ObservedRequests(gate, http, tracing));
            keep(server)
                    .serve(around.apply(handler), endpoints.refusals()); // Closed early, while the database is there.
            keep(features.waits().waiting()); // Closed before the server, which waits for the calls that it serves.
            opened.push(server::drain); // Closed first, so that calls go on waiting meanwhile.
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Starts a feature. Its tools are in the catalogue already. */
    private void add(Feature feature, DatabaseSignals signals) {
        feature.parts().forEach(this::keep);
        feature.start(housekeeping, metrics, signals::onSignal);
        own.addAll(feature.endpoints());
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
                        rate(settings.http().strangerLimit()))
                .behind(proxies());
    }

    private static RequestRate rate(RateLimit limit) {
        return limit.isOff() ? RequestRate.OFF : new RequestRate(limit.permitsPerSecond(), limit.burst());
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
