package io.agentworkspace.engine.app;

import io.agentworkspace.engine.a2a.endpoint.A2aFeature;
import io.agentworkspace.engine.app.demo.DemoFeature;
import io.agentworkspace.engine.calls.discovery.ToolIndex;
import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.hubs.apps.AppPage;
import io.agentworkspace.engine.identity.dpop.DpopProofs;
import io.agentworkspace.engine.identity.oauth.OAuthFeature;
import io.agentworkspace.engine.integrations.joining.InvitationStore;
import io.agentworkspace.engine.integrations.joining.Joiner;
import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.integrations.skills.SkillQueries;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.http.PublicPath;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.mcp.apps.WorkspaceApps;
import io.agentworkspace.engine.mcp.content.EngineContent;
import io.agentworkspace.engine.mcp.content.HookTool;
import io.agentworkspace.engine.mcp.content.WelcomeQueries;
import io.agentworkspace.engine.mcp.endpoint.McpEndpoint;
import io.agentworkspace.engine.mcp.handshakes.Doctor;
import io.agentworkspace.engine.mcp.handshakes.HandshakeStore;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.rest.RestFacade;
import io.agentworkspace.engine.rest.openapi.CommandsDocument;
import io.agentworkspace.engine.web.server.PageEndpoint;
import io.agentworkspace.engine.web.server.RefusalWriter;
import io.agentworkspace.engine.workspace.delivery.hooks.Hooks;
import io.agentworkspace.engine.workspace.delivery.hooks.HooksFeature;
import io.agentworkspace.engine.workspace.delivery.live.LiveFeature;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The features that have endpoints of their own, and the endpoints of all tools: MCP, REST and pages.
 *
 * @param proofs checks that callers have the keys that their tokens are bound to
 * @param all the features, in the order in which they start
 */
record EndpointFeatures(
        Feature.Endpoint mcp,
        Feature.Endpoint rest,
        PageEndpoint pages,
        RefusalWriter refusals,
        DpopProofs proofs,
        List<Feature> all) {
    EndpointFeatures {
        if (all.stream().anyMatch(feature -> !feature.tools().isEmpty())) {
            throw new IllegalStateException("the catalogue is complete: features with tools are in Features");
        }
    }

    /**
     * @param local the URL at which this replica serves
     * @param clientMetadata where the documents about OAuth clients may be
     */
    static EndpointFeatures of(
            Ground ground,
            Features features,
            ToolRunner runner,
            StreamLimits streams,
            SealKeys sealKeys,
            URI local,
            AddressPolicy clientMetadata) {
        var db = ground.db();
        var clock = ground.clock();
        var settings = ground.settings();
        var published = ground.published();
        var signIn = features.signIn();
        var upstreams = features.upstreams();
        var toolIndex = new ToolIndex(features.search().embedder(), ground.heavy());
        var handshakes = new HandshakeStore(db);
        var hooks = new Hooks(
                db, runner, features.agents().presence(), settings.http().hooks(), clock);
        var served = EngineContent.of(
                runner,
                new Library(new SkillQueries(db)),
                toolIndex,
                new WelcomeQueries(db, ground.contexts()),
                upstreams.contents(),
                new WorkspaceApps(settings.http().apps() ? AppPage.all() : List.of()),
                App.VERSION,
                clock);
        var mcp = new McpEndpoint(
                served.with(new HookTool(hooks)),
                db,
                signIn.resolver(),
                handshakes,
                streams,
                published.mcpUrl(),
                sealKeys,
                clock);
        var joiner =
                new Joiner(db, new InvitationStore(db), features.keys(), runner, ground.events(), published, clock);
        var rest = RestFacade.handler(
                runner,
                toolIndex,
                published,
                db::state,
                signIn.endpoint(),
                joiner,
                new Doctor(handshakes, published.mcpUrl(), clock)::latest,
                features.documents().files(),
                upstreams.accounts(),
                clock);
        var path = PublicPath.of(published.baseUrl(), published.mcpUrl());
        var catalogue = runner.catalogue();
        var hubs = new HubRoutes(runner, toolIndex::findByWords, () -> CommandsDocument.render(catalogue), published);
        var pages = new PageEndpoint(hubs, path);
        var http = new VettedClient(clientMetadata, settings.webhooks().authorities());
        var proofs = new DpopProofs(db, sealKeys, published, clock);
        var own = new ArrayList<Feature>(List.of(
                proofs.feature(),
                mcp.feature(upstreams.watch().apply(runner)),
                LiveFeature.of(db, catalogue, streams, clock),
                HooksFeature.of(db, hooks, features.waits().wakes(), streams, clock),
                DemoFeature.of(db, runner, local, clock),
                OAuthFeature.of(db, signIn, features.keys(), http, proofs, runner, ground.events(), pages, clock)));
        if (settings.a2a().on()) {
            own.add(a2a(ground, features, runner, new SealedCursors(new StateSigner(sealKeys)), streams));
        }
        return new EndpointFeatures(
                new Feature.Endpoint(mcp::serves, mcp),
                new Feature.Endpoint(rest::serves, rest),
                pages,
                new RefusalWriter(clock, pages, mcp::refused),
                proofs,
                List.copyOf(own));
    }

    private static Feature a2a(
            Ground ground, Features features, ToolRunner runner, SealedCursors cursors, StreamLimits streams) {
        var settings = ground.settings();
        var http = new VettedClient(
                AddressPolicy.allowing(settings.upstreams().allowed()),
                settings.webhooks().authorities());
        return A2aFeature.of(
                new A2aFeature.Parts(
                        ground.db(),
                        runner,
                        cursors,
                        ground.vault(),
                        http,
                        features.signIn(),
                        features.audit(),
                        ground.published(),
                        streams,
                        settings.webhooks().allowPrivate()),
                settings.a2a().isPublic(),
                ground.clock());
    }
}
