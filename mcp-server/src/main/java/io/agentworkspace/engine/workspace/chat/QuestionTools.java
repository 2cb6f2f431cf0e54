package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.text.DeceptiveText;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.agent.Question;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserRecipient;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.BlankText;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Audited;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.chat.ChatTools.ChatRequest;
import io.agentworkspace.engine.workspace.delivery.wait.MessageWait;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Questions: AP_Ask sends one as a message, AP_Answer answers it with one. */
final class QuestionTools {
    private static final int EVENT_TEXT = 500;

    private final ChatTools chat;
    private final MessageStore messages;
    private final QuestionStore questions;

    public QuestionTools(Db db, ChatTools chat, MessageStore messages) {
        this.chat = chat;
        this.messages = messages;
        this.questions = new QuestionStore(db);
    }

    public List<Tool<?, ?>> tools() {
        return List.of(ask(), answer());
    }

    record AskRequest(
            @Doc("Whom to ask. Default: your agent's owner.")
            Targets.@Nullable Chat target,

            @Doc(value = "The question.", max = 64_000) String content,

            @Doc(value = "2–8 texts to choose from; default: any text.", max = 8, eachMax = 200, mayBeBlank = true)
            @Nullable
            List<String> choices,

            @Doc("true: your agent's owner. Or a user's name.") @Nullable
            UserRecipient toUser,

            @Doc(value = "Default: never.", min = 1, max = 2_592_000, mayBeBlank = true) @Nullable
            Integer expiresSeconds,

            @Doc(value = "How long to wait for the answer.", max = MessageWait.MAX_SECONDS, mayBeBlank = true) @Nullable
            Integer waitSeconds) {}

    record AskResponse(
            @Doc("First the message that asks; with wait_seconds then the answer.")
            List<Message> content,

            @Doc("The question.") Question question,

            @Doc("Who receives it, as in AP_Chat.") @Nullable
            ObjectNode receipt,

            @Doc("With wait_seconds: how long it waited, in milliseconds.") @Nullable
            Long waitedMs,

            @Doc("What to call next for the answer; absent if nothing.") @Nullable
            String next) {}

    private Tool<AskRequest, AskResponse> ask() {
        return Tool.named("AP_Ask")
                .title("Ask a question")
                .page(Guide.Page.QUESTIONS)
                .description("""
                        Gets a decision or an approval: asks a person (by default the user you work for), target.agent or a zone. With \
                        wait_seconds it returns the answer, else AP_Wait with reply_to does.""")
                .details("""
                        A question is answered once: the first valid answer wins. With choices, one of them is the answer. AP_Answer with withdraw takes \
                        the question back.""")
                .alsoCalled(
                        "ask a person",
                        "get a decision",
                        "human in the loop",
                        "poll",
                        "approve or deny",
                        "ask my owner",
                        "which option should i take")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD)
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.SEE, Requirement.OfDomain.TAKE_PART, Requirement.OfZone.TAKE_PART)
                .effect(Effect.CREATES)
                .audits(Audited.MESSAGE)
                .onlySelf()
                .example("content", "Two coats of paint, or three?")
                .completedBy(AskRequest.class, AskResponse.class, this::ask, this::complete)
                .shownAgainBy((_, first, call) -> {
                    call.checked(OfDomain.TAKE_PART); // The question is the speaker's own.
                    var id = UUID.fromString(first.at("/content/0/id").asString(""));
                    var message = messages.posted(call, id);
                    return new AskResponse(
                            List.of(message), Objects.requireNonNull(message.question()), null, null, null);
                });
    }

    private AskResponse ask(AskRequest in, Call call) {
        var choices = choices(in.choices());
        var response = chat.say(message(in, call), call);
        var own = response.content().getFirst();
        var question = questions.insert(call, UUID.fromString(own.place().id()), choices, in.expiresSeconds());
        call.emit(
                EventType.QUESTION_ASKED,
                new EventData.QuestionAsked(
                        UUID.fromString(question.id()),
                        call.context().speaker().name(),
                        own.place().to(),
                        own.place().domain(),
                        own.place().zone(),
                        Excerpt.cut(in.content(), EVENT_TEXT),
                        choices,
                        question.expiresAt()));
        return new AskResponse(List.of(asking(own, question)), question, response.receipt(), null, null);
    }

    private static Message asking(Message own, Question question) {
        return new Message(own.place(), own.text(), own.receipt(), own.replies(), own.attachments(), question);
    }

    /** Returns what AP_Chat sends. An agent that names nobody asks its owner. */
    private static ChatRequest message(AskRequest in, Call call) {
        var target = in.target();
        var isNamed = target != null && (target.agent() != null || target.domain() != null || target.zone() != null);
        var toUser =
                in.toUser() == null && !isNamed && call.context().self() != null ? UserRecipient.of(true) : in.toUser();
        return ChatRequest.of(target, in.content(), null, toUser, null);
    }

    private static List<String> choices(@Nullable List<String> texts) {
        if (texts == null || texts.isEmpty()) {
            return List.of();
        }
        var choices = texts.stream().map(String::strip).toList();
        var different = choices.stream().map(Name::key).collect(Collectors.toSet());
        if (choices.size() < 2 || different.size() < choices.size()) {
            throw Problem.invalid("choices", "must be 2–8 texts that differ in more than case");
        }
        for (var choice : choices) {
            DeceptiveText.find(choice).ifPresent(found -> {
                throw Problem.invalid(
                        "choices",
                        "has '%s' with %s, which looks like another text; write it without"
                                .formatted(Name.shortened(choice), found));
            });
        }
        return choices;
    }

    /**
     * Waits for the answer after the commit, and shows the question as it then is. While it is open and the client asks its
     * person, no message is read: what the client shows has none, so they would be marked as read unseen.
     */
    private void complete(AskRequest in, ObjectNode envelope, Call call) {
        var wasAskedInPlace = isAskedInPlace(envelope, call);
        if (wasAskedInPlace) {
            showAsItIs(envelope, call); // A repeated call has it as it was first.
        }
        var isOpen = isAskedInPlace(envelope, call);
        var seconds = isOpen ? null : wasAskedInPlace ? Integer.valueOf(0) : waitSeconds(in);
        chat.complete(ChatRequest.of(in.target(), in.content(), null, null, seconds), envelope, call);
        if (isOpen) {
            envelope.put("next", ChatTools.NO_ANSWER);
        } else if (seconds != null) {
            showAsItIs(envelope, call);
            var state = envelope.at("/question/state").asString("");
            if (state.equals("expired") || state.equals("withdrawn")) {
                envelope.put("next", MessageWait.noAnswer(state));
            }
        }
    }

    /** There is nothing to wait for after the question has expired. */
    private static @Nullable Integer waitSeconds(AskRequest in) {
        return in.waitSeconds() == null || in.expiresSeconds() == null
                ? in.waitSeconds()
                : Integer.valueOf(Math.min(in.waitSeconds(), in.expiresSeconds()));
    }

    private static boolean isAskedInPlace(ObjectNode envelope, Call call) {
        return call.progress().asksPerson() && Envelope.asksPerson(envelope, call.caller());
    }

    private void showAsItIs(ObjectNode envelope, Call call) {
        questions
                .find(call, UUID.fromString(envelope.at("/question/id").asString("")))
                .ifPresent(now -> {
                    envelope.set("question", Json.valueTree(now.question()));
                    ((ObjectNode) envelope.at("/content/0")).set("question", Json.valueTree(now.question()));
                });
    }

    record AnswerRequest(
            @Doc(value = "The question's id.", max = 64) String question,

            @Doc(value = "One of its choices.", max = 200, mayBeBlank = true) @Nullable
            String choice,

            @Doc(value = "The answer if there are no choices; else a comment.", max = 64_000, mayBeBlank = true)
            @Nullable
            String content,

            @Doc(value = "true: take back your own question.", mayBeBlank = true) @Nullable
            Boolean withdraw,

            @Doc("In which context.") Targets.@Nullable ContextOnly target) {}

    record AnswerResponse(
            @Doc("The question.") Question question,

            @Doc("The message that answers it.") @Nullable Message message) {}

    private Tool<AnswerRequest, AnswerResponse> answer() {
        return Tool.named("AP_Answer")
                .title("Answer a question")
                .description("""
                        Answers a message that has a question: with one of its choices, or with content if it has none. \
                        withdraw takes back your own.""")
                .details("""
                        Whoever received the message may answer; the first answer wins. A question that is answered, expired or withdrawn is refused \
                        (3003, with the question).""")
                .alsoCalled("decide", "choose an option", "approve", "reply to a question", "vote", "cancel a question")
                .hints(Guide.Hint.WORK)
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfDomain.TAKE_PART)
                .effect(Effect.CHANGES)
                .onlySelf()
                .example("content", "Three, the hull is old.")
                .handledBy(AnswerRequest.class, AnswerResponse.class, this::answer);
    }

    private AnswerResponse answer(AnswerRequest in, Call call) {
        var id = id(in.question());
        checkAnswer(in);
        if (!chat.isHearer(call, id)) {
            throw questions.unheard(call, id);
        }
        call.checked(OfDomain.TAKE_PART); // Messages are found only where the speaker takes part.
        var question = questions.find(call, id).orElseThrow(() -> missing(id));
        if (Boolean.TRUE.equals(in.withdraw())) {
            return withdraw(call, id, question.asker());
        }
        if (question.asker() == call.context().speaker().id()) {
            throw Problem.conflict("you asked this question yourself: others answer it; withdraw takes it back");
        }
        var text = text(in, question.question());
        var answer = questions.answer(call, id, text).orElseThrow(() -> closed(call, id));
        var content = in.choice() == null || in.content() == null ? text : text + "\n\n" + in.content();
        var response = chat.say(ChatRequest.of(null, content, id.toString(), null, null), call);
        call.emit(
                EventType.QUESTION_ANSWERED,
                new EventData.QuestionAnswered(
                        id,
                        Excerpt.cut(text, EVENT_TEXT),
                        call.context().speaker().name()));
        return new AnswerResponse(answer, response.content().getFirst());
    }

    /** Refuses a call that answers nothing, and one that both answers and withdraws. */
    private static void checkAnswer(AnswerRequest in) {
        var hasContent = in.content() != null && !BlankText.isBlank(in.content());
        if (Boolean.TRUE.equals(in.withdraw())) {
            if (in.choice() != null || hasContent) {
                throw Problem.invalid(
                        in.choice() != null ? "choice" : "content",
                        "cannot be sent with withdraw: answer the question, or take it back");
            }
        } else if (in.choice() == null && !hasContent) {
            throw new Problem(
                    Failure.MISSING_FIELD,
                    "choice is required, or content if the question has no choices; withdraw: true takes back your own question");
        }
    }

    private AnswerResponse withdraw(Call call, UUID id, long asker) {
        if (asker != call.context().speaker().id()) {
            throw Problem.conflict("only who asked the question can withdraw it");
        }
        var withdrawn = questions.withdraw(call, id).orElseThrow(() -> closed(call, id));
        call.changed(List.of());
        return new AnswerResponse(withdrawn, null);
    }

    /** Returns the answer, if it is one. */
    private static String text(AnswerRequest in, Question question) {
        if (question.choices().isEmpty()) {
            if (in.choice() != null) {
                throw Problem.invalid("choice", "must be left out: the question has no choices, answer with content");
            }
            return Objects.requireNonNull(in.content());
        }
        if (in.choice() == null) {
            throw new Problem(
                    Failure.MISSING_FIELD,
                    "choice is required: one of %s; content is only a comment"
                            .formatted(String.join(", ", question.choices())));
        }
        var label = in.choice().strip();
        var key = Name.key(label);
        return question.choices().stream()
                .filter(choice -> Name.key(choice).equals(key))
                .findFirst()
                .orElseThrow(() -> Problem.invalid(
                        "choice",
                        "is '%s'; it must be one of: %s"
                                .formatted(Name.shortened(label), String.join(", ", question.choices()))));
    }

    private Problem closed(Call call, UUID id) {
        var now = questions.find(call, id).orElseThrow(() -> missing(id)).question();
        var note = now.state().equals("answered")
                ? "'%s' has already answered: %s"
                        .formatted(now.answeredBy(), Excerpt.cut(String.valueOf(now.answer()), EVENT_TEXT))
                : "the question is %s".formatted(now.state());
        return Problem.conflict(note).with("question", now);
    }

    private static Problem missing(UUID id) {
        return Problem.notFound("question", id.toString(), List.of());
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("question", "must be the id of a question, as its message shows it");
        }
    }
}
