package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainQueries;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import java.util.ArrayList;
import java.util.List;

/** Assembles the tools for tasks and reservations. */
public final class TaskAssembly {
    private TaskAssembly() {}

    public static List<Tool<?, ?>> tools(Db db, AgentStore agents, DomainStore domains, DomainQueries reads) {
        var tasks = new TaskStore(db);
        var places = new TaskPlaceQueries(db, domains);
        var tools = new ArrayList<Tool<?, ?>>();
        tools.addAll(new TaskTools(
                        new TaskQueries(db, reads, agents),
                        tasks,
                        places,
                        new TaskUpdates(db, tasks, places),
                        new TaskNotices(db))
                .tools());
        return tools;
    }
}
