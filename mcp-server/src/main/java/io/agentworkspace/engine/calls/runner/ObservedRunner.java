package io.agentworkspace.engine.calls.runner;

import io.agentworkspace.engine.kernel.metrics.ToolMeter;
import io.agentworkspace.engine.kernel.tracing.TraceSpan;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.tool.AccessReasons;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A runner that counts the calls of tools, and shows each as a span while tracing is on. */
public final class ObservedRunner implements ToolRunner {
    private final ToolRunner runner;
    private final ToolMeter meter;

    public ObservedRunner(ToolRunner runner, ToolMeter meter) {
        this.runner = runner;
        this.meter = meter;
    }

    @Override
    public Catalogue catalogue() {
        return runner.catalogue();
    }

    @Override
    public Answer run(Request request) {
        var begin = System.nanoTime();
        var answer = TraceSpan.CURRENT.isBound() ? traced(request) : runner.run(request);
        meter.count(
                counted(request),
                answer.problem() == null ? null : answer.problem().failure(),
                System.nanoTime() - begin);
        return answer;
    }

    /** Returns what a call counts as. The tools of installed servers count as one, since tenants name them. */
    private String counted(Request request) {
        return catalogue().find(request.service()).isEmpty()
                        && catalogue().find(request.service(), request.caller()).isPresent()
                ? ToolMeter.UPSTREAM
                : request.service();
    }

    /** Named as OpenTelemetry's conventions for agents name the execution of a tool. */
    private Answer traced(Request request) {
        var tool = catalogue().find(request.service(), request.caller()).isPresent() ? request.service() : "unknown";
        var span = TraceSpan.CURRENT
                .get()
                .child("execute_tool " + tool, TraceSpan.Kind.INTERNAL)
                .set("gen_ai.operation.name", "execute_tool")
                .set("gen_ai.tool.name", tool)
                .set("engine.request_id", request.requestId());
        return span.around(() -> {
            var answer = runner.run(request);
            var problem = answer.problem();
            if (problem != null) {
                span.set("engine.error", problem.failure().error());
            }
            if (problem != null && isOurs(problem.failure())) {
                span.failed(problem.failure().error());
            }
            return answer;
        });
    }

    /** A refusal is an answer; only what the engine could not do is an error of it. */
    private static boolean isOurs(Failure failure) {
        return failure == Failure.INTERNAL || failure == Failure.UNAVAILABLE;
    }

    @Override
    public Answer runUncounted(Request request) {
        return runner.runUncounted(request);
    }

    @Override
    public void admit(Caller caller) {
        runner.admit(caller);
    }

    @Override
    public Optional<Answer> open(String service, ObjectNode arguments, String requestId) {
        return runner.open(service, arguments, requestId);
    }

    @Override
    public AccessReasons why(Question question) {
        return runner.why(question);
    }
}
