package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import io.agentworkspace.engine.workspace.messages.ThreadQueries;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tools for the channels of a domain: ZN_List, ZN_Read, ZN_Enter, ZN_Leave, ZN_Create, ZN_Destroy. */
final class ZoneTools {
    private final DomainStore domains;
    private final ZoneStore zones;
    private final ZoneQueries reads;
    private final ContextStore stored;
    private final MessageStore messages;

    public ZoneTools(
            DomainStore domains, ZoneStore zones, ZoneQueries reads, ContextStore stored, MessageStore messages) {
        this.domains = domains;
        this.zones = zones;
        this.reads = reads;
        this.stored = stored;
        this.messages = messages;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read(), enter(), leave(), create(), destroy());
    }

    record NewZone(
            @Doc("Unique in its domain.") Name name,

            @Doc(value = "What it is for.", max = Limits.DESCRIPTION, mayBeBlank = true) @Nullable
            String description) {}

    record ListRequest(
            @Doc("Of which domain.") Targets.@Nullable ZonePrefix target,
            @Doc("Which part.") @Nullable Page page) {}

    record ReadRequest(
            @Doc("Which zone.") Targets.@Nullable ZoneOnly target,

            @Doc("A message's id: it and all answers.") @Nullable
            String thread,

            @Doc("Which part.") @Nullable Page page) {}

    record EnterRequest(
            @Doc("Which zone; 'main' when it is left out.") Targets.@Nullable ZoneOnly target) {}

    record LeaveRequest(@Doc("In which context.") Targets.@Nullable ContextOnly target) {}

    record CreateRequest(
            @Doc("In which domain.") Targets.DomainOnly target,
            @Doc("The new zone.") NewZone vx) {}

    record DestroyRequest(@Doc("Which zone.") Targets.ThisZone target) {}

    record ListResponse(
            @Doc("The zones, by name.") List<Zone> profile,
            @Doc("For each of them, the waiting messages.") List<WaitingMessages> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record WaitingMessages(
            @Doc("The zone's name.") String zone,

            @Doc("How many messages wait there for you: for the agent you are logged on as, else for the user.")
            long unread,

            @Doc("When the last message was sent there; absent unless you take part in the domain.") @Nullable
            Instant lastMessageAt) {}

    record ReadResponse(
            @Doc("The zone.") List<Zone> profile,
            @Doc("Its latest messages, oldest first.") List<Message> content,

            @Doc("Give it as page.cursor for older messages; absent when there are none.") @Nullable
            String nextCursor) {}

    record EnterResponse(
            @Doc("The zone.") Zone zone,
            @Doc("Whether you were not in it before.") boolean changed) {}

    record CreateResponse(@Doc("The new zone.") Zone zone) {}

    record ZoneResponse(
            @Doc("Whether this changed anything.") boolean changed) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("ZN_List")
                .title("List a domain's zones")
                .description("Lists the zones of a domain. Next: ZN_Read, ZN_Enter.")
                .details("""
                        Zones are the channels that members talk in. content shows how many messages wait for you in \
                        each and when the last one was sent.""")
                .alsoCalled(
                        "rooms of a domain",
                        "which channels can i join",
                        "topics of the team",
                        "channels",
                        "rooms",
                        "topics",
                        "threads",
                        "which chat rooms")
                .needs(Capability.ZONE_READ)
                .on(Requirement.OfDomain.SEE)
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var target = in.target() == null ? new Targets.ZonePrefix(null, null, null) : in.target();
                    var found = reads.list(call, target.domain(), target.zone(), in.page());
                    return new ListResponse(
                            found.rows().stream()
                                    .map(ZoneQueries.ZoneSummary::zone)
                                    .toList(),
                            found.rows().stream()
                                    .map(entry -> new WaitingMessages(
                                            entry.zone().name(), entry.unread(), entry.lastMessageAt()))
                                    .toList(),
                            found.nextCursor());
                });
    }

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("ZN_Read")
                .title("Read a zone")
                .page(Guide.Page.CONVERSATION)
                .description("""
                        Reads the latest messages of a zone and marks them as read. Default: the entered zone, or 'main' of \
                        target.domain.""")
                .details("""
                        profile contains the record, content the latest messages, oldest first. For older messages send \
                        next_cursor as page.cursor. thread shows the answers to one message, and marks nothing as read. A key that acts as no agent marks none. For those \
                        who take part in the domain. AP_Chat answers.""")
                .alsoCalled(
                        "what was said in a room",
                        "read older messages",
                        "history of a channel",
                        "what did i miss",
                        "minutes of the conversation",
                        "history",
                        "channel history",
                        "transcript",
                        "what was discussed",
                        "group chat log",
                        "catch up on the room",
                        "read the channel",
                        "meeting notes")
                .hints(Guide.Hint.WORK, Guide.Hint.LARGE_RESULT)
                .needs(Capability.ZONE_READ)
                .on(Requirement.OfDomain.HEAR, Requirement.OfZone.HEAR)
                .effect(Effect.MARKS)
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var target = in.target() == null ? new Targets.ZoneOnly(null, null, null) : in.target();
                    var thread = ThreadQueries.id(in.thread());
                    var found = thread == null
                            ? reads.read(call, target.domain(), target.zone(), in.page())
                            : reads.readThread(call, target.domain(), target.zone(), thread, in.page());
                    return new ReadResponse(
                            List.of(found.zone()),
                            found.messages().rows(),
                            found.messages().nextCursor());
                });
    }

    private Tool<EnterRequest, EnterResponse> enter() {
        return Tool.named("ZN_Enter")
                .title("Enter a zone")
                .description(
                        "Enters a zone. AP_Chat then sends there, and other calls use its domain, unless they name another.")
                .details("""
                        ZN_Read, ZN_List and DM_Read use it by default, too. target.zone defaults to 'main'. The agent \
                        you are logged on as must be a member of the domain; as a user, you need an agent in it, or own \
                        it. DM_Invite lets an agent in. Messages from before your first visit do not count as unread; \
                        ZN_Read shows them.""")
                .alsoCalled(
                        "go to a room",
                        "join a conversation",
                        "move to another channel",
                        "join a channel",
                        "go to the room",
                        "switch channel",
                        "open a chat room",
                        "walk into")
                .hints(Guide.Hint.WORK)
                .needs(Capability.ZONE_READ)
                .on(Requirement.OfDomain.TAKE_PART, Requirement.OfZone.TAKE_PART)
                .effect(Effect.MOVES)
                .idempotent()
                .handledBy(EnterRequest.class, EnterResponse.class, (in, call) -> {
                    var target = in.target() == null ? new Targets.ZoneOnly(null, null, null) : in.target();
                    var domain = domains.read(call, domain(call, target.domain()));
                    zones.checkTakesPart(call, domain);
                    var zone = zones.read(call, domain, target.zone() == null ? ZoneStore.MAIN : target.zone());
                    return new EnterResponse(zone.zone(), enter(call, domain, zone));
                });
    }

    private static Name domain(Call call, @Nullable Name name) {
        var entered = call.context().domain();
        if (name == null && entered == null) {
            throw Problem.noContext("no domain is entered: give target.domain; DM_List shows those that you may see");
        }
        return name != null ? name : Name.of(Objects.requireNonNull(entered).name());
    }

    private boolean enter(Call call, DomainStore.LockedDomain domain, ZoneStore.LockedZone zone) {
        var context = call.context();
        if (context.self() == null) {
            zones.listen(call, zone);
        }
        if (domain.ref().equals(context.domain()) && zone.ref().equals(context.zone())) {
            return false;
        }
        call.context(context.withZone(domain.ref(), zone.ref()));
        stored.save(call);
        return true;
    }

    private Tool<LeaveRequest, ZoneResponse> leave() {
        return Tool.named("ZN_Leave")
                .title("Leave the zone")
                .description("Leaves the entered zone. Memberships stay.")
                .details("""
                        Messages keep waiting for you. If no zone is entered, nothing changes.""")
                .alsoCalled(
                        "go out of a channel",
                        "quit a conversation",
                        "exit the channel",
                        "leave the room",
                        "close the chat",
                        "step out")
                .needs(Capability.ZONE_READ)
                .effect(Effect.MOVES)
                .idempotent()
                .handledBy(LeaveRequest.class, ZoneResponse.class, (in, call) -> {
                    var context = call.context();
                    if (context.domain() == null && context.zone() == null) {
                        return new ZoneResponse(false);
                    }
                    call.context(context.withZone(null, null));
                    stored.save(call);
                    return new ZoneResponse(true);
                });
    }

    private Tool<CreateRequest, CreateResponse> create() {
        return Tool.named("ZN_Create")
                .title("Create a zone")
                .description("""
                        Creates a zone, a channel for all members of the domain. Next: ZN_Enter.""")
                .details("For the domain's owner, admins, and whoever is logged on as its host.")
                .alsoCalled(
                        "a new room",
                        "a channel of its own for a topic",
                        "open a discussion on one subject",
                        "separate conversation",
                        "new channel",
                        "make a room",
                        "start a thread",
                        "add a topic")
                .needs(Capability.ZONE_WRITE)
                .on(Requirement.OfDomain.RUN)
                .effect(Effect.CREATES)
                .handledBy(CreateRequest.class, CreateResponse.class, (in, call) -> {
                    var domain = hold(call, in.target().domain());
                    return new CreateResponse(
                            zones.insert(call, domain, in.vx().name(), in.vx().description()));
                });
    }

    private Tool<DestroyRequest, ZoneResponse> destroy() {
        return Tool.named("ZN_Destroy")
                .title("Delete a zone")
                .description("Deletes a zone and its messages, permanently.")
                .details("""
                        'main' stays as long as its domain. For the domain's owner, admins, and whoever is logged on as \
                        its host.""")
                .alsoCalled(
                        "remove a room for good",
                        "a channel is no longer needed",
                        "delete a topic",
                        "delete a channel",
                        "remove a room",
                        "drop a thread")
                .needs(Capability.ZONE_WRITE)
                .on(Requirement.OfDomain.RUN, Requirement.OfZone.RUN)
                .effect(Effect.DESTROYS)
                .example("target.zone", "night-watch")
                .handledBy(DestroyRequest.class, ZoneResponse.class, (in, call) -> {
                    var domain = hold(call, in.target().domain());
                    var zone = zones.read(call, domain, in.target().zone());
                    if (in.target().zone().key().equals(ZoneStore.MAIN.key())) {
                        throw Problem.conflict(
                                "the zone 'main' cannot be destroyed; it goes with its domain (DM_Destroy)");
                    }
                    zones.destroy(call, domain, zone);
                    if (zone.ref().equals(call.context().zone())) {
                        call.context(call.context().withZone(domain.ref(), null));
                    }
                    messages.recountFewer(call);
                    return new ZoneResponse(true);
                });
    }

    private DomainStore.LockedDomain hold(Call call, Name name) {
        var domain = domains.lock(call, name);
        AccessCheck.require(DomainAccess.missing(call, domain));
        return domain;
    }
}
