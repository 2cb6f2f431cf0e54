package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Waiting for messages: AP_Wait. */
final class WaitTools {
    private static final String STAYS_UNREAD =
            "They stay unread, since you act as no agent: only the user '%s' marks them as read, and AP_Wait returns them again. To wait for what comes next, act as an agent (AP_LogOn), or send reply_to.";

    private final MessageWait wait;

    public WaitTools(MessageWait wait) {
        this.wait = wait;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(await());
    }

    record WaitRequest(
            @Doc("Only messages from there.") Targets.@Nullable Heard target,

            @Doc("Only answers to this message.") @Nullable String replyTo,

            @Doc(value = "0–300, default 50.", max = MessageWait.MAX_SECONDS) @Nullable
            Integer waitSeconds) {}

    record WaitResponse(
            @Doc("The messages that waited, oldest first; empty when the time was over.")
            List<Message> content,

            @Doc("How long it waited, in milliseconds.") long waitedMs,

            @Doc("What to do next; absent if nothing.") @Nullable
            String next) {}

    private Tool<WaitRequest, WaitResponse> await() {
        return Tool.named("AP_Wait")
                .title("Wait for messages")
                .description("""
                        Returns your unread messages and marks them as read. If there are none, waits until one arrives. \
                        target narrows it to an agent, a domain or a zone, reply_to to answers to one message.""")
                .details("""
                        content contains the messages whole, oldest first, and marks them as read. A key that acts as no agent marks none. When the time is over, content is \
                        empty, and next says what to do. Over MCP it waits at most 240 seconds; Codex waits 25 by \
                        default. With reply_to, an answer stays unread while earlier messages of its conversation are \
                        unread. A key may have 20 waiting calls, a tenant 2,000. AP_Chat with wait_seconds sends and waits for the answer.""")
                .alsoCalled(
                        "listen for news",
                        "block until somebody writes",
                        "long poll",
                        "sleep until a message comes",
                        "wait for an answer",
                        "await reply",
                        "stay available",
                        "be woken")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD)
                .needs(Capability.AGENT_READ)
                .on(Requirement.OfAgent.SEE, Requirement.OfDomain.TAKE_PART, Requirement.OfZone.TAKE_PART)
                .effect(Effect.MARKS)
                .exampleWithout("target.agent")
                .handledBy(WaitRequest.class, WaitResponse.class, (in, call) -> {
                    call.checked(OfDomain.TAKE_PART); // Each look checks it.
                    var heard = wait.forMessages(call, narrowing(in, call), MessageWait.time(call, in.waitSeconds()));
                    return new WaitResponse(heard.messages(), heard.waitedMillis(), next(heard, call));
                });
    }

    private Narrowing narrowing(WaitRequest in, Call call) {
        var replyTo = replyTo(in.replyTo());
        var target = in.target();
        if (target == null) {
            return new Narrowing(null, null, null, replyTo, null);
        }
        if (target.agent() != null && (target.domain() != null || target.zone() != null)) {
            throw Problem.invalid("target", "must name an agent or a zone, not both");
        }
        var domain = target.domain() == null && target.zone() != null ? entered(call) : target.domain();
        return new Narrowing(target.agent(), domain, target.zone(), replyTo, null);
    }

    private static @Nullable UUID replyTo(@Nullable String id) {
        try {
            return id == null || id.isBlank() ? null : UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("reply_to", "must be the id of a message");
        }
    }

    private Name entered(Call call) {
        var entered = call.context().domain();
        if (entered == null) {
            throw Problem.noContext("no domain is entered: give target.domain, or enter a zone with ZN_Enter");
        }
        return Name.of(entered.name());
    }

    private static @Nullable String next(MessageWait.Heard heard, Call call) {
        if (!heard.messages().isEmpty()) {
            return call.isReadBySpeaker()
                    ? null
                    : STAYS_UNREAD.formatted(call.context().user().name());
        }
        if (heard.isWithdrawn()) {
            return MessageWait.noAnswer("withdrawn");
        }
        return heard.isHearer()
                ? "Nothing came. End your turn if something will wake you (a hook or a listener); else call AP_Wait again."
                : "Nothing came, and nothing will: what is said there does not wait for you before you enter it with ZN_Enter.";
    }
}
