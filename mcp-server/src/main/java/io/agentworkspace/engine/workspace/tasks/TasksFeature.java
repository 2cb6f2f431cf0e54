package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainQueries;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.ParticipationQueries;
import java.time.Clock;
import java.time.Duration;

/** The feature of tasks. */
public final class TasksFeature {
    private TasksFeature() {}

    /** @param kept how long finished tasks are kept */
    public static Feature of(Db db, EventLog events, Duration kept, Clock clock) {
        var domains = new DomainStore(db);
        var tasks = new TaskStore(db);
        var places = new ParticipationQueries(db, domains);
        var reads = new TaskQueries(db, new DomainQueries(db, domains), new AgentStore(db));
        var leases = new LeaseStore(db, clock);
        var second = Duration.ofSeconds(1);
        return new Feature()
                .tools(new TaskTools(reads, tasks, places, new TaskUpdates(db, tasks, places), new TaskNotices(db))
                        .tools())
                .background(work -> work.whileOpen(second, "freeing tasks", () -> leases.free(events))
                        .whileOpen(second, "reminding of leases", leases::remind)
                        .clearing("finished tasks", now -> leases.purge(now.minus(kept))));
    }
}
