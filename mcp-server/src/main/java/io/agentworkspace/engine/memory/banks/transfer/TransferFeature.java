package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.memory.banks.ActingAgent;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryStore;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.util.List;

/** The feature of exports and imports. */
public final class TransferFeature {
    private TransferFeature() {}

    /**
     * @param store MB_Store, whose rules hold for each memory of an import
     * @param baseUrl the public address
     */
    public static Feature of(Db db, Rules rules, Tool<?, ?> store, String baseUrl) {
        var banks = new BankStore(db);
        var stores = new ImportTool.Stores(new ImportStore(db), new MemoryStore(db), new StoreRules(rules, store));
        return new Feature()
                .tools(List.of(
                        new ExportTool(new ExportQueries(db, banks), baseUrl).export(),
                        new ImportTool(banks, new ActingAgent(new AgentStore(db)), stores).importing()))
                .after("MB_Files");
    }
}
