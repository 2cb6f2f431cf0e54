package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.cards.AgentCards;
import io.agentworkspace.engine.a2a.outbound.Outbound;
import io.agentworkspace.engine.a2a.push.PushConfigs;
import io.agentworkspace.engine.a2a.push.PushLoop;
import io.agentworkspace.engine.a2a.push.PushStore;
import io.agentworkspace.engine.a2a.tasks.AgentTasks;
import io.agentworkspace.engine.a2a.tasks.TaskQueries;
import io.agentworkspace.engine.a2a.tasks.TaskReader;
import io.agentworkspace.engine.a2a.tasks.TaskWatches;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.signin.SignInFeature;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.util.Set;

/** The feature of A2A: agents here for agents of others, and agents of others for those here. */
public final class A2aFeature {
    /** The headers of each request, in lower case. */
    public static final Set<String> HEADERS = Set.of("a2a-version");

    private A2aFeature() {}

    /**
     * What it is made of.
     *
     * @param http makes requests to agents elsewhere
     * @param allowPrivate whether webhooks may be in private networks
     */
    public record Parts(
            Db db,
            ToolRunner runner,
            SealedCursors cursors,
            Vault vault,
            VettedClient http,
            SignInFeature signIn,
            AuditStore audit,
            PublicAddresses published,
            StreamLimits streams,
            boolean allowPrivate) {}

    /** @param isPublic whether strangers may see the cards of public agents */
    public static Feature of(Parts parts, boolean isPublic, Clock clock) {
        var db = parts.db();
        var signIn = parts.signIn();
        var resource = signIn.resource();
        var cards = new AgentCards(parts.published(), signIn.documents(), resource != null && resource.isBuiltin(), db);
        var queries = new TaskQueries(db);
        var reader = new TaskReader(parts.published().baseUrl(), queries, parts.cursors());
        var watches = new TaskWatches(reader, new ListeningTenants(db, clock), parts.streams());
        var pushes = new PushStore(db, parts.vault());
        var loop = new PushLoop(pushes, signIn.resolver(), parts.runner(), queries, reader, clock);
        var configs = new PushConfigs(pushes, reader, parts.audit(), parts.allowPrivate(), loop::made, clock);
        var operations = new Operations(new AgentTasks(reader, queries, watches), configs, cards);
        var engine = new EngineOperations(cards, parts.streams());
        var endpoint = new A2aEndpoint(
                parts.runner(),
                cards,
                queries,
                new JsonRpcBinding(operations, engine),
                new HttpBinding(operations, engine),
                isPublic,
                watches.streams());
        var feature = new Feature()
                .endpoint(A2aAddress::isPath, endpoint)
                .listener(watches.listener())
                .closing(watches);
        loop.addTo(feature);
        Outbound.addTo(feature, db, parts.vault(), parts.http(), parts.runner(), clock);
        return feature;
    }
}
