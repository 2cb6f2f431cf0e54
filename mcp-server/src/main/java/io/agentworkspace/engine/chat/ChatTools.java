package io.agentworkspace.engine.chat;

import io.agentworkspace.engine.agents.AgentStore;
import io.agentworkspace.engine.chat.DestinationQueries.NamedBeginning;
import io.agentworkspace.engine.context.Targets;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SharingHandler;
import io.agentworkspace.engine.domains.ZoneEntry;
import io.agentworkspace.engine.domains.ZoneStore;
import io.agentworkspace.engine.hearing.MessageWait;
import io.agentworkspace.engine.messages.CutMessages;
import io.agentworkspace.engine.messages.MessageStore;
import io.agentworkspace.engine.messages.MessageStore.Addressee;
import io.agentworkspace.engine.messages.MessageStore.Beginning;
import io.agentworkspace.engine.messages.MessageStore.NewMessage;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Audited;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages: AP_Chat, with the guard that stops agents from answering each other endlessly. */
public final class ChatTools {
    /** The maximum bytes of a message in the response, besides its text. */
    private static final long BESIDE_TEXT = 8_000;

    private static final String UNHEARD = "nothing wakes '%s': it reads this message at its next call";

    private static final String NO_ANSWER =
            "No answer came. End your turn if something will wake you (a hook or a listener); else call AP_Wait with reply_to.";

    private final AgentStore agents;
    private final MessageWait wait;
    private final MessageStore messages;
    private final ZoneEntry zones;
    private final DestinationQueries destinations;
    private final StreamHints hints = new StreamHints();

    public ChatTools(Db db, AgentStore agents, MessageStore messages, ZoneEntry zones, MessageWait wait) {
        this.wait = wait;
        this.destinations = new DestinationQueries(db);
        this.agents = agents;
        this.messages = messages;
        this.zones = zones;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(chat());
    }

    record ChatRequest(
            @Doc("Where to say it; the context decides when left out.")
            Targets.@Nullable Chat target,

            @Doc(value = "The message, at most 64,000 characters.", max = 64_000)
            String content,

            @Doc("The id of the message that you answer.") @Nullable
            String replyTo,

            @Doc("true: to the user who owns your agent.") @Nullable
            Boolean toUser,

            @Doc(value = "Wait so long for an answer.", max = MessageWait.MAX_SECONDS) @Nullable
            Integer waitSeconds,

            @Doc("How many of the messages that came in to return.") @Nullable
            Page page) {}

    record ChatResponse(
            @Doc(
                    "First your message as it was stored, then what has come in for you since your last call, oldest first.")
            List<Message> content,

            @Doc(
                    "Who hears it. Of a direct message: to, online, wakes (wait, stream, hook or none), last_seen_at. In a zone, how many others: members, online, wakes.")
            @Nullable
            ObjectNode receipt,

            @Doc("With wait_seconds: how long it waited, in milliseconds.") @Nullable
            Long waitedMs,

            @Doc("What to call next: for texts that are cut here, or for an answer; absent if nothing.") @Nullable
            String next) {}

    /**
     * The destination of a message: a zone's stream, or the other party of direct messages.
     *
     * @param kind what the other party is, if its name is known
     */
    private record Destination(
            @Nullable Long stream,
            @Nullable Ref other,
            @Nullable String kind) {
        @Nullable
        Addressee addressee() {
            return other == null || kind == null ? null : new Addressee(other.name(), kind, null, null);
        }
    }

    /** The names of the agent, or of the domain and zone, that a call gives or its context has selected. */
    private record Place(
            @Nullable Name agent,
            @Nullable Name domain,
            @Nullable Name zone) {
        static Place of(Context context, Targets.@Nullable Chat target) {
            var domain = name(context.domain());
            if (target != null && (target.agent() != null || target.domain() != null || target.zone() != null)) {
                return new Place(
                        target.agent(),
                        target.domain() == null ? domain : target.domain(),
                        target.zone() == null ? ZoneStore.MAIN : target.zone());
            }
            return context.zone() == null
                    ? new Place(name(context.agent()), null, null)
                    : new Place(null, domain, name(context.zone()));
        }

        private static @Nullable Name name(@Nullable Ref selected) {
            return selected == null ? null : Name.of(selected.name());
        }
    }

    /** A message whose place is taken. */
    private record Begun(
            Beginning beginning,
            @Nullable Long other,
            @Nullable Addressee to) {}

    private Tool<ChatRequest, ChatResponse> chat() {
        return Tool.named("AP_Chat")
                .title("Say something")
                .description("""
                        Sends a message as the agent you are logged on as, else as the user. Goes to target.agent or \
                        target.zone; else to the entered zone or the selected agent. Returns it with your new messages.""")
                .details("""
                        Over MCP, your own message comes back as id and content, and its destination if you named none. \
                        With reply_to and no target, the message goes where the answered message is. to_user sends it \
                        to the user whom the agent belongs to. content in the answer contains your message as stored, \
                        then what arrived for you since your last call; these are marked as read. Each text is cut to \
                        500 characters; a message that is cut stays unread, and next names the call that returns it whole. wait_seconds waits for the first answer, \
                        which is last in content. receipt shows who hears the message. Programs that answer each other \
                        without a person are stopped (3003, with retry_at); a person is signed in, an API key is not a person. By default a message may be at most 8 hops from \
                        a person's message or a new thread, and two agents may exchange 10 direct messages a minute. \
                        Until a person speaks, an agent may send 10 direct messages to agents, and two or three agents 30 \
                        messages in a zone; more agents may send more. guard of AP_Modify and DM_Update changes that.""")
                .alsoCalled(
                        "ask an agent a question",
                        "get an answer from another bot",
                        "write to somebody",
                        "delegate work",
                        "let all members of a room know",
                        "reply to a message",
                        "inform the others",
                        "contact a colleague",
                        "send message",
                        "post",
                        "notify",
                        "tell someone",
                        "reply",
                        "ask an agent",
                        "write to",
                        "announce",
                        "broadcast",
                        "ping",
                        "dm",
                        "answer",
                        "talk to",
                        "handoff",
                        "delegate a task",
                        "speak")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD)
                .use("to speak to an agent or a room")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.SEE, Requirement.OfDomain.TAKE_PART, Requirement.OfZone.TAKE_PART)
                .effect(Effect.CREATES)
                .audits(Audited.MESSAGE)
                .onlySelf()
                .shortened(ChatTools::shorten)
                .completedBy(ChatRequest.class, ChatResponse.class, new Saying(), this::complete)
                .shownAgainBy((_, first, call) -> {
                    call.checked(OfDomain.TAKE_PART); // The message is the speaker's own.
                    var id = first.at("/content/0/id").asString("");
                    return new ChatResponse(List.of(messages.posted(call, UUID.fromString(id))), null, null, null);
                });
    }

    /** Shortens the caller's own message to its id, and to its destination if the call did not name that. */
    private static void shorten(ObjectNode answer, ObjectNode arguments) {
        if (answer.at("/content/0") instanceof ObjectNode own) {
            own.remove(List.of("from", "from_kind", "person", "by_key", "to_kind", "seq", "reply_to", "created_at"));
            if (arguments.at("/target/agent").isString()) {
                own.remove("to");
            }
            if (arguments.at("/target/zone").isString()) {
                own.remove(List.of("domain", "zone"));
            }
        }
    }

    /** Messages of one stream share a transaction: only one at a time can have the next place in it. */
    private final class Saying implements SharingHandler<ChatRequest, ChatResponse> {
        @Override
        public ChatResponse handle(ChatRequest in, Call call) {
            return say(in, call);
        }

        @Override
        public @Nullable Object sharedBy(ChatRequest in, Call call) {
            return in.replyTo() == null ? hints.find(call, in.target(), isToUser(in)) : null;
        }
    }

    private static boolean isToUser(ChatRequest in) {
        return Boolean.TRUE.equals(in.toUser());
    }

    private ChatResponse say(ChatRequest in, Call call) {
        var speaker = call.context().speaker();
        var replyTo = replyTo(in.replyTo());
        if (in.target() != null
                && in.target().agent() != null
                && (in.target().zone() != null || in.target().domain() != null)) {
            throw Problem.invalid("target", "must name an agent or a zone, not both");
        }
        var begun = replyTo != null || isToUser(in)
                ? begin(call, in, replyTo)
                : beginByName(call, in.target()).orElseGet(() -> begin(call, in, null));
        var place = begun.beginning().place();
        var before = begun.beginning().before();
        var guard = new LoopGuard(place, before);
        var lineage = call.isByPerson()
                ? LoopGuard.ofPerson(before)
                : call.context().self() == null
                        ? guard.ofProgram(begun.other(), replyTo != null)
                        : guard.lineage(begun.other(), replyTo != null);
        var draft = new NewMessage(speaker, call.context().self() != null, begun.other(), begun.to(), in.content());
        call.budget().spend(in.content());
        call.budget().spend(BESIDE_TEXT);
        // The next call returns what arrives from now on.
        var limit = call.context().unread() == 0 ? 0 : Page.limit(in.page());
        var said = messages.post(call, place, draft, lineage, limit);
        if (replyTo == null) {
            hints.remember(call, in.target(), isToUser(in), place.stream());
        }
        // Further messages may have arrived since the context was read.
        call.context(call.context().withUnread(Math.max(0, call.context().unread() - said.read())));
        return new ChatResponse(said.all(), receipt(call, begun, said.own()), null, CutMessages.next(said.waiting()));
    }

    private static ObjectNode receipt(Call call, Begun begun, Message own) {
        var reach = begun.beginning().reach();
        return own.to() == null ? reach.receipt() : reach.receipt(own.to(), call.now());
    }

    /** Completes the response after the commit: who does not hear the message, and the answer that the call waits for. */
    private void complete(ChatRequest in, ObjectNode envelope, Call call) {
        if (envelope.at("/receipt/wakes").asString("").equals("none")
                && envelope.get("status") instanceof ObjectNode status) {
            status.put("note", UNHEARD.formatted(envelope.at("/receipt/to").asString("")));
        }
        if (in.waitSeconds() != null && envelope.get("content") instanceof ArrayNode content) {
            await(in, envelope, content, call);
        }
    }

    /** Waits for the answer to a message that is committed, also where the call repeats an earlier one. */
    private void await(ChatRequest in, ObjectNode envelope, ArrayNode content, Call call) {
        try {
            var own = UUID.fromString(content.path(0).path("id").asString(""));
            var heard = wait.forAnswer(call, own, MessageWait.time(call, in.waitSeconds()));
            heard.messages().forEach(message -> content.add(Json.valueTree(message)));
            envelope.put("waited_ms", heard.waitedMillis());
            Envelope.unread(envelope, call.context().unread());
            if (heard.messages().isEmpty()) {
                var cut = envelope.path("next").asString("");
                envelope.put("next", cut.isEmpty() ? NO_ANSWER : cut + " " + NO_ANSWER);
            }
        } catch (Problem ended) {
            envelope.put("next", "Your message was sent. Its answer was not waited for: " + ended.note());
        }
    }

    /**
     * Takes the place of a message to a named agent or zone, or to what the context has selected. Empty if the speaker may
     * not send one there.
     */
    private Optional<Begun> beginByName(Call call, Targets.@Nullable Chat target) {
        var to = Place.of(call.context(), target);
        var begun = to.agent() != null
                ? destinations.toAgent(call, to.agent())
                : to.domain() != null && to.zone() != null
                        ? destinations.inZone(call, to.domain(), to.zone())
                        : Optional.<NamedBeginning>empty();
        return begun.map(found -> {
            call.checked(OfDomain.TAKE_PART); // Otherwise no zone is addressed.
            var other = found.agent();
            return other == null
                    ? new Begun(found.beginning(), null, new Addressee(null, null, found.domain(), found.zone()))
                    : new Begun(
                            found.beginning(), other.id(), new Addressee(other.name(), MessageStore.AGENT, null, null));
        });
    }

    /** Finds the destination, and then takes the place there. */
    private Begun begin(Call call, ChatRequest in, @Nullable UUID replyTo) {
        var speaker = call.context().speaker();
        var to = destination(call, in, replyTo);
        if (to.other() != null && to.other().id() == speaker.id()) {
            throw Problem.invalid("target.agent", "must be another agent than the one that speaks");
        }
        var other = to.other() == null ? null : (Long) to.other().id();
        return new Begun(messages.begin(call, to.stream(), other, speaker.id(), replyTo), other, to.addressee());
    }

    private static @Nullable UUID replyTo(@Nullable String id) {
        try {
            return id == null || id.isBlank() ? null : UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("reply_to", "must be the id of a message");
        }
    }

    private Destination destination(Call call, ChatRequest in, @Nullable UUID replyTo) {
        var target = in.target();
        var named = isToUser(in) ? user(call, target) : target == null ? null : named(call, target);
        if (replyTo != null) {
            return answering(call, replyTo, named);
        }
        if (named != null) {
            return named;
        }
        var context = call.context();
        if (context.zone() != null) {
            return new Destination(zones.entered(call), null, null);
        }
        if (context.agent() != null) {
            return direct(call, Name.of(context.agent().name()));
        }
        throw Problem.noContext(
                "the message has no recipient: give target.agent, or target.domain and target.zone, or enter a zone"
                        + " with ZN_Enter, or select an agent with AP_Select");
    }

    private static Destination user(Call call, Targets.@Nullable Chat target) {
        if (target != null && (target.agent() != null || target.domain() != null || target.zone() != null)) {
            throw Problem.invalid("to_user", "cannot be combined with a target agent or zone");
        }
        if (call.context().self() == null) {
            throw Problem.noContext(
                    "only agents can send to to_user: log on as one with AP_LogOn, or address an agent");
        }
        call.checked(OfDomain.TAKE_PART); // No zone is addressed.
        return new Destination(null, call.context().user(), MessageStore.USER);
    }

    private @Nullable Destination named(Call call, Targets.Chat target) {
        if (target.agent() != null) {
            return direct(call, target.agent());
        }
        return target.domain() == null && target.zone() == null
                ? null
                : new Destination(zones.stream(call, target.domain(), target.zone()), null, null);
    }

    private Destination direct(Call call, Name agent) {
        call.checked(OfDomain.TAKE_PART); // No zone is addressed.
        return new Destination(null, agents.read(call, agent).ref(), MessageStore.AGENT);
    }

    /** Returns the place of the answered message. A destination that is also named must be the same. */
    private Destination answering(Call call, UUID replyTo, @Nullable Destination named) {
        var standing = messages.find(call, replyTo, call.context().speaker().id())
                .orElseThrow(() -> Problem.notFound("message", replyTo.toString(), List.of()));
        call.checked(OfDomain.TAKE_PART); // Messages are found only where the speaker takes part.
        var there = standing.zone() != null
                ? new Destination(standing.stream(), null, null)
                : new Destination(null, new Ref(Objects.requireNonNull(standing.other()), ""), null);
        if (named != null && !samePlace(named, there)) {
            throw Problem.invalid("reply_to", "must be a message of the target's conversation");
        }
        return there;
    }

    private static boolean samePlace(Destination one, Destination two) {
        return Objects.equals(one.stream(), two.stream())
                && (one.other() == null
                        ? two.other() == null
                        : two.other() != null && one.other().id() == two.other().id());
    }
}
