package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import java.util.List;

/** The feature of inviting programs to join. */
public final class JoiningFeature {
    private JoiningFeature() {}

    /**
     * @param all all tools, of all features
     * @param installed the tools of upstream servers
     * @param baseUrl the public address
     */
    public static Feature of(Db db, List<Tool<?, ?>> all, TenantTools installed, String baseUrl) {
        var invitations = new InvitationStore(db);
        return new Feature()
                .tools(new InviteTools(
                                invitations,
                                new AgentStore(db),
                                new DomainStore(db),
                                new BankStore(db),
                                all,
                                installed,
                                baseUrl)
                        .tools())
                .background(work -> work.clearing("invitations", invitations::purge));
    }
}
