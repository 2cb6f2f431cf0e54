package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.integrations.webhooks.ReceiverServices;
import io.agentworkspace.engine.integrations.webhooks.outbox.FeedStore;
import io.agentworkspace.engine.integrations.webhooks.outbox.Outbox;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore;
import io.agentworkspace.engine.integrations.webhooks.sender.ReceiverProbes;
import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.events.EventLog;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/** Events and their webhooks. The outbox starts before the endpoints open, and is closed after them. */
record WebhookAssembly(EventLog events, OutboxStore outbox, ReceiverServices receivers) {
    /** @param keep takes what is closed with the engine */
    static WebhookAssembly of(
            Settings settings,
            DatabaseAssembly database,
            Clock clock,
            Consumer<AutoCloseable> keep,
            Housekeeping housekeeping,
            EngineMetrics figures) {
        var webhooks = settings.webhooks();
        var vault = database.vault();
        var events = new EventLog();
        var sender = new Sender(webhooks.allowPrivate(), webhooks.authorities(), clock);
        keep.accept(sender);
        var store = new OutboxStore(database.db(), vault, events);
        var outbox = new Outbox(
                new FeedStore(database.db(), database.restores()), store, sender, webhooks.schedule(), clock);
        keep.accept(outbox);
        events.onCommitted(outbox::wake);
        figures.outbox(outbox);
        outbox.start();
        var probes = new ReceiverProbes(webhooks.allowPrivate(), webhooks.authorities(), clock);
        keep.accept(probes);
        var kept = Duration.ofDays(settings.retention().eventsDays());
        housekeeping.clearing("events", now -> store.purge(now.minus(kept)));
        return new WebhookAssembly(events, store, new ReceiverServices(vault, probes, webhooks.allowPrivate()));
    }
}
