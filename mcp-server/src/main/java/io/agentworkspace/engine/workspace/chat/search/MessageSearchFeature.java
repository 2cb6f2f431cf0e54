package io.agentworkspace.engine.workspace.chat.search;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import java.time.Duration;

/** The feature of searching messages. */
public final class MessageSearchFeature {
    private MessageSearchFeature() {}

    public static Feature of(Db db) {
        var search = new MessageSearchTools(db, new AgentStore(db), new DomainStore(db));
        return new Feature()
                .tools(search.tools())
                .after("AP_Wait")
                .background(work -> work.whileOpen(
                        Duration.ofSeconds(10), "indexing messages", () -> db.mergeNewEntries("message_term")));
    }
}
