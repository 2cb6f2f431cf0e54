package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request to an agent: who makes it, and how it runs the engine's tools. Over A2A a credential has a context of its own, so it does not
 * matter here as which agent it is logged on elsewhere.
 *
 * @param caller a program, whoever owns its credential
 * @param validity whether the credential is still valid; equal ones return the same
 * @param budget what the answer may still contain
 */
public record AgentCall(
        ToolRunner runner,
        Caller caller,
        String requestId,
        RequestSource source,
        BooleanSupplier validity,
        ResponseBudget budget) {
    /** Where calls come from, in the audit, and the context of their tools. */
    static final String ENDPOINT = "a2a";

    public AgentCall(
            ToolRunner runner, Caller caller, String requestId, RequestSource source, BooleanSupplier validity) {
        this(runner, caller, requestId, source, validity, ResponseBudget.once());
    }

    public static RequestSource source(String address, @Nullable String client) {
        return new RequestSource(ENDPOINT, address, client);
    }

    /** Returns the same call for a further answer, which has a budget of its own. */
    AgentCall again() {
        return new AgentCall(runner, caller, requestId, source, validity);
    }

    /** @throws A2aError if the credential is no longer valid */
    void requireValid() {
        if (!validity.getAsBoolean()) {
            throw A2aError.of(Problem.unauthenticated("your credential became invalid while the call waited"));
        }
    }

    private ToolRunner.Request request(String tool, ObjectNode arguments, @Nullable String key, ResponseBudget room) {
        if (runner.catalogue().read(tool).inputSchema().hasField("target")) {
            arguments.withObject("target").put("context", ENDPOINT);
        }
        return new ToolRunner.Request(
                tool, arguments, caller, requestId, true, key, Progress.SILENT, source, room, false);
    }

    /**
     * Runs a tool as the caller.
     *
     * @param key the idempotency key; null for none
     * @throws A2aError if the tool refuses it
     */
    public ObjectNode run(String tool, ObjectNode arguments, @Nullable String key) {
        return checked(runner.run(request(tool, arguments, key, ResponseBudget.once())));
    }

    /** Sends a message by AP_Chat or AP_Ask. What others have said meanwhile is not taken: the answer has no place for it. */
    public ObjectNode say(String tool, ObjectNode arguments, String key) {
        return checked(
                runner.run(request(tool, arguments, key, ResponseBudget.once()).readOnly(true)));
    }

    /** How a tool that reads is run: whether it counts as a command of the caller, and whether messages count as read. */
    enum Reading {
        COUNTED,
        AGAIN,
        UNSEEN
    }

    /**
     * Runs a tool that reads for a part of the answer.
     *
     * @param room the most bytes of it
     */
    ObjectNode read(String tool, ObjectNode arguments, Reading reading, long room) {
        var part = ResponseBudget.once();
        part.spend(ResponseBudget.ANSWER - Math.min(room, budget.left()));
        var request = request(tool, arguments, null, part);
        var answer = checked(
                reading == Reading.COUNTED
                        ? runner.run(request)
                        : runner.runUncounted(request.readOnly(reading == Reading.UNSEEN)));
        budget.spend(ResponseBudget.size(answer));
        return answer;
    }

    private static ObjectNode checked(Answer answer) {
        if (answer.problem() != null) {
            throw A2aError.of(answer.problem());
        }
        return answer.envelope();
    }

    /**
     * Returns the agent and the caller's place with it.
     *
     * @throws A2aError if there is no such agent for the caller
     */
    public AgentPlace find(TaskQueries queries, String name) {
        var arguments = Json.object();
        arguments.putObject("target").put("agent", name);
        arguments.putObject("page").put("limit", 1);
        var request = request("AP_Read", arguments, null, ResponseBudget.once());
        var found = checked(runner.runUncounted(request.readOnly(true)));
        if (!(found.at("/profile/0") instanceof ObjectNode agent)) {
            throw A2aError.of(Problem.notFound("agent", name, List.of()));
        }
        if (isElsewhere(agent)) { // Else two engines, or one, would ask each other without end.
            throw A2aError.of(Problem.conflict("the agent lives at another server: send messages there"));
        }
        var self = found.at("/header/context/self").asString("");
        return queries.place(caller, self.isEmpty() ? null : self, agent);
    }

    /** Returns the agents of a list, as AP_List shows them. */
    public Stream<JsonNode> list(ObjectNode arguments) {
        return StreamSupport.stream(
                        run("AP_List", arguments, null).path("profile").spliterator(), false)
                .filter(agent -> !isElsewhere(agent));
    }

    private static boolean isElsewhere(JsonNode agent) {
        return agent.path("elsewhere").asBoolean(false);
    }

    /** Whether a refusal says that there is no such thing, or none that the caller may see. */
    public static boolean isMissing(A2aError error) {
        return error.problem() != null && error.problem().failure() == Failure.NOT_FOUND;
    }
}
