package io.agentworkspace.engine.mcp.methods;

import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.tracing.TraceSpan;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.source.Extension;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.mcp.tasks.McpTasks;
import io.agentworkspace.engine.mcp.tasks.TasksExtension;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The MCP methods that work the same in every lane. They return what the server serves in the protocol's format. */
public final class McpMethods {
    static final List<String> COMMON = List.of(
            "tools/list",
            "tools/call",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "prompts/list",
            "prompts/get",
            "completion/complete");

    private final ServedContent served;
    private final ToolMethods tools;
    private final ResourceMethods resources;
    private final PromptMethods prompts;
    private final CompletionMethod completions;
    private final List<Extension> extensions;
    private final SealedCursors cursors;

    public McpMethods(ServedContent served, McpTasks tasks, SealedCursors cursors, Clock clock) {
        this.served = served;
        this.cursors = cursors;
        this.tools = new ToolMethods(served.tools(), tasks, clock);
        this.resources = new ResourceMethods(served.resources());
        this.prompts = new PromptMethods(served.prompts());
        this.completions = new CompletionMethod(served);
        this.extensions = new ArrayList<>(served.extensions());
        this.extensions.add(new TasksExtension(tasks));
    }

    public ServedContent offer() {
        return served;
    }

    public ResourceMethods resources() {
        return resources;
    }

    public ToolMethods tools() {
        return tools;
    }

    /** Returns all methods of this endpoint, including those of the extensions that clients of this revision can use. */
    public List<String> names(boolean stateless) {
        var names = new ArrayList<>(COMMON);
        extensions(stateless).forEach(extension -> names.addAll(extension.methods()));
        return names;
    }

    private Stream<Extension> extensions(boolean stateless) {
        return extensions.stream().filter(extension -> stateless || !extension.isForDeclaringClients());
    }

    public Optional<Extension> extension(String method) {
        return extensions.stream()
                .filter(extension -> extension.methods().contains(method))
                .findFirst();
    }

    /** @throws RpcError if the request cannot be carried out */
    public MethodResult serve(String method, ObjectNode params, McpRequest request) {
        if (!TraceSpan.CURRENT.isBound()) {
            return served(method, params, request);
        }
        return span(method, params, request).around(() -> served(method, params, request));
    }

    /** What nobody has declared is not named: names in spans are few. */
    private TraceSpan span(String method, ObjectNode params, McpRequest request) {
        var label = COMMON.contains(method) || extension(method).isPresent() ? method : "unknown";
        var tool = params.path("name").asString("");
        var named = method.equals("tools/call") && tools.find(tool, request).isPresent();
        return McpSpan.begin(label, named ? tool : null, params);
    }

    private MethodResult served(String method, ObjectNode params, McpRequest request) {
        request.ran(method);
        try {
            Params.checkTexts(method, params);
            var outcome =
                    method.endsWith("/list") ? listed(method, params, request) : dispatched(method, params, request);
            // Responses of tools are measured before the tool runs.
            if (outcome instanceof MethodResult.Done done
                    && !method.startsWith("tools/")
                    && !method.startsWith("tasks/")) {
                request.budget().sentOnce().check(done.result());
            }
            return outcome;
        } catch (Problem problem) {
            throw RpcError.of(problem, request.requestId());
        }
    }

    private MethodResult dispatched(String method, ObjectNode params, McpRequest request) {
        return switch (method) {
            case "tools/list" -> tools.list(params, request);
            case "tools/call" -> tools.call(params, request);
            case "resources/list" -> resources.list(params, request);
            case "resources/templates/list" -> resources.templates(params, request);
            case "resources/read" -> resources.read(params, request);
            case "prompts/list" -> prompts.list(params, request);
            case "prompts/get" -> prompts.get(params, request);
            case "completion/complete" -> completions.complete(params, request);
            default -> extended(method, request).serve(method, params, request);
        };
    }

    /** A page of a list: its cursor continues this list, with the same tools chosen, and no other. */
    private MethodResult listed(String method, ObjectNode params, McpRequest request) {
        Params.cursor(params);
        var question =
                SealedCursors.question(method + "\n" + request.selection().words(), request.caller(), params);
        var opened = params;
        if (SealedCursors.isIn(params)) {
            opened = params.deepCopy();
            cursors.open(question, opened);
        }
        var outcome = dispatched(method, opened, request);
        if (outcome instanceof MethodResult.Done done) {
            cursors.seal(question, done.result(), "nextCursor");
        }
        return outcome;
    }

    private Extension extended(String method, McpRequest request) {
        var extension =
                extension(method).orElseThrow(() -> RpcError.unknownMethod(method, COMMON, request.requestId()));
        if (extension.isForDeclaringClients() && !request.client().extensions().contains(extension.identifier())) {
            throw RpcError.missingExtension(extension.identifier());
        }
        return extension;
    }

    /** Returns the capabilities that {@code initialize} and {@code server/discover} declare. */
    public ObjectNode capabilities() {
        var capabilities = Json.object();
        capabilities.putObject("completions");
        capabilities.putObject("logging");
        capabilities.putObject("prompts").put("listChanged", true);
        capabilities.putObject("resources").put("subscribe", true).put("listChanged", true);
        capabilities.putObject("tools").put("listChanged", true);
        return capabilities;
    }

    /** Returns the extensions that are declared to clients of this revision. */
    public ObjectNode declared(boolean stateless) {
        var declared = Json.object();
        extensions(stateless).forEach(extension -> declared.set(extension.identifier(), extension.settings()));
        return declared;
    }

    public ObjectNode serverInfo() {
        var identity = served.identity();
        return Json.object()
                .put("name", identity.name())
                .put("title", identity.title())
                .put("version", identity.version());
    }
}
