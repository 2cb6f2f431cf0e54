package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A runner without a database: find, access, bind, handler, envelope. An exception in a handler is passed on
 * unchanged.
 */
final class TestRunner implements ToolRunner {
    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Answer> answered = new ConcurrentHashMap<>();
    private final Catalogue catalogue;
    private final Clock clock;

    TestRunner(Catalogue catalogue, Clock clock) {
        this.catalogue = catalogue;
        this.clock = clock;
    }

    @Override
    public Catalogue catalogue() {
        return catalogue;
    }

    @Override
    public Answer run(Request request) {
        requests.add(request);
        var key = request.idempotencyKey();
        if (key != null && answered.get(key) instanceof Answer stored) {
            return new Answer(stored.envelope(), stored.problem(), true);
        }
        var now = clock.instant();
        Call call = null;
        try {
            var tool = catalogue.read(request.service());
            call = new Call(request.caller(), tool, request.requestId(), now);
            call.load(new Context(
                    Context.DEFAULT,
                    new Context.Ref(request.caller().user(), request.caller().userName()),
                    null,
                    null,
                    null,
                    null,
                    0));
            if (!request.caller().may(tool)) {
                throw Problem.notPermitted(tool.name() + " needs the capability "
                        + tool.capability().word());
            }
            var answer = new Answer(Envelope.success(call, handle(tool, request, call)), null, false);
            if (key != null) {
                answered.put(key, answer);
            }
            return answer;
        } catch (Problem problem) {
            var failure = call == null
                    ? Envelope.failure(null, request.requestId(), now, problem)
                    : Envelope.failure(call, problem);
            return new Answer(failure, problem, false);
        }
    }

    private static <I extends Record, O extends Record> O handle(Tool<I, O> tool, Request request, Call call) {
        var input = tool.inputSchema().read(request.arguments(), request.strict());
        input.remove(Schema.IDEMPOTENCY_KEY);
        var bound = Json.bind(input, tool.input());
        return tool.work().begin(bound, call).handle(bound, call);
    }
}
