package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.delivery.wait.MessageWait;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * Asks the caller's own person in their MCP client what AP_Ask asks them. The question is stored first, so that it can be
 * answered elsewhere, too; the client's answer is recorded by AP_Answer, and AP_Ask then shows the question as it is.
 */
final class InPlaceQuestion {
    private static final String ASK = "AP_Ask";
    private static final String KEY = "answer";
    private static final String WAIT_SECONDS = "wait_seconds";

    /** The user has nothing selected and is no agent in this context. */
    private static final String CONTEXT = "answer in an MCP client";

    /** In characters. A replica that receives the answer passes it to the one that waits, in one notification. */
    private static final int LONGEST_ANSWER = 900;

    private final CatalogueTools tools;

    InPlaceQuestion(CatalogueTools tools) {
        this.tools = tools;
    }

    /** Runs AP_Ask for a client that can ask its person; empty for any other call. */
    Optional<MethodResult> run(Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        return tool.name().equals(ASK)
                        && request.client().can(ClientInfo.Ability.ELICITATION)
                        && arguments.path(WAIT_SECONDS).asInt(1) != 0
                ? Optional.of(ask(tool, arguments, request))
                : Optional.empty();
    }

    private MethodResult ask(Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        var state = request.state();
        if (state.isEmpty()) {
            var key = key(arguments, request);
            var answer = run(arguments, key, request);
            return answer.success() && Envelope.asksPerson(answer.envelope(), request.caller())
                    ? question(answer.envelope(), key, arguments, request)
                    : CatalogueTools.done(answer, tool, arguments, request);
        }
        var refusal = request.accepted(KEY).flatMap(form -> record(form, state.get(), request));
        var repeated = run(arguments, state.get().path("key").asString(""), request);
        var answer = new Answer(repeated.envelope(), repeated.problem(), false); // The client has not seen the first.
        refusal.filter(_ -> Envelope.asksPerson(answer.envelope(), request.caller()))
                .ifPresent(note -> answer.envelope().put("next", "The answer was not recorded: " + note));
        return CatalogueTools.done(answer, tool, arguments, request);
    }

    /** Returns the key under which the call can be repeated; empty if the arguments contain it. */
    private static String key(ObjectNode arguments, McpRequest request) {
        var header = request.idempotencyKey(arguments);
        if (header != null && !header.isBlank()) {
            return header;
        }
        return arguments.path(Schema.IDEMPOTENCY_KEY).asString("").isBlank() ? "in place " + UUID.randomUUID() : "";
    }

    private Answer run(ObjectNode arguments, String key, McpRequest request) {
        var of = tools.requestOf(ASK, arguments, request);
        var progress = new ClientProgress(request, true);
        return tools.runner().run(of.part(arguments, key.isEmpty() ? null : key).reporting(progress));
    }

    private MethodResult question(ObjectNode envelope, String key, ObjectNode arguments, McpRequest request) {
        var question = (ObjectNode) envelope.get("question");
        var state = Json.object().put("key", key);
        state.set("question", question);
        var message = "%s asks:\n\n%s"
                .formatted(
                        envelope.at("/content/0/from").asString(""),
                        arguments.path("content").asString(""));
        return new MethodResult.Ask(
                Map.of(KEY, MethodResult.form(message, form(question))),
                state,
                elsewhere(question, arguments, request));
    }

    private static ObjectNode form(ObjectNode question) {
        var schema = Json.object().put("type", "object");
        var field = schema.putObject("properties")
                .putObject(KEY)
                .put("type", "string")
                .put("title", "Your answer");
        if (question.path("choices").isEmpty()) {
            field.put("minLength", 1).put("maxLength", LONGEST_ANSWER);
        } else {
            field.set("enum", question.get("choices").deepCopy());
        }
        schema.putArray("required").add(KEY);
        return schema;
    }

    /** Somebody may answer in the console or on a phone: the agent's AP_Wait hears of that, and leaves it unread. */
    private MethodResult.Elsewhere elsewhere(ObjectNode question, ObjectNode arguments, McpRequest request) {
        var waitSeconds = arguments
                .path(WAIT_SECONDS)
                .asInt(MessageWait.usual(request.source().client()));
        var seconds = Math.min(waitSeconds, MessageWait.MAX_OVER_MCP);
        var wait =
                Json.object().put("reply_to", question.path("id").asString("")).put(WAIT_SECONDS, seconds);
        var context = arguments.at("/target/context");
        if (context.isString()) {
            wait.putObject("target").set("context", context);
        }
        var of = tools.requestOf("AP_Wait", wait, request).readOnly(true).within(ResponseBudget.once());
        return new MethodResult.Elsewhere(
                () -> {
                    var answer = tools.runner().runUncounted(of);
                    return answer.success()
                            && !answer.envelope().path("content").isEmpty();
                },
                Duration.ofSeconds(seconds),
                () -> {});
    }

    /** Records what the person has answered; returns the refusal, if it was refused. */
    private Optional<String> record(ObjectNode form, ObjectNode state, McpRequest request) {
        var arguments = Json.object().put("question", state.at("/question/id").asString(""));
        if (form.has(KEY)) {
            arguments.set(state.at("/question/choices").isEmpty() ? "content" : "choice", form.get(KEY));
        }
        arguments.putObject("target").put("context", CONTEXT);
        var answer = tools.runner()
                .run(new ToolRunner.Request(
                                "AP_Answer", arguments, request.caller().forUser(), request.requestId(), true, null)
                        .from(request.source()));
        return Optional.ofNullable(answer.problem()).map(problem -> problem.note());
    }
}
