package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.web.server.WebServer;
import java.time.Clock;
import java.util.function.Consumer;

/**
 * What is there before the tools: the process, and the first five assemblies.
 *
 * @param process what does not depend on the database
 */
record EngineParts(
        Process process,
        DatabaseAssembly database,
        CallerAssembly callers,
        WebhookAssembly webhooks,
        LimitAssembly limits,
        SearchAssembly search) {
    /** @param keep takes what is closed with the engine, in reverse order */
    record Process(
            Settings settings,
            Clock clock,
            WebServer server,
            PublicAddresses published,
            Metrics metrics,
            Housekeeping housekeeping,
            Consumer<AutoCloseable> keep) {
        <T extends AutoCloseable> T keep(T part) {
            keep.accept(part);
            return part;
        }
    }

    Db db() {
        return database.db();
    }
}
