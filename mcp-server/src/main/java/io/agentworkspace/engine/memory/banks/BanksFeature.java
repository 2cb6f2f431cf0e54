package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.banks.corrections.StillSaid;
import io.agentworkspace.engine.memory.banks.corrections.WritableSearch;
import io.agentworkspace.engine.memory.documents.load.LoadQueries;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.time.Clock;
import java.time.Duration;

/** The feature of memory banks. */
public final class BanksFeature {
    private BanksFeature() {}

    /**
     * @param vectors of what a memory means
     * @param writable searches in the banks that the caller may write
     */
    public static Feature of(Db db, Contexts contexts, VectorSource vectors, WritableSearch writable, Clock clock) {
        var agents = new AgentStore(db);
        var banks = new BankStore(db);
        var memories = new MemoryStore(db);
        var reads = new MemoryQueries(db, banks);
        var grants = new BankGrantStore(db, agents, banks);
        var shares = new ShareStore(db, agents);
        var single = new SingleMemoryStore(db);
        var trash = new TrashStore(db, banks);
        var acting = new ActingAgent(agents);
        var similar = new SimilarStore(db, TextAnalysis::likeness);
        var stillSaid = new StillSaid(db, writable, clock);
        return new Feature()
                .tools(new BankTools(banks, new BankQueries(db, agents), acting).tools())
                .tools(new MemoryTools(banks, memories, reads, acting, vectors, contexts, similar, stillSaid).tools())
                .tools(new PermissionTools(banks, grants).tools())
                .tools(new LoadTools(
                                banks, grants, reads, acting, new LoadQueries(db), new DocumentLoadStore(db, banks))
                        .tools())
                .tools(new CensorTools(banks, shares, new CensorStore(db), single).tools())
                .tools(new TrashTools(
                                banks,
                                shares,
                                trash,
                                new RevisionStore(db, memories),
                                single,
                                memories,
                                new TrashQueries(db, banks))
                        .tools())
                .background(
                        work -> work.whileOpen(Duration.ofSeconds(5), "making sketches of memories", similar::complete)
                                .clearing("trash", trash::purge));
    }
}
