package io.agentworkspace.engine.identity.audit;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** The feature of the audit. */
public final class AuditFeature {
    private AuditFeature() {}

    /** @param all all tools, of all features */
    public static Feature of(Db db, AuditStore audit, List<Tool<?, ?>> all, Clock clock) {
        return new Feature()
                .tools(new AuditTools(new AuditQueries(db), all).tools())
                .background(work -> work.every(
                                Duration.ofSeconds(1), "writing the audit", () -> audit.flush(clock.instant()))
                        .clearing("audit", audit::purge))
                .closing(audit);
    }
}
