package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Audited;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Deliveries to webhook receivers and their results: WH_Deliveries, WH_Delivery, WH_Redeliver, WH_RedeliverFailed. */
final class DeliveryTools {
    private final DeliveryQueries reads;
    private final DeliveryQueueStore queue;
    private final ReceiverStore receivers;

    public DeliveryTools(DeliveryQueries reads, DeliveryQueueStore queue, ReceiverStore receivers) {
        this.reads = reads;
        this.queue = queue;
        this.receivers = receivers;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read(), again(), recover());
    }

    record ListRequest(
            @Doc(value = "Only those to the endpoint with this id.", max = 64) @Nullable
            String endpoint,

            @Doc("Only those in this state.") @Nullable DeliveryState state,

            @Doc(value = "Only those of this event type.", max = 64) @Nullable
            String type,

            @Doc("Which part.") @Nullable Page page) {}

    record ListResponse(
            @Doc("The deliveries, newest first.") List<Delivery> deliveries,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("WH_Deliveries")
                .title("List deliveries")
                .description("""
                        Lists deliveries to webhook endpoints with their attempts, newest first, for admins.""")
                .details("""
                        For each: its state, every attempt with status, duration and error, and when the next one is \
                        due. A delivery must match all filters. Deliveries are kept as long as their events.""")
                .alsoCalled(
                        "list what was sent to a receiver",
                        "failed calls of a webhook",
                        "were events delivered",
                        "delivery history",
                        "failed callbacks",
                        "delivery attempts",
                        "why did the hook not arrive",
                        "retry queue",
                        "outgoing requests")
                .needs(Capability.WEBHOOK_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/webhooks/deliveries")
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var type = in.type() == null ? null : EventTypes.one("type", in.type());
                    var filter = new DeliveryQueries.DeliveryFilter(in.endpoint(), in.state(), type);
                    var found = reads.list(call, filter, in.page());
                    return new ListResponse(found.rows(), found.nextCursor());
                });
    }

    record ReadRequest(
            @Doc(value = "The delivery's id, as WH_Deliveries shows it.", max = 64)
            String id) {}

    record ReadResponse(
            @Doc("The delivery's record.") Delivery delivery,

            @Doc("What is delivered: the event in its envelope {id, type, created_at, data}.")
            ObjectNode event) {}

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("WH_Delivery")
                .title("Read a delivery")
                .description("Reads one delivery: its attempts and the whole event, for admins.")
                .alsoCalled(
                        "one delivery in detail",
                        "request and response of a webhook call",
                        "why did this event fail",
                        "payload that was sent",
                        "one callback attempt",
                        "inspect a request that was sent")
                .needs(Capability.WEBHOOK_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/webhooks/deliveries/{id}")
                .example("id", Example.DELIVERY)
                .audits(Audited.DELIVERY)
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var found = reads.read(call, in.id());
                    return new ReadResponse(found.delivery(), found.event());
                });
    }

    record RedeliverRequest(
            @Doc(value = "The delivery's id, as WH_Deliveries shows it.", max = 64)
            String id,

            @Doc(value = "To this endpoint, whatever its event types. Default: the endpoint of the delivery.", max = 64)
            @Nullable
            String endpointId) {}

    record RedeliverResponse(@Doc("The new delivery.") Delivery delivery) {}

    private Tool<RedeliverRequest, RedeliverResponse> again() {
        return Tool.named("WH_Redeliver")
                .title("Deliver an event again")
                .description("""
                        Queues the event of a delivery again, to the same or another endpoint, for admins. Next: \
                        WH_Delivery.""")
                .details("""
                        It has the same event id and is attempted at once. The old delivery stays as it is.""")
                .alsoCalled(
                        "send one event again",
                        "retry a delivery",
                        "repeat a failed call",
                        "resend a webhook",
                        "retry a callback",
                        "replay an event")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .route("POST", "/api/webhooks/deliveries/{id}/redeliver")
                .example("id", Example.DELIVERY)
                .audits(Audited.DELIVERY)
                .handledBy(RedeliverRequest.class, RedeliverResponse.class, (in, call) -> {
                    var sent = queue.sent(call, in.id());
                    var id = in.endpointId() == null ? sent.receiver().toString() : in.endpointId();
                    var receiver = enabled(call, id);
                    return new RedeliverResponse(queue.again(call, sent, receiver.id()));
                });
    }

    private ReceiverRow enabled(Call call, String id) {
        return checked(receivers.lock(call, id));
    }

    /** @throws Problem {@code conflict} if nothing would be sent */
    static ReceiverRow checked(ReceiverRow receiver) {
        if (!receiver.enabled()) {
            throw Problem.conflict("the endpoint '%s' is disabled (%s): enable it with WH_Update first"
                    .formatted(receiver.id(), receiver.disabledReason()));
        }
        return receiver;
    }

    record RecoverRequest(
            @Doc(value = ReceiverTools.ID, max = 64) String id,

            @Doc("Only deliveries that were queued at this time or later.")
            Instant since,

            @Doc(value = "To this endpoint instead.", max = 64) @Nullable
            String toEndpointId,

            @Doc(value = "next_cursor of the previous call, to continue.", max = 2_000, mayBeBlank = true) @Nullable
            String cursor) {}

    record RecoverResponse(
            @Doc("How many deliveries were queued or are attempted now instead of later, at most 1,000 in one call.")
            long queued,

            @Doc("Send it as cursor to continue; absent if there are no more.") @Nullable
            String nextCursor) {}

    private Tool<RecoverRequest, RecoverResponse> recover() {
        return Tool.named("WH_RedeliverFailed")
                .title("Deliver again what failed")
                .description("""
                        Queues an endpoint's failed deliveries again, all since a given time, for admins.""")
                .details("""
                        Each event whose last delivery has failed or is exhausted is sent again, in order, to the same or \
                        another endpoint. At the same endpoint a failed delivery that waits for its next attempt is attempted \
                        now, which counts as one of its attempts: wait until the receiver works. Events that have \
                        arrived meanwhile or are on their way are left out, so a second call does not double them.""")
                .alsoCalled(
                        "send all failed events again",
                        "our server was down",
                        "retry everything",
                        "catch up after downtime",
                        "resend everything after an outage",
                        "retry all failures",
                        "recover missed callbacks",
                        "bulk replay")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .route("POST", "/api/webhooks/endpoints/{id}/redeliver")
                .handledBy(RecoverRequest.class, RecoverResponse.class, (in, call) -> {
                    var other = in.toEndpointId();
                    var to = enabled(call, other == null ? in.id() : other);
                    // Not locked: a caller with two locks could deadlock.
                    var from = other == null ? to.id() : receivers.find(call, in.id());
                    var missed = DeliveryQueueStore.MissedEvents.of(from, in.since(), call.now(), in.cursor());
                    var done = queue.missed(call, missed, to.id());
                    return new RecoverResponse(done.queued(), done.nextCursor());
                });
    }
}
