package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.integrations.webhooks.sender.Signature;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Webhook receivers: WH_List, WH_Read, WH_Create, WH_Update, WH_RotateSecret, WH_Delete. They are for admins, since
 * events reveal everything in the tenant.
 */
final class ReceiverTools {
    static final String ID = "The endpoint's id, as WH_List shows it.";

    static final String URL =
            "Where events are sent to, by POST: an https URL without user info or fragment, and not on a port of another protocol.";
    static final String EVENTS =
            "The event types that it receives, as WH_Events lists them, each once; [\"*\"] for all, including future ones.";
    static final String ENABLED = "Whether it receives events.";
    private static final long DAY = 86_400;

    private final SecureRandom random = new SecureRandom();
    private final ReceiverQueries reads;
    private final ReceiverStore receivers;
    private final ReceiverServices outbound;

    public ReceiverTools(ReceiverQueries reads, ReceiverStore receivers, ReceiverServices outbound) {
        this.reads = reads;
        this.receivers = receivers;
        this.outbound = outbound;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read(), create(), update(), rotate(), delete());
    }

    record ListRequest(
            @Doc("Which part of a long list.") @Nullable Page page) {}

    record ListResponse(
            @Doc("The endpoints, newest first.") List<Endpoint> endpoints,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("WH_List")
                .title("List webhook endpoints")
                .description("""
                        Lists the webhook endpoints, newest first, with their deliveries of the last 24 hours, for \
                        admins.""")
                .details("""
                        For each: its URL and the events that it receives. Secrets are never shown.""")
                .alsoCalled(
                        "which webhooks are set up",
                        "urls that get our events",
                        "all receivers",
                        "which callbacks exist",
                        "subscriptions",
                        "outgoing hooks",
                        "integrations")
                .needs(Capability.WEBHOOK_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/webhooks/endpoints")
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var found = reads.list(call, in.page());
                    var records = found.rows().stream()
                            .map(row -> ReceiverRecord.of(row, call.now(), null))
                            .toList();
                    return new ListResponse(records, found.nextCursor());
                });
    }

    record ReceiverRequest(@Doc(value = ID, max = 64) String id) {}

    record ReadResponse(@Doc("The endpoint's record.") Endpoint endpoint) {}

    private Tool<ReceiverRequest, ReadResponse> read() {
        return Tool.named("WH_Read")
                .title("Read a webhook endpoint")
                .description("""
                        Reads a webhook endpoint: record, check of its URL, deliveries of the last 24 hours, for \
                        admins.""")
                .alsoCalled(
                        "details of one webhook",
                        "state of an endpoint",
                        "is the receiver healthy",
                        "which events does it get",
                        "callback details",
                        "is my hook healthy",
                        "endpoint status")
                .needs(Capability.WEBHOOK_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/webhooks/endpoints/{id}")
                .handledBy(
                        ReceiverRequest.class,
                        ReadResponse.class,
                        (in, call) -> new ReadResponse(ReceiverRecord.of(reads.read(call, in.id()), call.now(), null)));
    }

    record CreateRequest(
            @Doc(value = URL, max = 2_000) String url,
            @Doc(value = EVENTS, max = 50) List<String> events,

            @Doc(value = "What it is for.", max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = ENABLED + " Default: true.", mayBeBlank = true) @Nullable
            Boolean enabled) {}

    record SecretResponse(
            @Doc("The endpoint's record, with its secret.") Endpoint endpoint,
            @Doc("Its revision.") long revision) {}

    /** The result of the URL check and the encrypted secret, from before the transaction. */
    private record PreparedReceiver(
            String id, @Nullable String url, @Nullable String preflight, String secret, String sealed) {}

    private Tool<CreateRequest, SecretResponse> create() {
        return Tool.named("WH_Create")
                .title("Create a webhook endpoint")
                .description("""
                        Creates a webhook endpoint: events are sent to a URL. Shows the signing secret this once. Next: \
                        WH_Test.""")
                .details("""
                        For admins only, since events report everything that happens in the tenant. preflight shows \
                        whether the URL can be reached. It sends the event webhook.endpoint.created.""")
                .alsoCalled(
                        "notify another program",
                        "get called when something changes",
                        "push events to a url",
                        "integrate with another service",
                        "tell our server about new messages",
                        "subscribe to events",
                        "register a callback",
                        "get notified by http",
                        "new hook",
                        "push events to my server",
                        "integrate with slack")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CREATES)
                .route("POST", "/api/webhooks/endpoints")
                .handledBy(CreateRequest.class, SecretResponse.class, this::prepare, this::insert);
    }

    private PreparedReceiver prepare(CreateRequest in, Call call) {
        EventTypes.many(in.events());
        var url = OutboundUrl.parse(in.url(), outbound.allowPrivate());
        var preflight = Json.text(outbound.probes().check(call.caller().tenant(), url));
        return sealed(UUID.randomUUID().toString(), url.toString(), preflight, call);
    }

    private PreparedReceiver sealed(String id, @Nullable String url, @Nullable String preflight, Call call) {
        var secret = Signature.newSecret(random);
        return new PreparedReceiver(id, url, preflight, secret, receivers.seal(call, id, secret));
    }

    private SecretResponse insert(CreateRequest in, PreparedReceiver prepared, Call call) {
        var row = receivers.insert(
                call,
                new ReceiverStore.ReceiverDraft(
                        UUID.fromString(prepared.id()),
                        Objects.requireNonNull(prepared.url()),
                        in.events(),
                        in.description(),
                        in.enabled() == null || in.enabled(),
                        prepared.sealed(),
                        Objects.requireNonNull(prepared.preflight())));
        call.emit(EventType.WEBHOOK_ENDPOINT_CREATED, ReceiverRecord.state(row));
        return new SecretResponse(ReceiverRecord.of(row, call.now(), prepared.secret()), row.revision());
    }

    record UpdateRequest(
            @Doc(value = ID, max = 64) String id,

            @Doc(value = URL + " If given, the engine checks it again.", max = 2_000, mayBeBlank = true) @Nullable
            String url,

            @Doc(value = EVENTS, max = 50) @Nullable List<String> events,

            @Doc(value = "What it is for.", max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = ENABLED + " true also enables an endpoint that the engine has disabled.", mayBeBlank = true)
            @Nullable
            Boolean enabled,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    record UpdateResponse(
            @Doc("The endpoint's record.") Endpoint endpoint,
            @Doc("Its revision.") long revision,
            @Doc("false if nothing had to be changed.") boolean changed) {}

    /** The new URL and the result of its check; null if there is no new URL. */
    private record ProbedReceiver(
            @Nullable String url, @Nullable String preflight) {}

    private Tool<UpdateRequest, UpdateResponse> update() {
        return Tool.named("WH_Update")
                .title("Change a webhook endpoint")
                .description("""
                        Changes only the fields of a webhook endpoint that you give, for admins.""")
                .details("""
                        A disabled endpoint receives nothing, and events of that time are not queued for it: read them \
                        with WH_Feed, from missed.after on. Deliveries that were queued before continue when it is enabled \
                        again. It sends the event webhook.endpoint.updated.""")
                .alsoCalled(
                        "change the url of a receiver",
                        "pause a webhook",
                        "send other events",
                        "enable an endpoint again",
                        "pause a callback",
                        "disable the hook",
                        "change the url",
                        "change subscriptions",
                        "turn off notifications")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .route("PATCH", "/api/webhooks/endpoints/{id}")
                .example("description", "Tells the pager.")
                .handledBy(UpdateRequest.class, UpdateResponse.class, this::look, this::change);
    }

    private ProbedReceiver look(UpdateRequest in, Call call) {
        if (in.events() != null) {
            EventTypes.many(in.events());
        }
        if (in.url() == null) {
            return new ProbedReceiver(null, null);
        }
        var url = OutboundUrl.parse(in.url(), outbound.allowPrivate());
        return new ProbedReceiver(
                url.toString(), Json.text(outbound.probes().check(call.caller().tenant(), url)));
    }

    private UpdateResponse change(UpdateRequest in, ProbedReceiver looked, Call call) {
        var receiver = receivers.lock(call, in.id());
        IfRevision.check(in.ifRevision(), receiver.revision());
        var change = new ReceiverStore.ReceiverChange(
                looked.url(), in.events(), in.description(), in.enabled(), looked.preflight());
        var row = receivers.update(call, receiver, change);
        var changed = !change.isNone(receiver);
        if (changed) {
            call.emit(EventType.WEBHOOK_ENDPOINT_UPDATED, ReceiverRecord.state(row));
        }
        return new UpdateResponse(ReceiverRecord.of(row, call.now(), null), row.revision(), changed);
    }

    record RotateRequest(
            @Doc(value = ID, max = 64) String id,

            @Doc(
                    value =
                            "For how many seconds deliveries are also signed with the old secret, at most 7 days; default 86400.",
                    max = 604_800,
                    mayBeBlank = true)
            @Nullable
            Long overlapSeconds,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    private Tool<RotateRequest, SecretResponse> rotate() {
        return Tool.named("WH_RotateSecret")
                .title("Give a webhook endpoint a new secret")
                .description("""
                        Gives a webhook endpoint a new secret and shows it this once, for admins.""")
                .details("""
                        Until overlap_seconds have passed, each delivery also carries a signature with the old secret, \
                        so that the receiver can change over. A second rotation ends a running overlap. Event \
                        webhook.endpoint.updated.""")
                .alsoCalled(
                        "new signing secret of a webhook",
                        "exchange the key that signs events",
                        "webhook secret",
                        "signing secret",
                        "renew the signature key",
                        "hmac key",
                        "whsec")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .route("POST", "/api/webhooks/endpoints/{id}/rotate-secret")
                .handledBy(
                        RotateRequest.class,
                        SecretResponse.class,
                        (in, call) -> sealed(in.id(), null, null, call),
                        this::rotated);
    }

    private SecretResponse rotated(RotateRequest in, PreparedReceiver prepared, Call call) {
        var receiver = receivers.lock(call, in.id());
        IfRevision.check(in.ifRevision(), receiver.revision());
        var overlap = Duration.ofSeconds(in.overlapSeconds() == null ? DAY : in.overlapSeconds());
        var row = receivers.rotate(call, receiver, prepared.sealed(), overlap);
        call.emit(EventType.WEBHOOK_ENDPOINT_UPDATED, ReceiverRecord.state(row));
        return new SecretResponse(ReceiverRecord.of(row, call.now(), prepared.secret()), row.revision());
    }

    record DeleteRequest(
            @Doc(value = ID, max = 64) String id,
            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record DeleteResponse(@Doc("Always true.") boolean changed) {}

    private Tool<DeleteRequest, DeleteResponse> delete() {
        return Tool.named("WH_Delete")
                .title("Delete a webhook endpoint")
                .description("""
                        Deletes a webhook endpoint permanently, for admins. WH_Update with enabled false only stops it.""")
                .details("""
                        Pending deliveries are dropped. The endpoint receives its own webhook.endpoint.deleted, unless \
                        it was disabled.""")
                .alsoCalled(
                        "no more events to that url",
                        "remove a receiver",
                        "unsubscribe a server",
                        "unsubscribe from events",
                        "remove a callback",
                        "stop sending to my server")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/webhooks/endpoints/{id}")
                .handledBy(DeleteRequest.class, DeleteResponse.class, (in, call) -> {
                    var receiver = receivers.lock(call, in.id());
                    IfRevision.check(in.ifRevision(), receiver.revision());
                    receivers.delete(call, receiver);
                    call.emit(EventType.WEBHOOK_ENDPOINT_DELETED, ReceiverRecord.deleted(receiver));
                    return new DeleteResponse(true);
                });
    }
}
