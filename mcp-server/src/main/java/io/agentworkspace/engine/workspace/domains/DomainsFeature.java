package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.messages.MessageStore;

/** The feature of domains, their members and their zones. */
public final class DomainsFeature {
    private DomainsFeature() {}

    public static Feature of(Db db) {
        var agents = new AgentStore(db);
        var domains = new DomainStore(db);
        var reads = new DomainQueries(db, domains);
        var messages = new MessageStore(db);
        return new Feature()
                .tools(new DomainTools(domains, reads, agents, messages).tools())
                .tools(new MembershipTools(domains, new MembershipStore(db, agents), messages).tools())
                .tools(new ZoneTools(
                                domains, new ZoneStore(db), new ZoneQueries(db, reads), new ContextStore(db), messages)
                        .tools());
    }
}
