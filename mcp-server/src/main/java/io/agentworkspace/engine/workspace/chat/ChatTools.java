package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.event.EventData.MessageCreated;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserRecipient;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Audited;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.delivery.wait.MessageWait;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import io.agentworkspace.engine.workspace.guard.GuardStore;
import io.agentworkspace.engine.workspace.guard.LoopGuard;
import io.agentworkspace.engine.workspace.messages.ConversationStore;
import io.agentworkspace.engine.workspace.messages.ConversationStore.Slot;
import io.agentworkspace.engine.workspace.messages.CutMessages;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import io.agentworkspace.engine.workspace.messages.MessageStore.NewMessage;
import io.agentworkspace.engine.workspace.messages.Reach;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages: AP_Chat, with the guard that stops agents from answering each other endlessly. */
final class ChatTools {
    /** The maximum bytes of a message in the response, besides its text. */
    private static final long BESIDE_TEXT = 8_000;

    /** So many messages of the conversation come back with one that an agent sends. */
    private static final int MOST_TAKEN = 5;

    static final String NO_ANSWER =
            "No answer came. End your turn if something will wake you (a hook or a listener); else call AP_Wait with reply_to.";

    private static final String STAYS_UNREAD =
            "The answer stays unread, since earlier messages are: AP_Wait with wait_seconds 0 returns them and marks all as read.";

    private static final String NOT_TAKEN =
            "Your message was sent; do not send it again. What has come in could not be read: your next call returns it.";

    private final DestinationQueries destinations;
    private final AttachmentQueries attachments;
    private final ConversationStore conversations;
    private final MessageStore messages;
    private final GuardStore guards;
    private final MessageWait wait;

    ChatTools(Db db, DestinationQueries destinations, MessageStore messages, MessageWait wait) {
        this.destinations = destinations;
        this.attachments = new AttachmentQueries(db);
        this.conversations = new ConversationStore(db);
        this.messages = messages;
        this.guards = new GuardStore(db);
        this.wait = wait;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(chat());
    }

    record ChatRequest(
            @Doc("Where; else the context decides.") Targets.@Nullable Chat target,

            @Doc(value = "At most 64,000 characters.", max = 64_000)
            String content,

            @Doc("The id of the message that you answer.") @Nullable
            String replyTo,

            @Doc("true: your agent's owner. Or a user's name.") @Nullable
            UserRecipient toUser,

            @Doc(
                    value = "Documents by name, or versions by id; at most 10.",
                    max = AttachmentQueries.MOST,
                    mayBeBlank = true)
            @Nullable
            List<String> attach,

            @Doc(value = "How long to wait for an answer.", max = MessageWait.MAX_SECONDS, mayBeBlank = true) @Nullable
            Integer waitSeconds,

            @Doc("How many of the messages that came in to return.") @Nullable
            Page page) {

        /** Returns the request of another tool that sends a message. */
        static ChatRequest of(
                Targets.@Nullable Chat target,
                String content,
                @Nullable String replyTo,
                @Nullable UserRecipient toUser,
                @Nullable Integer waitSeconds) {
            return new ChatRequest(target, content, replyTo, toUser, null, waitSeconds, null);
        }
    }

    record ChatResponse(
            @Doc("First your message as it was stored, then unread messages of that conversation, oldest first.")
            List<Message> content,

            @Doc(
                    "Who receives it. Of a direct message: to, online, wakes (wait, stream, hook or none), last_seen_at. In a zone, how many others: members, online, wakes.")
            @Nullable
            ObjectNode receipt,

            @Doc("With wait_seconds: how long it waited, in milliseconds.") @Nullable
            Long waitedMs,

            @Doc("What to call next: for texts that are cut here, or for an answer; absent if nothing.") @Nullable
            String next) {}

    private Tool<ChatRequest, ChatResponse> chat() {
        return Tool.named("AP_Chat")
                .title("Send a message")
                .description("""
                        Sends a message to target.agent, to a zone or to a person (to_user); by default to the entered zone or the selected \
                        agent. Returns your unread messages of that conversation, marked as read. For a decision use AP_Ask.""")
                .details("""
                        You speak as the agent you are logged on as, else as the user. Over MCP, your own message comes back as its id, and its destination if you named none. \
                        With reply_to and no target, the message goes where the answered message is. to_user sends it \
                        to a person: true to the user whom the agent belongs to, a name to another user. content in the answer contains your message as stored. \
                        If an agent speaks, up to 5 unread messages of that conversation follow; these are marked as read. Each text is cut to \
                        500 characters; a message that is cut stays unread, and next names the call that returns it whole. wait_seconds waits for the first answer (in a zone: with \
                        reply_to, or from a person), which is last in content. receipt shows who receives the message; wakes is none if nothing wakes the recipient, which then reads the message at its next call. attach adds documents, which all who may read the message see. Programs that answer each other \
                        are refused (3003), and note says what ends it: retry_at, a person, or a task that changes its state. An API key is not a person. \
                        By default a message may be at most %1$d hops from a person's message or a new thread, and two agents may exchange %2$d direct messages a minute. \
                        An agent may send %2$d direct messages to agents, and two or three agents %3$d messages in a zone; more agents may send more. \
                        guard of AP_Modify and DM_Update changes that.""".formatted(
                                GuardLimits.DEFAULT_HOPS,
                                GuardLimits.DEFAULT_PER_MINUTE,
                                GuardLimits.DEFAULT_PER_MINUTE * LoopGuard.IN_ZONE))
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
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.SEE, Requirement.OfDomain.TAKE_PART, Requirement.OfZone.TAKE_PART)
                .effect(Effect.CREATES)
                .audits(Audited.MESSAGE)
                .onlySelf()
                .shortened(ChatTools::shorten)
                .completedBy(ChatRequest.class, ChatResponse.class, this::chat, this::addWhatCameIn)
                .shownAgainBy((_, first, call) -> {
                    call.checked(OfDomain.TAKE_PART); // The message is the speaker's own.
                    var id = first.at("/content/0/id").asString("");
                    return new ChatResponse(List.of(messages.posted(call, UUID.fromString(id))), null, null, null);
                });
    }

    /** Shortens the caller's own message, whose text the caller knows, to its id, and to its destination if the call did not name that. */
    private static void shorten(ObjectNode answer, ObjectNode arguments) {
        if (answer.at("/content/0") instanceof ObjectNode own) {
            own.remove(List.of(
                    "from", "from_kind", "person", "by_key", "to_kind", "seq", "reply_to", "created_at", "content"));
            if (arguments.at("/target/agent").isString()) {
                own.remove("to");
            }
            if (arguments.at("/target/zone").isString()) {
                own.remove(List.of("domain", "zone"));
            }
        }
    }

    /** Whether the speaker hears the message. */
    boolean isHearer(Call call, UUID message) {
        return destinations.placeOf(call, message).isPresent();
    }

    /** Sends a message, and returns it; with what has come in, if that is not added after the commit. */
    private ChatResponse chat(ChatRequest in, Call call) {
        var said = say(in, call);
        if (!takesBeforeCommit(in, call) || call.context().self() == null) {
            return said;
        }
        var taken = take(in, said.content().getFirst().place().id(), call);
        var content = Stream.concat(said.content().stream(), taken.stream()).toList();
        return new ChatResponse(content, said.receipt(), null, CutMessages.next(taken));
    }

    /**
     * Whether what has come in is taken before the commit, while others wait for their turn in the conversation. A response
     * that is stored must have it, since a repeated call returns that. A call that waits returns what others say after its
     * own message, so it must not have taken that already.
     */
    private static boolean takesBeforeCommit(ChatRequest in, Call call) {
        return call.hasIdempotencyKey() || in.waitSeconds() != null;
    }

    /** Sends a message, and returns it. */
    ChatResponse say(ChatRequest in, Call call) {
        var to = destinations.find(call, in.target(), in.toUser(), replyTo(in.replyTo()));
        var documents = attachments.find(call, in.attach());
        var slot = conversations.begin(call, to);
        var lineage = guards.lineage(call, slot.guard(to));
        call.budget().spend(in.content());
        call.budget().spend(BESIDE_TEXT);
        var own = messages.post(call, new NewMessage(to, slot, lineage, in.content(), documents));
        if (to.parent() != null && call.context().self() == null) {
            messages.answered(call, to.parent().id());
        }
        call.emit(EventType.MESSAGE_CREATED, MessageCreated.of(own));
        return new ChatResponse(List.of(own), receipt(call, slot, own), null, null);
    }

    private static ObjectNode receipt(Call call, Slot slot, Message own) {
        Reach reach = slot.reach();
        return own.place().to() == null
                ? reach.receipt()
                : reach.receipt(own.place().to(), call.now());
    }

    /** Completes the response of AP_Chat after the commit: with what has come in, too. */
    private void addWhatCameIn(ChatRequest in, ObjectNode envelope, Call call) {
        if (!takesBeforeCommit(in, call)
                && call.context().self() != null
                && envelope.get("content") instanceof ArrayNode content) {
            try {
                var taken = take(in, content.path(0).path("id").asString(""), call);
                taken.forEach(message -> content.add(Json.valueTree(message)));
                Envelope.unread(envelope, call.context().unread());
                Optional.ofNullable(CutMessages.next(taken)).ifPresent(next -> envelope.put("next", next));
            } catch (Problem failed) {
                envelope.put("next", NOT_TAKEN);
            }
        }
        complete(in, envelope, call);
    }

    /** Returns what has come in for an agent in the conversation of its message, and marks it as read. */
    private List<Message> take(ChatRequest in, String sent, Call call) {
        if (call.isReadOnly() || call.context().unread() == 0) {
            return List.of(); // The next call returns what arrives from now on.
        }
        var taken = messages.take(call, sent, Math.min(Page.limit(in.page()), MOST_TAKEN));
        // Further messages may have arrived since the context was read.
        call.context(call.context().withUnread(Math.max(0, call.context().unread() - taken.read())));
        return taken.messages();
    }

    /** Completes the response after the commit with the answer that the call waits for. */
    void complete(ChatRequest in, ObjectNode envelope, Call call) {
        if (in.waitSeconds() != null && envelope.get("content") instanceof ArrayNode content) {
            await(in, envelope, content, call);
        }
    }

    /** Waits for the answer to a message that is committed, also where the call repeats an earlier one. */
    private void await(ChatRequest in, ObjectNode envelope, ArrayNode content, Call call) {
        try {
            var own = UUID.fromString(content.path(0).path("id").asString(""));
            var answers = wait.forAnswer(call, own, MessageWait.time(call, in.waitSeconds()));
            answers.messages().forEach(message -> content.add(Json.valueTree(message)));
            envelope.put("waited_ms", answers.waitedMillis());
            Envelope.time(envelope, call.now());
            Envelope.unread(envelope, call.context().unread());
            if (answers.messages().isEmpty() || !answers.isRead()) {
                addNext(envelope, answers.messages().isEmpty() ? NO_ANSWER : STAYS_UNREAD);
            }
        } catch (Problem ended) {
            addNext(envelope, "Your message was sent. Its answer was not waited for: " + ended.note());
        }
    }

    private static void addNext(ObjectNode envelope, String more) {
        var hint = envelope.path("next").asString("");
        envelope.put("next", hint.isEmpty() ? more : hint + " " + more);
    }

    private static @Nullable UUID replyTo(@Nullable String id) {
        try {
            return id == null || id.isBlank() ? null : UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("reply_to", "must be the id of a message");
        }
    }
}
