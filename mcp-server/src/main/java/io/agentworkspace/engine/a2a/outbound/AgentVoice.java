package io.agentworkspace.engine.a2a.outbound;

import io.agentworkspace.engine.a2a.outbound.OutboundStore.Claim;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.MessageFiles;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.a2a.wire.SentMessage;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.StorableText;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Says here what an agent elsewhere answers, as that agent: by AP_Answer if it was asked, else by AP_Chat. It is a program, with the permissions of its owner. */
final class AgentVoice {
    private static final Logger LOG = LoggerFactory.getLogger(AgentVoice.class);
    private static final String NOTHING = "(The agent is done, and has said nothing.)";

    private static final int MOST_PARTS = 50;

    /** The most characters of an answer: a message takes a few more. */
    private static final int MOST = 60_000;

    private static final Set<Failure> FOR_NOW = Set.of(Failure.RATE_LIMITED, Failure.UNAVAILABLE, Failure.INTERNAL);

    /** The question takes no such answer, or none any more. */
    private static final Set<Failure> NO_ANSWER = Set.of(
            Failure.INVALID_FIELD, Failure.MISSING_FIELD, Failure.TOO_LARGE, Failure.CONFLICT, Failure.NOT_FOUND);

    private final ToolRunner runner;

    AgentVoice(ToolRunner runner) {
        this.runner = runner;
    }

    /** Whether a refusal may not be one later. */
    static boolean isForNow(A2aError refused) {
        var problem = refused.problem();
        return problem != null
                && (FOR_NOW.contains(problem.failure()) || problem.beside().containsKey("retry_at"));
    }

    private AgentCall call(Claim claim) {
        var source = AgentCall.source(claim.remote().host(), null);
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
            LOG.debug("the message {} is not marked as read: {}", claim.message(), refused.getMessage());
        }
    }

    /**
     * Says the answer, unless it was said before.
     *
     * @throws A2aError if that is refused
     */
    void say(Claim claim, ObjectNode answer) {
        var key = "remote-%s-%s".formatted(claim.message(), RemoteNews.mark(answer));
        var call = call(claim);
        var said = new ArrayList<String>();
        var left = new ArrayList<String>();
        read(call, answer, key, said, left);
        var note = answer.path("note").asString("");
        var isAnswer = claim.choices() != null && !claim.asks() && note.isEmpty() && !said.isEmpty();
        said.addAll(0, note.isEmpty() ? List.of() : List.of(note));
        said.addAll(left);
        var text = text(said);
        if (isAnswer) {
            try {
                call.run("AP_Answer", answered(claim, text), key);
                return;
            } catch (A2aError refused) {
                if (refused.problem() == null
                        || isForNow(refused)
                        || !NO_ANSWER.contains(refused.problem().failure())) {
                    throw refused;
                }
                LOG.debug("not taken as an answer: {}", refused.getMessage()); // It is a reply then.
            }
        }
        var chat = Json.object()
                .put("content", text)
                .put("reply_to", claim.message().toString());
        call.say("AP_Chat", chat, key + "-reply");
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

    private static String text(List<String> said) {
        var text = StorableText.replaced(String.join("\n\n", said));
        var begin = Excerpt.cut(text, MOST);
        return text.isBlank() ? NOTHING : begin.length() < text.length() ? begin + "\n\n(The rest is left out.)" : text;
    }

    /**
     * Reads the parts of an answer, each by itself.
     *
     * @param said gets what they say
     * @param left gets what is left out, and why
     */
    private static void read(AgentCall call, ObjectNode answer, String key, List<String> said, List<String> left) {
        var parts = answer.path("parts");
        for (var i = 0; i < Math.min(parts.size(), MOST_PARTS); i++) {
            try {
                var text = text(call, parts.get(i), "%s-%d".formatted(key, i));
                if (!text.isBlank()) {
                    said.add(text);
                }
            } catch (A2aError refused) {
                if (isForNow(refused)) {
                    throw refused;
                }
                var name = Excerpt.cut(parts.get(i).path("filename").asString("without a name"), 100);
                left.add("(A part, %s, is left out: %s)".formatted(name, refused.getMessage()));
            }
        }
        if (parts.size() > MOST_PARTS) {
            left.add("(%d more parts are left out.)".formatted(parts.size() - MOST_PARTS));
        }
    }

    private static String text(AgentCall call, JsonNode part, String key) {
        if (part.path("text").isString()) {
            return part.path("text").asString();
        }
        var alone = Json.object();
        alone.putArray("parts").add(part);
        return MessageFiles.text(call, SentMessage.ofAgent(Fields.of(alone)), key);
    }
}
