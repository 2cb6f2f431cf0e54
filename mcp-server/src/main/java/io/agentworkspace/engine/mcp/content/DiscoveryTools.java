package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.ExecutionMode;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.model.callplan.CallPlan;
import io.agentworkspace.engine.model.callplan.CallPlanRun;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * The toolset {@code discovery}: the tools of {@link Discovery}. A failure is a result, as it is of every other
 * tool, so that a model can read the note.
 */
public final class DiscoveryTools implements ToolSource {
    private final Catalogue catalogue;
    private final ToolRunner runner;
    private final CatalogueTools tools;
    private final Confirmation confirmation = new Confirmation();
    private final ToolFinder finder;
    private final Clock clock;
    private final List<ObjectNode> definitions = Discovery.definitions();
    private final List<ObjectNode> readOnlyDefinitions = Discovery.readOnlyDefinitions();

    public DiscoveryTools(ToolRunner runner, CatalogueTools tools, ToolFinder finder, Clock clock) {
        this.catalogue = runner.catalogue();
        this.runner = runner;
        this.tools = tools;
        this.finder = finder;
        this.clock = clock;
    }

    @Override
    public Names names(Caller caller) {
        return new Names(
                List.of(ToolSelection.DISCOVERY),
                definitions.stream().map(tool -> tool.get("name").asString()).toList());
    }

    @Override
    public List<ObjectNode> list(McpRequest request) {
        return candidates(request)
                .filter(tool -> request.selection().discovers(tool.get("name").asString()))
                .toList();
    }

    private Stream<ObjectNode> candidates(McpRequest request) {
        var isReading = request.selection().readOnly()
                || request.caller().credential().toolset().readOnly();
        return (isReading ? readOnlyDefinitions : definitions).stream();
    }

    @Override
    public Optional<ObjectNode> find(String name, McpRequest request) {
        return candidates(request)
                .filter(tool -> tool.get("name").asString().equals(name)
                        && request.selection().runsDiscovery(name))
                .findFirst();
    }

    @Override
    public Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest request) {
        return find(name, request).map(_ -> {
            try {
                Discovery.checkNames(name, arguments);
                return checkedCall(name, arguments, request);
            } catch (Problem problem) {
                return () -> refused(name, problem, request);
            }
        });
    }

    private ToolCall checkedCall(String name, ObjectNode arguments, McpRequest request) {
        switch (name) {
            case Discovery.FIND -> {
                var query = Discovery.query(arguments);
                return () -> found(query, request);
            }
            case Discovery.DESCRIBE -> {
                var named = Discovery.name(name, arguments);
                var unusable = unusable(named, request);
                if (unusable.isPresent()) {
                    return tools.call(
                            unusable.get(), Json.object(), request); // It says why there is nothing to describe.
                }
                var tool = Discovery.read(named, usable(request));
                return () -> described(tool, request);
            }
            case Discovery.PLAN -> {
                return plan(arguments, request);
            }
            default -> {
                var input = Discovery.arguments(arguments);
                return tools.call(toRun(Discovery.name(name, arguments), input, request), input, request);
            }
        }
    }

    private MethodResult refused(String name, Problem problem, McpRequest request) {
        request.ran(name);
        var envelope = Envelope.failure(name, request.requestId(), clock.instant(), problem);
        return MethodResult.done(ToolResult.refused(new Answer(envelope, problem, false)));
    }

    private ToolCall plan(ObjectNode arguments, McpRequest request) {
        var plan = CallPlan.of(arguments);
        return new PlanCall(
                new CallPlanRun(
                        plan, runner, tools.requestOf(Discovery.PLAN, arguments, request), clock, (tool, json) -> {
                            Discovery.checkStep(tool);
                            return toRun(tool, json, request);
                        }),
                request);
    }

    /** A plan: a task for clients that know tasks. */
    private final class PlanCall implements ToolCall {
        private final CallPlanRun run;
        private final McpRequest request;

        PlanCall(CallPlanRun run, McpRequest request) {
            this.run = run;
            this.request = request;
        }

        @Override
        public ExecutionMode mode() {
            return missing().isPresent() ? ExecutionMode.QUICK : ExecutionMode.LONG;
        }

        /** Returns the confirmation that the plan requires before its first step. */
        @Override
        public Optional<MethodResult> beforeTask() {
            try {
                return confirmation.ask(run, request);
            } catch (Problem problem) {
                return Optional.of(refused(Discovery.PLAN, problem, request));
            }
        }

        @Override
        public MethodResult run() {
            missing()
                    .ifPresent(step -> tools.call(run.tool(step), step.arguments(), request)
                            .run());
            request.ran(Discovery.PLAN);
            return beforeTask().orElseGet(() -> tools.answered(run.run(), request));
        }

        /** Returns the first step for which the caller lacks only a scope. Running it refuses the request with that. */
        private Optional<CallPlan.Step> missing() {
            return run.plan().steps().stream()
                    .filter(step -> request.caller()
                            .missingScope(run.tool(step), step.arguments())
                            .isPresent())
                    .findFirst();
        }
    }

    private List<Tool<?, ?>> usable(McpRequest request) {
        return catalogue.tools(request.caller()).stream()
                .filter(request.selection()::permits)
                .toList();
    }

    /**
     * Returns the tool to run. A tool for which the caller lacks only a scope is included, since the client can get the scope.
     */
    private Tool<?, ?> toRun(String name, ObjectNode arguments, McpRequest request) {
        return catalogue
                .find(name, request.caller())
                .filter(tool -> request.selection().permits(tool)
                        && request.caller().missingScope(tool, arguments).isPresent())
                .or(() -> unusable(name, request))
                .orElseGet(() -> Discovery.read(name, usable(request)));
    }

    private Optional<Tool<?, ?>> unusable(String name, McpRequest request) {
        return catalogue.unusable(name, request.caller()).filter(request.selection()::permits);
    }

    private MethodResult found(String query, McpRequest request) {
        var usable = usable(request);
        var text = Discovery.found(query, usable, finder).stream()
                .map(tool -> "%s (%s): %s\n".formatted(tool.name(), tool.title(), Discovery.summary(tool)))
                .collect(Collectors.joining());
        return MethodResult.text(text.isEmpty() ? "You may use no tool; US_Read shows what your key allows." : text);
    }

    private MethodResult described(Tool<?, ?> tool, McpRequest request) {
        var result = Json.object();
        var description = tools.description(tool, request);
        result.putArray("content").addObject().put("type", "text").put("text", Json.text(description));
        result.set("structuredContent", description.deepCopy());
        return MethodResult.done(result);
    }
}
