package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.cards.AgentCards;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.a2a.wire.SentMessage;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The operations of the engine itself. It answers each message at once with the agents that the caller may talk to; it has no tasks. */
final class EngineOperations {
    private static final int MOST = 200;

    /** How long the client may take to read a stream's only event. */
    private static final Duration READING = Duration.ofSeconds(10);

    private final AgentCards cards;
    private final StreamLimits streams;

    EngineOperations(AgentCards cards, StreamLimits streams) {
        this.cards = cards;
        this.streams = streams;
    }

    void run(String method, Fields params, AgentCall call, Operations.Reply reply) {
        switch (method) {
            case "SendMessage" -> reply.answer().accept(answer(params, call));
            case "SendStreamingMessage" -> {
                var event = reply.frame().apply(answer(params, call));
                var places = streams.of(call.caller());
                places.take(0);
                try {
                    var stream = reply.opening().apply(READING);
                    // Its bytes follow when the request has ended.
                    Thread.startVirtualThread(() -> finish(stream, event, places));
                } catch (RuntimeException refused) {
                    places.giveBack();
                    throw refused;
                }
            }
            case "GetExtendedAgentCard" -> reply.answer().accept(cards.engine(agents(call, null)));
            case "ListTasks" ->
                reply.answer()
                        .accept(Json.object()
                                .put("nextPageToken", "")
                                .put("pageSize", 0)
                                .put("totalSize", 0)
                                .set("tasks", Json.array()));
            default -> {
                if (!Operations.has(method)) {
                    throw Operations.missing(method);
                }
                throw method.contains("PushNotification") ? A2aError.noPush() : A2aError.noTask(params.text("id"));
            }
        }
    }

    private static void finish(EventStream stream, ObjectNode event, StreamLimits.Places places) {
        try {
            stream.finish(event);
        } catch (IOException gone) {
            stream.cut(gone);
        } finally {
            places.giveBack();
        }
    }

    private ObjectNode answer(Fields params, AgentCall call) {
        var sent = SentMessage.read(params);
        if (sent.push() != null) {
            throw A2aError.noPush();
        }
        if (!sent.taskId().isEmpty()) {
            throw A2aError.noTask(sent.taskId());
        }
        var found = agents(call, prefix(sent.text())).toList();
        var answer = Json.object();
        var message = answer.putObject("message")
                .put("messageId", UUID.randomUUID().toString())
                .put("contextId", sent.contextId().isEmpty() ? UUID.randomUUID().toString() : sent.contextId())
                .put("role", "ROLE_AGENT");
        var parts = message.putArray("parts");
        parts.addObject()
                .put(
                        "text",
                        found.isEmpty()
                                ? "There is no agent for you: none is on your roster, and none that you may see begins"
                                        + " with this name."
                                : "These agents take messages; each has a card with its address.");
        var listed = parts.addObject().putObject("data").putArray("agents");
        for (var agent : found) {
            var name = agent.path("name").asString("");
            listed.addObject()
                    .put("name", name)
                    .put("description", agent.path("description").asString(""))
                    .put("card", cards.cardAddress(name));
        }
        return answer;
    }

    private static @Nullable String prefix(String text) {
        return Name.broken(text.strip()).isEmpty() ? text.strip() : null;
    }

    /** Returns the agents whose names begin with a text; without one, those on the caller's roster. */
    private static Stream<JsonNode> agents(AgentCall call, @Nullable String prefix) {
        var arguments = Json.object();
        arguments.putObject("page").put("limit", MOST);
        if (prefix != null) {
            arguments.putObject("target").put("agent", prefix);
        }
        return call.list(arguments);
    }
}
