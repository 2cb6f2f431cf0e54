package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request to an agent: who makes it, and how it runs the engine's tools.
 *
 * @param validity whether the credential is still valid; equal ones return the same
 * @param pause releases the memory of the response while the request waits, and returns what takes it again
 */
public record AgentCall(
        ToolRunner runner,
        Caller caller,
        String requestId,
        RequestSource source,
        BooleanSupplier validity,
        Supplier<Runnable> pause) {
    /** Where calls come from, in the audit. */
    private static final String ENDPOINT = "a2a";

    public static RequestSource source(String address, @Nullable String client) {
        return new RequestSource(ENDPOINT, address, client);
    }

    /** Returns a request that nobody makes at the moment, such as a notification's. */
    public static AgentCall unasked(ToolRunner runner, Caller caller, String requestId) {
        return new AgentCall(runner, caller, requestId, source("", null), () -> true, () -> () -> {});
    }

    /** Returns the same call for what outlives the request, of which it keeps nothing. */
    AgentCall lasting() {
        return new AgentCall(runner, caller, requestId, source, validity, () -> () -> {});
    }

    private ToolRunner.Request request(String tool, ObjectNode arguments, @Nullable String key) {
        return new ToolRunner.Request(
                tool, arguments, caller, requestId, true, key, Progress.SILENT, source, ResponseBudget.once(), false);
    }

    /**
     * Runs a tool as the caller.
     *
     * @param key the idempotency key; null for none
     * @throws A2aError if the tool refuses it
     */
    ObjectNode run(String tool, ObjectNode arguments, @Nullable String key) {
        return checked(runner.run(request(tool, arguments, key)));
    }

    /** Runs a tool that reads, without counting it or marking anything as read. */
    ObjectNode look(String tool, ObjectNode arguments) {
        return checked(runner.runUncounted(request(tool, arguments, null).readOnly(true)));
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
        var found = look("AP_Read", arguments);
        var self = found.at("/header/context/self").asString("");
        return queries.place(caller, self.isEmpty() ? null : self, (ObjectNode)
                found.withArray("profile").path(0));
    }

    /** Returns the agents of a list, as AP_List shows them. */
    public Stream<JsonNode> list(ObjectNode arguments) {
        return StreamSupport.stream(
                run("AP_List", arguments, null).path("profile").spliterator(), false);
    }

    /** Whether a refusal says that there is no such thing, or none that the caller may see. */
    public static boolean isMissing(A2aError error) {
        return error.problem() != null && error.problem().failure() == Failure.NOT_FOUND;
    }
}
