package io.agentworkspace.engine.a2a.outbound;

import io.agentworkspace.engine.a2a.outbound.OutboundStore.Claim;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.MessageFiles;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.a2a.wire.SentMessage;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Says here what an agent elsewhere answers, as that agent: by AP_Answer if it was asked, else by AP_Chat. It is a program, with the permissions of its owner. */
final class AgentVoice {
    private static final Logger LOG = LoggerFactory.getLogger(AgentVoice.class);
    private static final String NOTHING = "(The agent is done, and has said nothing.)";

    private final ToolRunner runner;

    AgentVoice(ToolRunner runner) {
        this.runner = runner;
    }

    private AgentCall call(Claim claim) {
        var source = AgentCall.source(claim.remote().url(), null);
        return new AgentCall(runner, claim.caller(), claim.message().toString(), source, () -> true);
    }

    /** Marks the message as read by the agent. */
    void read(Claim claim) {
        try {
            call(claim)
                    .run(
                            "AP_Read",
                            Json.object()
                                    .put("inbox", true)
                                    .put("thread", claim.message().toString()),
                            null);
        } catch (A2aError refused) {
            LOG.debug(
                    "a message to {} is not marked as read: {}", claim.remote().url(), refused.getMessage());
        }
    }

    /** Says the answer. Returns why that is refused for now; empty if it was said, now or before. */
    Optional<String> say(Claim claim, ObjectNode answer) {
        var key = "remote-" + claim.message();
        var call = call(claim);
        var text = text(call, answer, key);
        if (claim.choices() != null && !claim.asks() && answer.has("parts")) {
            try {
                call.run("AP_Answer", answered(claim, text), key);
                return Optional.empty();
            } catch (A2aError refused) {
                LOG.debug("not taken as an answer: {}", refused.getMessage()); // It is a reply then.
            }
        }
        try {
            var chat = Json.object()
                    .put("content", text)
                    .put("reply_to", claim.message().toString());
            call.run("AP_Chat", chat, key + "-reply");
            return Optional.empty();
        } catch (A2aError refused) {
            return Optional.of(String.valueOf(refused.getMessage()));
        }
    }

    private static ObjectNode answered(Claim claim, String text) {
        var arguments = Json.object().put("question", claim.root().toString());
        var choices = claim.choices();
        var choice = choices == null
                ? Optional.<String>empty()
                : choices.stream()
                        .filter(each -> Name.key(each).equals(Name.key(text.strip())))
                        .findFirst();
        return choice.isPresent() ? arguments.put("choice", choice.get()) : arguments.put("content", text);
    }

    private static String text(AgentCall call, ObjectNode answer, String key) {
        var note = answer.path("note").asString("");
        var text = Stream.of(note, said(call, answer, key))
                .filter(each -> !each.isBlank())
                .collect(Collectors.joining("\n\n"));
        return text.isEmpty() ? NOTHING : text;
    }

    private static String said(AgentCall call, ObjectNode answer, String key) {
        try {
            return answer.path("parts").isEmpty()
                    ? ""
                    : MessageFiles.text(call, SentMessage.ofAgent(Fields.of(answer)), key);
        } catch (A2aError refused) {
            return "(Its answer could not be taken: %s)".formatted(refused.getMessage());
        }
    }
}
