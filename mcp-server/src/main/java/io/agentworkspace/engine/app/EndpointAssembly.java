package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.demo.DemoEndpoint;
import io.agentworkspace.engine.app.demo.DemoRuns;
import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.integrations.joining.InvitationStore;
import io.agentworkspace.engine.integrations.joining.Joiner;
import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.integrations.skills.SkillQueries;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.http.PublicPath;
import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint;
import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint.MetricsText;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.mcp.doctor.Doctor;
import io.agentworkspace.engine.mcp.doctor.HandshakeStore;
import io.agentworkspace.engine.mcp.endpoint.McpEndpoint;
import io.agentworkspace.engine.mcp.features.EngineFeatures;
import io.agentworkspace.engine.mcp.features.HookTool;
import io.agentworkspace.engine.mcp.features.WelcomeQueries;
import io.agentworkspace.engine.mcp.source.ServerFeatures;
import io.agentworkspace.engine.memory.search.ToolIndex;
import io.agentworkspace.engine.rest.JerseyAdapter;
import io.agentworkspace.engine.rest.RestFacade;
import io.agentworkspace.engine.web.server.Endpoints;
import io.agentworkspace.engine.web.server.PageEndpoint;
import io.agentworkspace.engine.web.server.RefusalWriter;
import io.agentworkspace.engine.workspace.delivery.hooks.HookEndpoint;
import io.agentworkspace.engine.workspace.delivery.hooks.Hooks;
import io.agentworkspace.engine.workspace.delivery.live.LiveEndpoint;
import io.agentworkspace.engine.workspace.delivery.live.LiveQueries;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.server.Handler;

/**
 * What answers requests: MCP, REST, streams, hooks, pages.
 *
 * @param own the endpoints with a path of their own
 */
record EndpointAssembly(
        McpEndpoint mcp, JerseyAdapter rest, PageEndpoint pages, RefusalWriter refusals, Map<String, Handler> own) {
    private static final StreamLimits.Share STREAMS = new StreamLimits.Share(2_500, 3_000, 4_000, 8_000);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** @param local the URL at which this replica serves */
    static EndpointAssembly of(
            EngineParts parts, ToolAssembly tools, EngineMetrics figures, MetricsText text, URI local) {
        var process = parts.process();
        var clock = process.clock();
        var db = parts.db();
        var published = process.published();
        var housekeeping = process.housekeeping();
        var toolIndex = new ToolIndex(parts.search().embedder(), parts.search().heavy());
        var handshakes = new HandshakeStore(db);
        var hooks = new Hooks(
                db, tools.runner(), tools.presence(), process.settings().http().hooks(), clock);
        var signals = process.keep(new DatabaseSignals(db));
        var shares = STREAMS.within(process.server().mostConnections());
        var streams = new StreamLimits(shares, Runtime.getRuntime().maxMemory(), PATIENCE);
        figures.streams(streams);
        var mcp = new McpEndpoint(
                features(db, tools, toolIndex, process).with(new HookTool(hooks)),
                db,
                parts.callers().resolver(),
                signals,
                handshakes,
                streams,
                published.mcpUrl(),
                tools.sealKeys(),
                clock);
        var news = new LiveQueries(db, clock);
        var live = new LiveEndpoint(tools.catalogue(), news, new ListeningTenants(db, clock), streams, clock);
        signals.onSignal(live.listener());
        var hookRoutes = new HookEndpoint(hooks, new ListeningTenants(db, clock), streams, tools.wakes());
        signals.onSignal(hookRoutes.listener());
        signals.onSignal(tools.waiting());
        signals.onSignal(tools.upstreams().relay());
        tools.waiting().start();
        mcp.register(housekeeping, tools.upstreams().watch(tools.runner(), clock));
        var demo = process.keep(new DemoRuns(tools.runner(), db, local, clock));
        var invitations = new InvitationStore(db);
        var rest = rest(parts, tools, toolIndex, invitations, new Doctor(handshakes, published.mcpUrl(), clock));
        var path = PublicPath.of(published.baseUrl(), published.mcpUrl());
        var pages = new PageEndpoint(new HubRoutes(tools.runner(), toolIndex::findByWords, published), path);
        var refusals = new RefusalWriter(clock, pages, mcp::refused);
        housekeeping
                .every(SECOND, "writing handshakes", handshakes::flush)
                .every(SECOND, "writing repeated requests", refusals::flushLog)
                .clearing("handshakes", handshakes::purge)
                .clearing("answers for other replicas", tools.upstreams().relay()::purge)
                .clearing("live events", news::purge)
                .clearing("sessions of hooks", hooks::purge)
                .clearing("invitations", invitations::purge);
        var own = new LinkedHashMap<String, Handler>();
        own.put(Endpoints.STREAM, live);
        own.put(Endpoints.HOOKS, hookRoutes);
        own.put(Endpoints.DEMO, new DemoEndpoint(demo));
        own.put(
                Endpoints.METRICS,
                new MetricsEndpoint(text, process.settings().observability().metricsToken()));
        return new EndpointAssembly(mcp, rest, pages, refusals, own);
    }

    private static ServerFeatures features(Db db, ToolAssembly tools, ToolIndex index, EngineParts.Process process) {
        return EngineFeatures.of(
                tools.runner(),
                new Library(new SkillQueries(db)),
                index,
                new WelcomeQueries(db),
                tools.upstreams().installed()::contents,
                App.VERSION,
                process.clock());
    }

    private static JerseyAdapter rest(
            EngineParts parts, ToolAssembly tools, ToolIndex index, InvitationStore invitations, Doctor doctor) {
        var clock = parts.process().clock();
        var published = parts.process().published();
        var callers = parts.callers();
        var events = parts.webhooks().events();
        var joiner = new Joiner(parts.db(), invitations, callers.keys(), tools.runner(), events, published, clock);
        return RestFacade.handler(
                tools.runner(),
                index,
                published,
                parts.db()::state,
                callers.signIn(),
                joiner,
                doctor::latest,
                tools.files(),
                clock);
    }
}
