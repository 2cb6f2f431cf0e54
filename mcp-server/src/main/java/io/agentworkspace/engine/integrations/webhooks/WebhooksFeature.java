package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;

/** The feature of webhooks: their receivers, the feed of events, and the outbox. */
public final class WebhooksFeature {
    private WebhooksFeature() {}

    public static Feature of(Db db, ReceiverServices services) {
        var receivers = new ReceiverStore(db, services.vault());
        var reads = new DeliveryQueries(db);
        var queue = new DeliveryQueueStore(db);
        return new Feature()
                .tools(new EventTools(reads, queue, receivers).tools())
                .tools(new ReceiverTools(new ReceiverQueries(db), receivers, services).tools())
                .tools(new GradeTool(receivers, services).tools())
                .tools(new DeliveryTools(reads, queue, receivers).tools())
                .closing(services.probes());
    }
}
