package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.time.Duration;

/**
 * The feature of agents and of who is present.
 *
 * @param presence when an agent was last seen
 * @param use how much each agent has called
 */
public record AgentsFeature(AgentPresence presence, AgentUseStore use, Feature feature) {
    /** @param remotes what is allowed for an agent that lives elsewhere */
    public static AgentsFeature of(Db db, Vault vault, RemoteStore.Rules remotes) {
        var agents = new AgentStore(db);
        var messages = new MessageStore(db);
        var revisions = new AgentRevisionQueries(db, agents);
        var presence = new AgentPresence(db);
        var use = new AgentUseStore(db);
        var feature = new Feature()
                .tools(new AgentTools(
                                agents,
                                new AgentQueries(db, agents),
                                revisions,
                                messages,
                                new RemoteStore(db, vault, remotes))
                        .tools())
                .tools(new AgentUseTools(new AgentUseQueries(db, agents)).tools())
                .tools(new PresenceTools(agents, new ContextStore(db), messages).tools())
                .background(work -> work.every(Duration.ofSeconds(5), "writing presence", presence::flush)
                        .every(Duration.ofSeconds(1), "writing the use of agents", use::flush)
                        .clearing("use of agents", use::purge)
                        .clearing("revisions of agents", agents::purge));
        return new AgentsFeature(presence, use, feature);
    }
}
