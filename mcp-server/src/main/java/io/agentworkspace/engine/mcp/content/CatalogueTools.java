package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.ExecutionMode;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.apps.WorkspaceApps;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.LenientInput;
import io.agentworkspace.engine.model.schema.StorableInput;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDescription;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The tools of the catalogue that the caller may use and the request does not exclude. */
public final class CatalogueTools implements ToolSource {
    private final ToolRunner runner;
    private final WorkspaceApps apps;
    private final Clock clock;
    private final Confirmation confirmation = new Confirmation();
    private final Map<String, ObjectNode> listed = new LinkedHashMap<>();
    private final Map<String, ObjectNode> full = new LinkedHashMap<>();
    private final Map<String, ObjectNode> listedReading = new LinkedHashMap<>();
    private final Map<String, ObjectNode> fullReading = new LinkedHashMap<>();
    private final Names names;
    private final InPlaceQuestion inPlace = new InPlaceQuestion(this);

    public CatalogueTools(ToolRunner runner, WorkspaceApps apps, Clock clock) {
        this.runner = runner;
        this.apps = apps;
        this.clock = clock;
        for (var tool : runner.catalogue().tools()) {
            listed.put(tool.name(), ToolDescription.listed(tool));
            full.put(tool.name(), ToolDescription.full(tool));
            listedReading.put(tool.name(), reading(tool, ToolDescription.listed(tool)));
            fullReading.put(tool.name(), reading(tool, ToolDescription.full(tool)));
        }
        names = names(runner.catalogue().tools());
    }

    private static Names names(List<Tool<?, ?>> tools) {
        var families = tools.stream().map(tool -> tool.family().word()).distinct();
        return new Names(
                Stream.concat(families, Stream.of(Toolset.DEFAULT, Toolset.WORK, Toolset.ALL, Toolset.READ_ONLY))
                        .toList(),
                tools.stream().map(Tool::name).toList());
    }

    /**
     * Returns the names of the whole catalogue, which is public: a tool that the key may not use is not a mistyped name. Neither is that
     * of an installed server, approved or not: what is held must not close the rest to clients that select it.
     */
    @Override
    public Names names(Caller caller) {
        var servers = runner.catalogue().servers(caller);
        return servers.isEmpty()
                ? names
                : new Names(
                        Stream.concat(names.toolsets().stream(), servers.stream())
                                .toList(),
                        Stream.concat(names.tools().stream(), runner.catalogue().installedNames(caller).stream())
                                .toList());
    }

    @Override
    public String version(McpRequest request) {
        var version = runner.catalogue().version(request.caller());
        return request.client().showsApps() ? version + " with apps" : version;
    }

    /** Lists the tools in the order of the catalogue. */
    @Override
    public List<ObjectNode> list(McpRequest request) {
        return Stream.concat(runner.catalogue().tools(request.caller()).stream(), appTools(request))
                .filter(request.selection()::lists)
                .map(tool ->
                        apps.linked(tool, seen(tool, request.selection().readOnly() ? listedReading : listed), request))
                .toList();
    }

    private Stream<Tool<?, ?>> appTools(McpRequest request) {
        return request.client().showsApps() ? runner.catalogue().appTools(request.caller()).stream() : Stream.empty();
    }

    /**
     * Returns the tool that a call names. The pages of apps do not know what their server's tools are called here, so the server's own
     * names are accepted, too, from clients that show such pages, if only one of the selected tools has it.
     */
    private Optional<Tool<?, ?>> named(String name, McpRequest request) {
        return runner.catalogue()
                .find(name, request.caller())
                .or(() -> appTools(request)
                        .filter(tool -> tool.name().equals(name))
                        .findFirst())
                .or(() -> ofPage(name, request));
    }

    private Optional<Tool<?, ?>> ofPage(String name, McpRequest request) {
        if (!request.client().showsApps()) {
            return Optional.empty();
        }
        var matches = Stream.concat(runner.catalogue().tools(request.caller()).stream(), appTools(request))
                .filter(tool -> tool.foreign() != null
                        && tool.foreign().isForPages()
                        && tool.foreign().item().equals(name))
                .filter(request.selection()::includes)
                .toList();
        return matches.size() == 1 ? Optional.of(matches.getFirst()) : Optional.empty();
    }

    /** Returns the full description of a tool. */
    ObjectNode description(Tool<?, ?> tool, McpRequest request) {
        return seen(tool, request.selection().readOnly() ? fullReading : full);
    }

    private static ObjectNode seen(Tool<?, ?> tool, Map<String, ObjectNode> descriptions) {
        if (tool.foreign() != null) {
            return tool.foreign().definition().deepCopy();
        }
        var description = descriptions.get(tool.name());
        if (description == null) {
            throw new IllegalArgumentException(tool.name() + " is not in the catalogue");
        }
        return description;
    }

    /** A read-only selection marks nothing as read, so all its tools are read-only. */
    private static ObjectNode reading(Tool<?, ?> tool, ObjectNode description) {
        if (tool.effect() == Effect.MARKS) {
            description.putObject("annotations").put("readOnlyHint", true).put("openWorldHint", false);
        }
        return description;
    }

    @Override
    public Optional<ObjectNode> find(String name, McpRequest request) {
        return Optional.ofNullable(full.get(name))
                .or(() -> named(name, request)
                        .filter(tool ->
                                tool.foreign() != null && request.caller().may(tool))
                        .map(tool -> description(tool, request)));
    }

    @Override
    public Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest request) {
        return named(name, request)
                .or(() -> runner.catalogue().unusable(name, request.caller()))
                .filter(request.selection()::includes)
                .map(tool -> call(tool, arguments, request));
    }

    ToolCall call(Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        return new CatalogueCall(tool, arguments, request);
    }

    /** A call of a tool. A failure of the tool is a result, so that a model can read the note and correct itself. */
    private final class CatalogueCall implements ToolCall {
        private final Tool<?, ?> tool;
        private final ObjectNode arguments;
        private final McpRequest request;

        /** False if the runner will refuse the arguments: then nothing is asked, and no task begins. */
        private final boolean isStorable;

        /** @param input the arguments as the model sent them */
        CatalogueCall(Tool<?, ?> tool, ObjectNode input, McpRequest request) {
            this.tool = tool;
            this.arguments = LenientInput.of(input, tool.inputSchema());
            this.isStorable = StorableInput.isStorable(arguments);
            this.request = request;
        }

        /** Returns how the call runs. A refused call is answered at once. */
        @Override
        public ExecutionMode mode() {
            return tool.isLong() && isStorable && request.caller().may(tool) ? ExecutionMode.LONG : ExecutionMode.QUICK;
        }

        /** Returns the confirmation that the task requires before it starts. */
        @Override
        public Optional<MethodResult> beforeTask() {
            return isStorable ? confirmed(tool, arguments, request) : Optional.empty();
        }

        @Override
        public MethodResult run() {
            request.ran(tool.name());
            var scope = request.caller().missingScope(tool, arguments);
            if (scope.isPresent()) {
                carryOut(tool, arguments, request); // It is refused, and the audit records that.
                throw RpcError.insufficientScope(
                        scope.get(),
                        request.caller().obstacle(tool, arguments).orElseThrow(),
                        request.caller(),
                        request.requestId());
            }
            return beforeTask()
                    .or(() -> inPlace.run(tool, arguments, request))
                    .orElseGet(() -> carryOut(tool, arguments, request));
        }
    }

    /** Returns the pending confirmation or its refusal. Empty if the call may run. */
    private Optional<MethodResult> confirmed(Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        var meant = tool.runFor(arguments);
        var open = confirmation.ask(meant, arguments, request);
        if (open.isPresent() || !confirmation.isRefused(meant, request)) {
            return open;
        }
        var problem = Problem.conflict("the person did not confirm it: nothing was changed");
        var envelope = Envelope.failure(tool.name(), request.requestId(), clock.instant(), problem);
        return Optional.of(MethodResult.done(ToolResult.of(new Answer(envelope, problem, false), tool, arguments)));
    }

    private MethodResult carryOut(Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        var of = requestOf(tool.name(), arguments, request);
        var answer = runner.run(of);
        return ClientProgress.question(of, answer).orElseGet(() -> done(answer, tool, arguments, request));
    }

    static MethodResult done(Answer answer, Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        request.answered(answer);
        return MethodResult.done(ToolResult.of(answer, tool, arguments));
    }

    ToolRunner runner() {
        return runner;
    }

    /** Returns what the runner needs to know of a call. */
    ToolRunner.Request requestOf(String service, ObjectNode arguments, McpRequest request) {
        return new ToolRunner.Request(
                service,
                arguments,
                request.caller(),
                request.requestId(),
                true,
                request.idempotencyKey(arguments),
                new ClientProgress(request, false),
                request.source(),
                request.budget(),
                request.selection().readOnly());
    }

    /** Returns the result of a plan. */
    MethodResult answered(Answer answer, McpRequest request) {
        request.answered(answer);
        return MethodResult.done(ToolResult.whole(answer));
    }
}
