package io.agentworkspace.engine.app;

import io.agentworkspace.engine.calls.runner.ObservedRunner;
import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.metrics.ToolMeter;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.SimilarStore;
import io.agentworkspace.engine.memory.banks.TrashStore;
import io.agentworkspace.engine.memory.banks.transfer.ImportRunner;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import io.agentworkspace.engine.memory.documents.queue.QueueStore;
import io.agentworkspace.engine.memory.documents.queue.ValidationQueue;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentPresence;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.agents.AgentUseStore;
import io.agentworkspace.engine.workspace.chat.GuardStopStore;
import io.agentworkspace.engine.workspace.delivery.wait.WaitQueries;
import io.agentworkspace.engine.workspace.delivery.wait.WaitingCalls;
import io.agentworkspace.engine.workspace.delivery.wait.WakeStore;
import io.agentworkspace.engine.workspace.reservations.ReservationStore;
import io.agentworkspace.engine.workspace.tasks.LeaseStore;
import java.time.Duration;

/** The tools, what runs them, and their work in the background. */
record ToolAssembly(
        Catalogue catalogue,
        ImportRunner runner,
        AgentPresence presence,
        DocumentFileStore files,
        WaitingCalls waiting,
        WakeStore wakes,
        SealKeys sealKeys,
        Tools.Upstreams upstreams) {
    private static final Duration SECOND = Duration.ofSeconds(1);

    static ToolAssembly of(EngineParts parts) {
        var process = parts.process();
        var settings = process.settings();
        var clock = process.clock();
        var db = parts.db();
        var watch = parts.database().watch();
        var files = new DocumentFileStore(db, clock);
        var presence = new AgentPresence(db);
        var wakes = new WakeStore(db, clock);
        var waiting = new WaitingCalls(
                new WaitQueries(db),
                new ListeningTenants(db, clock),
                wakes,
                process.server().mostConnections() / 4,
                clock);
        var upstreamHttp = process.keep(new VettedClient(
                AddressPolicy.allowing(settings.upstreams().allowed()),
                settings.webhooks().authorities()));
        var upstreams = Tools.Upstreams.of(
                db,
                parts.database().vault(),
                upstreamHttp,
                parts.callers().assertions()::issue,
                watch,
                parts.search().heavy(),
                clock);
        process.keep(upstreams.connections());
        var rules = new Rules(db, watch);
        var search = parts.search();
        var shared = new Tools.Shared(
                search.searcher(),
                search.vectors(),
                files,
                waiting,
                clock,
                process.published().baseUrl(),
                rules,
                upstreams);
        var catalogue =
                Tools.catalogue(db, parts.limits().calls(), parts.webhooks().receivers(), shared);
        var sealKeys = new SealKeys(db, clock);
        var agentUse = new AgentUseStore(db);
        process.housekeeping()
                .every(SECOND, "writing the use of agents", agentUse::flush)
                .clearing("use of agents", agentUse::purge);
        var runner = new Runner(
                catalogue,
                db,
                clock,
                presence,
                parts.callers().keys().use(),
                agentUse,
                parts.callers().audit(),
                parts.webhooks().events(),
                parts.limits().calls(),
                rules,
                new SealedCursors(new StateSigner(sealKeys)),
                search.heavy());
        var names = catalogue.tools().stream().map(Tool::name).toList();
        var observed = new ObservedRunner(runner, new ToolMeter(process.metrics(), names));
        var tools = new ToolAssembly(
                catalogue,
                new ImportRunner(observed, search.heavy(), clock),
                presence,
                files,
                waiting,
                wakes,
                sealKeys,
                upstreams);
        tools.register(process.housekeeping(), parts, rules);
        tools.startValidation(parts, rules);
        return tools;
    }

    private void register(Housekeeping housekeeping, EngineParts parts, Rules rules) {
        var db = parts.db();
        var clock = parts.process().clock();
        var leases = new LeaseStore(db, clock);
        var reservations = new ReservationStore(db);
        var similar = new SimilarStore(db, TextAnalysis::likeness);
        var tasksKept = Duration.ofDays(parts.process().settings().retention().tasksDays());
        housekeeping
                .whileOpen(
                        SECOND,
                        "freeing tasks",
                        () -> leases.free(parts.webhooks().events()))
                .whileOpen(SECOND, "reminding of leases", leases::remind)
                .whileOpen(SECOND, "ending reservations", () -> reservations.end(clock))
                .whileOpen(Duration.ofSeconds(5), "making sketches of memories", similar::complete)
                .every(SECOND, "writing the health of upstream servers", upstreams.calls()::flush)
                .every(Duration.ofSeconds(5), "writing presence", presence::flush)
                .every(SECOND, "writing counts of rules", rules::flush)
                .clearing("registrations of who hears", wakes::purge)
                .clearing("finished tasks", now -> leases.purge(now.minus(tasksKept)))
                .clearing("trash", new TrashStore(db, new BankStore(db))::purge)
                .clearing("revisions of agents", new AgentStore(db)::purge)
                .clearing("stops of the loop guard", new GuardStopStore(db)::purge);
    }

    /** Starts the validation of documents before the endpoints open; it is closed after them. */
    private void startValidation(EngineParts parts, Rules rules) {
        var process = parts.process();
        var events = parts.webhooks().events();
        var store = new QueueStore(parts.db(), events, parts.callers().audit());
        var limits = process.settings().documents();
        var queue =
                process.keep(new ValidationQueue(store, files, rules.documents(), limits.longest(), process.clock()));
        events.onCommitted(queue::wake);
        var kept = Duration.ofDays(limits.rejectedDays());
        process.housekeeping()
                .clearing("files", files::purge)
                .clearing("rejected documents", now -> store.purge(now.minus(kept)));
        queue.start();
    }
}
