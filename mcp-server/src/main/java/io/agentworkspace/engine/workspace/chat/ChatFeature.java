package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.delivery.wait.MessageWait;
import io.agentworkspace.engine.workspace.delivery.wait.WaitingCalls;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.guard.GuardStopStore;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.time.Clock;

/** The feature of talk: messages, and questions to people. */
public final class ChatFeature {
    private ChatFeature() {}

    /**
     * @param waiting the calls that wait for messages, since AP_Chat can
     * @param reachesElsewhere whether messages reach agents that live elsewhere
     */
    public static Feature of(Db db, Contexts contexts, WaitingCalls waiting, boolean reachesElsewhere, Clock clock) {
        var agents = new AgentStore(db);
        var messages = new MessageStore(db);
        var domains = new DomainStore(db);
        var wait = new MessageWait(db, contexts, waiting, clock);
        var chat = new ChatTools(
                db, new DestinationQueries(db, agents, new ZoneEntry(db, domains), reachesElsewhere), messages, wait);
        return new Feature()
                .tools(chat.tools())
                .tools(new QuestionTools(db, chat, messages).tools())
                .background(work -> work.clearing("stops of the loop guard", new GuardStopStore(db)::purge));
    }
}
