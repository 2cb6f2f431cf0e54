package io.agentworkspace.engine.mcp.methods;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.ExecutionMode;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.mcp.tasks.McpTasks;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.NearestTool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code tools/list} and {@code tools/call}, over all sources of tools. */
public final class ToolMethods {
    /** Most callers see one of a few lists. Each has up to half a megabyte. */
    private static final int PAGES = 16;

    private static final MethodResult.Caching FIVE_MINUTES = new MethodResult.Caching(300_000, false);

    private final List<ToolSource> sources;
    private final Cache<PageKey, ListPage.Written> pages =
            Caffeine.newBuilder().maximumSize(PAGES).build();

    private final McpTasks tasks;
    private final Clock clock;

    ToolMethods(List<ToolSource> sources, McpTasks tasks, Clock clock) {
        this.sources = sources;
        this.tasks = tasks;
        this.clock = clock;
    }

    MethodResult list(ObjectNode params, McpRequest request) {
        var cursor = Params.cursor(params).orElse(null);
        var page = pages.get(
                PageKey.of(request, cursor, version(request)),
                _ -> ListPage.of(all(request), cursor).written());
        // The client's next access token may allow more.
        var caching = request.caller().hasScopes() ? MethodResult.Caching.NONE : FIVE_MINUTES;
        return page.result("tools", caching);
    }

    private String version(McpRequest request) {
        return sources.stream().map(source -> source.version(request)).collect(Collectors.joining());
    }

    /** All that decides which tools a page has: the engine's own descriptions never change while the server runs. */
    private record PageKey(
            Role role,
            Set<String> capabilities,
            Toolset ofKey,
            ToolSelection selection,
            @Nullable String cursor,
            String version) {
        static PageKey of(McpRequest request, @Nullable String cursor, String version) {
            var caller = request.caller();
            return new PageKey(
                    caller.role(),
                    caller.capabilities(),
                    caller.credential().toolset(),
                    request.selection(),
                    cursor,
                    version);
        }
    }

    private List<ObjectNode> all(McpRequest request) {
        var all = new ArrayList<ObjectNode>();
        sources.forEach(source -> all.addAll(source.list(request)));
        return all;
    }

    public Optional<ObjectNode> find(String name, McpRequest request) {
        return sources.stream()
                .flatMap(source -> source.find(name, request).stream())
                .findFirst();
    }

    /** @throws RpcError (invalid params) if no tool is named or the named tool does not exist */
    MethodResult call(ObjectNode params, McpRequest request) {
        var name = Params.text(params, "name");
        var arguments = Params.object(params, "arguments");
        var call = called(name, arguments, request);
        var takesTasks = request.client().takesTasks();
        if (call.mode() == ExecutionMode.TASK && !takesTasks) {
            throw RpcError.missingExtension(ClientInfo.TASKS);
        }
        return call.mode() == ExecutionMode.QUICK || !takesTasks
                ? call.run()
                : call.beforeTask().orElseGet(() -> tasks.begin(name, arguments, request));
    }

    /** Runs a tool to completion. */
    public MethodResult run(String name, ObjectNode arguments, McpRequest request) {
        return called(name, arguments, request).run();
    }

    private ToolCall called(String name, ObjectNode arguments, McpRequest request) {
        return sources.stream()
                .flatMap(source -> source.call(name, arguments, request).stream())
                .findFirst()
                .orElseThrow(() -> unknown(name, request));
    }

    private RpcError unknown(String name, McpRequest request) {
        var names = all(request).stream()
                .map(tool -> new NearestTool.Titled(
                        tool.get("name").asString(),
                        tool.path("title").asString(""),
                        tool.at("/annotations/readOnlyHint").asBoolean(false)))
                .toList();
        var problem = Problem.unknownService("tool", name, NearestTool.hint(name, names, "tools/list"));
        var service = name.length() > Name.MAX ? null : name;
        return RpcError.invalidParams(
                problem, Envelope.failure(service, request.requestId(), clock.instant(), problem));
    }
}
