package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.cards.AgentCards;
import io.agentworkspace.engine.a2a.push.PushConfigs;
import io.agentworkspace.engine.a2a.push.PushQueue;
import io.agentworkspace.engine.a2a.tasks.AgentTasks;
import io.agentworkspace.engine.a2a.tasks.TaskQueries;
import io.agentworkspace.engine.a2a.tasks.TaskReader;
import io.agentworkspace.engine.a2a.tasks.TaskWatches;
import io.agentworkspace.engine.identity.signin.SignInFeature;
import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;

/** The feature of A2A: agents here for agents of others. */
public final class A2aFeature {
    private A2aFeature() {}

    /**
     * What it is made of.
     *
     * @param sender of push notifications
     */
    public record Parts(
            Db db,
            Vault vault,
            ToolRunner runner,
            SignInFeature signIn,
            PublicAddresses published,
            Sender sender,
            StreamLimits streams) {}

    /** @param isPublic whether strangers may see the cards of public agents */
    public static Feature of(Parts parts, boolean isPublic, Clock clock) {
        var db = parts.db();
        var signIn = parts.signIn();
        var resource = signIn.resource();
        var cards = new AgentCards(parts.published(), signIn.documents(), resource != null && resource.isBuiltin(), db);
        var reader = new TaskReader(parts.published().baseUrl());
        var queries = new TaskQueries(db);
        var watches = new TaskWatches(reader, new ListeningTenants(db, clock), parts.streams());
        var pushes = new PushConfigs(db, parts.vault(), parts.sender(), clock);
        var operations = new Operations(new AgentTasks(reader, queries, watches), pushes, cards);
        var engine = new EngineOperations(cards);
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
                .closing(watches)
                .closing(parts.sender());
        return new PushQueue(pushes, parts.sender(), signIn.resolver(), parts.runner(), reader, queries, clock)
                .addTo(feature);
    }
}
