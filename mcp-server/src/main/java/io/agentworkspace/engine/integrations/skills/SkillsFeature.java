package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.util.List;

/** The feature of skills. */
public final class SkillsFeature {
    private SkillsFeature() {}

    /** @param all all tools, of all features */
    public static Feature of(Db db, List<Tool<?, ?>> all) {
        var reads = new SkillQueries(db);
        var library = new Library(reads);
        return new Feature()
                .tools(new SkillTools(library, reads, all).tools())
                .tools(new SkillCareTools(library, new SkillStore(db), new AgentStore(db), all).tools());
    }
}
