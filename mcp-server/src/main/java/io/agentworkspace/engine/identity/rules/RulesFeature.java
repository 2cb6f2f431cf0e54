package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Duration;
import java.util.List;

/** The feature of rules. */
public final class RulesFeature {
    private RulesFeature() {}

    /** @param all all tools, of all features */
    public static Feature of(Db db, Rules rules, List<Tool<?, ?>> all) {
        return new Feature()
                .tools(new RuleTools(db, all).tools())
                .background(work -> work.every(Duration.ofSeconds(1), "writing counts of rules", rules::flush));
    }
}
