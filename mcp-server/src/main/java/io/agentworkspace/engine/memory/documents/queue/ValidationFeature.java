package io.agentworkspace.engine.memory.documents.queue;

import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.rules.DocumentRules;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import java.time.Clock;
import java.time.Duration;

/** The feature of validating documents. */
public final class ValidationFeature {
    private ValidationFeature() {}

    /**
     * @param longest how long the text of one document may take
     * @param kept how long rejected documents are kept
     */
    public record Limits(Duration longest, Duration kept) {}

    public static Feature of(
            Db db,
            DocumentFileStore files,
            DocumentRules rules,
            EventLog events,
            AuditStore audit,
            Limits limits,
            Clock clock) {
        var store = new QueueStore(db, events, audit);
        var queue = new ValidationQueue(store, files, rules, limits.longest(), clock);
        events.onCommitted(queue::wake);
        return new Feature()
                .running(queue, queue::start)
                .background(work -> work.clearing("rejected documents", now -> store.purge(now.minus(limits.kept()))));
    }
}
