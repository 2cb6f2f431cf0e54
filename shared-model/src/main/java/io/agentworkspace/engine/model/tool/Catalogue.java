package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** All tools, in order. Lists, routes, documents and pages are generated from it. */
public final class Catalogue {
    private final Map<String, Tool<?, ?>> tools = new LinkedHashMap<>();

    private final TenantTools installed;

    public Catalogue(Collection<? extends Tool<?, ?>> inOrder) {
        this(inOrder, TenantTools.NONE);
    }

    /** @param installed the tools that tenants have besides these */
    public Catalogue(Collection<? extends Tool<?, ?>> inOrder, TenantTools installed) {
        this.installed = installed;
        for (var tool : inOrder) {
            if (tools.put(tool.name(), tool) != null) {
                throw new IllegalArgumentException("two tools are named " + tool.name());
            }
        }
    }

    public List<Tool<?, ?>> tools() {
        return List.copyOf(tools.values());
    }

    /** Returns the tools that this caller may run, with those of the servers that its tenant installed. */
    public List<Tool<?, ?>> tools(Caller caller) {
        return Stream.concat(tools.values().stream(), installed.of(caller.tenant()).tools().stream())
                .filter(caller::may)
                .toList();
    }

    /** Returns the tools of installed servers that this caller may run. */
    public List<Tool<?, ?>> installed(Caller caller) {
        return installed.of(caller.tenant()).tools().stream()
                .filter(caller::may)
                .toList();
    }

    /** Returns the tools of installed servers that only the pages of their apps call, as far as this caller may run them. */
    public List<Tool<?, ?>> appTools(Caller caller) {
        return installed.of(caller.tenant()).appTools().stream()
                .filter(caller::may)
                .toList();
    }

    /** Returns the names of the servers that the caller's tenant installed. */
    public List<String> servers(Caller caller) {
        return installed.of(caller.tenant()).servers();
    }

    /** Returns the names of the tools of the servers that the caller's tenant installed, also of those that are not approved. */
    public List<String> installedNames(Caller caller) {
        var snapshot = installed.of(caller.tenant());
        return Stream.of(snapshot.tools(), snapshot.appTools(), snapshot.unusable())
                .flatMap(List::stream)
                .map(Tool::name)
                .toList();
    }

    /** Returns the tool of an installed server with this name that is not approved: a call of it says so. */
    public Optional<Tool<?, ?>> unusable(String name, Caller caller) {
        return named(name, installed.of(caller.tenant()).unusable());
    }

    /** Applies the committed change of a call to the tools of installed servers at once. */
    public void changedBy(Call call) {
        if (call.tool().family() == Family.UPSTREAM
                && call.tool().foreign() == null
                && call.tool().effect().isTransactional()) {
            installed.forget(call.caller().tenant());
        }
    }

    /** Returns a text that differs where the tools of installed servers do. */
    public String version(Caller caller) {
        return installed.of(caller.tenant()).version();
    }

    /** Returns the tool with this name, also one of a server that the caller's tenant installed. */
    public Optional<Tool<?, ?>> find(String name, Caller caller) {
        return find(name).or(() -> named(name, installed.of(caller.tenant()).tools()));
    }

    private static Optional<Tool<?, ?>> named(String name, List<Tool<?, ?>> tools) {
        return tools.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }

    /** Returns the tool with this name. Names are case-sensitive. */
    public Optional<Tool<?, ?>> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** @throws Problem {@code unknown_service}, with the tool that is probably meant */
    public Tool<?, ?> read(String name) {
        return found(name, find(name));
    }

    /**
     * Returns what can be run under this name: a tool, or a request to an installed server.
     *
     * @throws Problem {@code unknown_service} if there is no such thing
     */
    public Tool<?, ?> read(String name, Caller caller) {
        return found(
                name,
                find(name, caller)
                        .or(() -> named(name, installed.of(caller.tenant()).appTools()))
                        .or(() -> named(name, installed.of(caller.tenant()).requests()))
                        .or(() -> unusable(name, caller)));
    }

    private Tool<?, ?> found(String name, Optional<Tool<?, ?>> tool) {
        return tool.orElseThrow(() -> {
            var titled = tools.values().stream().map(NearestTool.Titled::of).toList();
            return Problem.unknownService("service", name, NearestTool.hint(name, titled, "GET /api/mcp/tools"));
        });
    }
}
