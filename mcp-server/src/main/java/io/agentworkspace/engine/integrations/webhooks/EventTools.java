package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Event types, the event feed and test events: WH_Events, WH_Feed, WH_Test. */
final class EventTools {
    /** The maximum size of a test event's data, in characters of JSON. */
    private static final int LONGEST_DATA = 64_000;

    private static final UUID EXAMPLE = UUID.fromString("7c9f1e1a-8a55-4b7e-9d3f-0c1d2e3f4a5b");
    private static final Instant EXAMPLE_TIME = Instant.parse("2026-05-25T12:00:00Z");

    private final DeliveryQueries reads;
    private final DeliveryQueueStore queue;
    private final ReceiverStore receivers;

    public EventTools(DeliveryQueries reads, DeliveryQueueStore queue, ReceiverStore receivers) {
        this.reads = reads;
        this.queue = queue;
        this.receivers = receivers;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(types(), feed(), test());
    }

    record EventsRequest() {}

    record Described(
            @Doc("The event type.") String type,
            @Doc("The group that it belongs to.") String group,
            @Doc("When it is sent.") String description,
            @Doc("JSON Schema of its data.") ObjectNode schema,
            @Doc("An event of this type, in its envelope.") ObjectNode example) {}

    record EventsResponse(@Doc("All event types.") List<Described> events) {}

    private Tool<EventsRequest, EventsResponse> types() {
        return Tool.named("WH_Events")
                .title("List event types")
                .description("""
                        Lists the event types that webhooks and the feed have, each with a JSON Schema and an example.""")
                .alsoCalled(
                        "which events exist",
                        "what can a webhook report",
                        "kinds of events",
                        "what can i subscribe to",
                        "event catalog",
                        "available triggers",
                        "payload format")
                .needs(Capability.WEBHOOK_READ)
                .route("GET", "/api/webhooks/events")
                .handledBy(EventsRequest.class, EventsResponse.class, (_, call) -> {
                    return new EventsResponse(Arrays.stream(EventType.values())
                            .map(EventTools::described)
                            .toList());
                });
    }

    private static Described described(EventType type) {
        return new Described(type.word(), type.group(), type.description(), type.schema(), example(type));
    }

    private static ObjectNode example(EventType type) {
        var envelope = Json.object().put("id", EXAMPLE.toString()).put("type", type.word());
        envelope.set("created_at", Json.valueTree(EXAMPLE_TIME));
        envelope.set("data", type.example());
        return envelope;
    }

    record FeedRequest(
            @Doc(
                    value =
                            "The seq of the last event that you have; later ones are returned. Default: 0, the beginning.",
                    max = Long.MAX_VALUE)
            @Nullable
            Long after,

            @Doc(value = "How many at most, 1–200; default 50.", min = 1, max = 200) @Nullable
            Integer limit) {}

    record Fed(
            @Doc("Its number in the feed, without gaps except after the restore of a backup.")
            long seq,

            @Doc("The event's id, the same as in its deliveries.")
            UUID id,

            @Doc("Its type.") String type,
            @Doc("When it happened.") Instant createdAt,

            @Doc("What happened; WH_Events shows the schema of each type's data.")
            ObjectNode data) {}

    record FeedResponse(
            @Doc("The events, oldest first.") List<Fed> events,
            @Doc("Send it as after to continue.") long nextAfter,

            @Doc("The highest seq that was given, that of the newest event; 0 before the first.")
            long latest,

            @Doc("The seq of the oldest event that is kept; only if events after your position have been deleted.")
            @Nullable
            Long oldest) {}

    private Tool<FeedRequest, FeedResponse> feed() {
        return Tool.named("WH_Feed")
                .title("Read the feed of events")
                .description("""
                        Reads the events of the tenant after the one you saw last, oldest first, for admins.""")
                .details("""
                        The events are the same that webhooks deliver, numbered without gaps, and kept for 30 days \
                        unless the operator sets another time. After the restore of a backup the numbers go on far higher, \
                        so none comes again. Continue with next_after until it equals latest. Over \
                        MCP the resource engine://events reports new ones.""")
                .alsoCalled(
                        "latest events",
                        "everything since a certain point",
                        "news without a webhook",
                        "event log",
                        "poll for changes",
                        "what happened",
                        "stream of events",
                        "sync changes")
                .needs(Capability.WEBHOOK_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/events")
                .handledBy(FeedRequest.class, FeedResponse.class, (in, call) -> {
                    var after = in.after() == null ? 0 : in.after();
                    var found = reads.feed(call, after, in.limit() == null ? Page.DEFAULT_LIMIT : in.limit());
                    checkPlace(after, found.latest());
                    var events = found.events().stream()
                            .map(event -> new Fed(
                                    event.seq(), event.id(), event.type().word(), event.createdAt(), event.data()))
                            .toList();
                    var begin = Math.max(after, found.cleared());
                    // After a restore the numbers go on beyond the last event.
                    var last = events.isEmpty()
                            ? Math.max(begin, found.latest())
                            : events.getLast().seq();
                    return new FeedResponse(events, last, found.latest(), begin > after ? (Long) (begin + 1) : null);
                });
    }

    /** Refuses a position after the newest event. Such a caller would wait, and miss the events before that number. */
    private static void checkPlace(long after, long latest) {
        if (after > latest) {
            throw Problem.invalid(
                    "after",
                    "is %d, but the newest event is %d: this number is not from this feed. Continue from %d, or from 0 for everything kept"
                            .formatted(after, latest, latest));
        }
    }

    record TestRequest(
            @Doc(value = "The type of the event: webhook.test, or any that WH_Events lists.", max = 64)
            String eventType,

            @Doc(
                    value =
                            "The event's data, which must match the type's schema, at most 64,000 characters; for webhook.test anything. Default: the type's example.",
                    mayBeBlank = true)
            @Nullable
            ObjectNode data,

            @Doc(value = "Only to this endpoint, whatever its event types.", max = 64) @Nullable
            String endpointId) {}

    record TestResponse(
            @Doc("The event's id.") UUID eventId,

            @Doc("The deliveries, one for each endpoint; WH_Delivery shows the result of each.")
            List<Delivery> deliveries,

            @Doc("If there are none: why.") @Nullable String note) {}

    private Tool<TestRequest, TestResponse> test() {
        return Tool.named("WH_Test")
                .title("Send a test event")
                .description("""
                        Sends a test event to the endpoints that subscribe to its type, or to one, for admins. Next: \
                        WH_Delivery.""")
                .details("""
                        Only enabled endpoints receive it. It is signed and retried like any other event, but is not in \
                        the feed. The answer contains the queued deliveries.""")
                .alsoCalled(
                        "try out a webhook",
                        "send an example event",
                        "does my endpoint receive anything",
                        "test call",
                        "try the webhook",
                        "fire a sample",
                        "simulate an event",
                        "check that callbacks arrive")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .route("POST", "/api/webhooks/test")
                .handledBy(TestRequest.class, TestResponse.class, this::send);
    }

    private TestResponse send(TestRequest in, Call call) {
        var type = EventTypes.one("event_type", in.eventType());
        var data = in.data() == null ? type.example() : checked(type, in.data());
        var receiver = in.endpointId() == null
                ? null
                : DeliveryTools.checked(receivers.lock(call, in.endpointId())).id();
        var event = UUID.randomUUID();
        var deliveries = queue.test(call, event, type, data, receiver);
        return new TestResponse(event, deliveries, deliveries.isEmpty() ? nobody(type) : null);
    }

    private static String nobody(EventType type) {
        return "nothing was sent: no enabled endpoint subscribes to %s; make one with WH_Create, add it to one's events with WH_Update, or name one in endpoint_id"
                .formatted(type.word());
    }

    private static ObjectNode checked(EventType type, ObjectNode data) {
        var text = Json.text(data);
        var length = text.codePointCount(0, text.length());
        if (length > LONGEST_DATA) {
            throw Problem.tooLarge("data", length, LONGEST_DATA, "characters of JSON");
        }
        try {
            return type.checked(data);
        } catch (Problem problem) {
            throw new Problem(
                    Failure.INVALID_FIELD, "data.%s, as WH_Events shows for %s".formatted(problem.note(), type.word()));
        }
    }
}
