package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.cards.AgentCards;
import io.agentworkspace.engine.a2a.push.PushConfigs;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.AgentPlace;
import io.agentworkspace.engine.a2a.tasks.AgentTasks;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.A2aError.Kind;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.a2a.wire.SentMessage;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.model.json.Json;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The operations of an agent, which both bindings share. */
final class Operations {
    private static final Set<String> METHODS = Set.of(
            "SendMessage",
            "SendStreamingMessage",
            "GetTask",
            "ListTasks",
            "CancelTask",
            "SubscribeToTask",
            "GetExtendedAgentCard",
            "CreateTaskPushNotificationConfig",
            "GetTaskPushNotificationConfig",
            "ListTaskPushNotificationConfigs",
            "DeleteTaskPushNotificationConfig");

    private final AgentTasks tasks;
    private final PushConfigs pushes;
    private final AgentCards cards;

    Operations(AgentTasks tasks, PushConfigs pushes, AgentCards cards) {
        this.tasks = tasks;
        this.pushes = pushes;
        this.cards = cards;
    }

    /**
     * How a binding answers.
     *
     * @param answer sends the result
     * @param opening opens a stream instead, with the time that the client has to read what is written
     * @param frame puts an event into what the binding sends
     */
    record Reply(
            Consumer<ObjectNode> answer, Function<Duration, EventStream> opening, UnaryOperator<ObjectNode> frame) {}

    static boolean has(String method) {
        return METHODS.contains(method);
    }

    /** @throws A2aError {@code -32601} for an unknown method, and as the operation says */
    void run(String method, Fields params, AgentCall call, AgentPlace place, Reply reply) {
        switch (method) {
            case "SendMessage" -> reply.answer().accept(send(params, call, place));
            case "SendStreamingMessage" -> {
                var message = SentMessage.read(params);
                tasks.stream(call, place, message, begun(message, call, place), reply.opening(), reply.frame());
            }
            case "GetTask" -> {
                var historyLength = params.number("historyLength", 0, Integer.MAX_VALUE);
                var task = tasks.read(call, place, params.required("id"));
                reply.answer().accept(task.json(true, historyLength));
            }
            case "ListTasks" -> reply.answer().accept(tasks.list(call, place, params));
            case "CancelTask" ->
                reply.answer()
                        .accept(tasks.cancel(call, place, params.required("id")).json());
            case "SubscribeToTask" ->
                tasks.subscribe(call, place, params.required("id"), reply.opening(), reply.frame());
            case "GetExtendedAgentCard" -> reply.answer().accept(cards.agent(place.record(), place.name(), true));
            case "CreateTaskPushNotificationConfig" -> reply.answer().accept(pushes.create(call, place, params));
            case "GetTaskPushNotificationConfig" -> reply.answer().accept(pushes.find(call, place, params));
            case "ListTaskPushNotificationConfigs" -> reply.answer().accept(pushes.list(call, place, params));
            case "DeleteTaskPushNotificationConfig" -> reply.answer().accept(pushes.delete(call, place, params));
            default -> throw missing(method);
        }
    }

    /** Returns the refusal of an operation that an agent here does not have. */
    static A2aError missing(String method) {
        return A2aError.of(
                Kind.METHOD_NOT_FOUND,
                "there is no such method; there are: "
                        + String.join(", ", METHODS.stream().sorted().toList()));
    }

    private ObjectNode send(Fields params, AgentCall call, AgentPlace place) {
        var message = SentMessage.read(params);
        var task = tasks.send(call, place, message, begun(message, call, place));
        var answer = Json.object();
        answer.set("task", task.json(true, message.historyLength()));
        return answer;
    }

    /** Checks the push notification that the message asks for. Returns what stores it when the task has begun; null if it asks for none. */
    private @Nullable Consumer<String> begun(SentMessage message, AgentCall call, AgentPlace place) {
        return message.push() == null ? null : pushes.prepare(call, place, message.taskId(), message.push());
    }
}
