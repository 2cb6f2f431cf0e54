package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Answer;
import io.agentworkspace.engine.model.Envelope;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.ToolDescription;
import io.agentworkspace.engine.model.ToolRunner;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code tools/list} and {@code tools/call}, the same in every lane. */
final class Tools {
    private final ToolRunner runner;
    private final Clock clock;
    private final Map<String, ObjectNode> descriptions = new LinkedHashMap<>();

    Tools(ToolRunner runner, Clock clock) {
        this.runner = runner;
        this.clock = clock;
        runner.catalogue().tools().forEach(tool -> descriptions.put(tool.name(), ToolDescription.mcp(tool)));
    }

    /** The tools that the caller may use, in catalogue order, all on one page. */
    ObjectNode list(Exchange exchange) {
        var result = Json.object();
        var list = result.putArray("tools");
        runner.catalogue().tools(exchange.caller()).forEach(tool -> list.add(descriptions.get(tool.name())));
        return result;
    }

    /**
     * Runs a tool. A tool's own failure is a result, so that a model can read the note and correct itself.
     *
     * @throws RpcError invalid params, when no tool is named or none has that name
     */
    ObjectNode call(ObjectNode params, Exchange exchange) {
        var name = name(params, exchange);
        var arguments = arguments(params, exchange);
        exchange.ran(name);
        var answer = runner.run(new ToolRunner.Request(
                name, arguments, exchange.caller(), exchange.requestId(), true, exchange.idempotencyKey()));
        if (answer.replayed()) {
            exchange.markReplayed();
        }
        if (answer.problem() != null && answer.problem().retryAfter() != null) {
            exchange.retryAfter(answer.problem().retryAfter());
        }
        return result(answer);
    }

    private String name(ObjectNode params, Exchange exchange) {
        var given = params.get("name");
        if (given == null || given.isNull()) {
            throw RpcError.invalidParams(Problem.missing("params.name"), exchange.requestId());
        }
        if (!given.isString()) {
            throw RpcError.invalidParams(
                    Problem.wrongType("params.name", "a string, the name of a tool"), exchange.requestId());
        }
        var name = given.asString();
        try {
            return runner.catalogue().read(name).name();
        } catch (Problem unknown) {
            var shown = name.length() > Name.MAX ? null : name;
            throw RpcError.invalidParams(
                    unknown, Envelope.failure(shown, exchange.requestId(), clock.instant(), unknown));
        }
    }

    private static ObjectNode arguments(ObjectNode params, Exchange exchange) {
        var given = params.get("arguments");
        if (given == null || given.isNull()) {
            return Json.object();
        }
        if (given instanceof ObjectNode arguments) {
            return arguments;
        }
        throw RpcError.invalidParams(Problem.wrongType("params.arguments", "an object"), exchange.requestId());
    }

    private static ObjectNode result(Answer answer) {
        var result = Json.object();
        var problem = answer.problem();
        result.putArray("content")
                .addObject()
                .put("type", "text")
                .put("text", problem == null ? Json.text(answer.envelope()) : problem.note());
        result.set("structuredContent", answer.envelope());
        return problem == null ? result : result.put("isError", true);
    }
}
