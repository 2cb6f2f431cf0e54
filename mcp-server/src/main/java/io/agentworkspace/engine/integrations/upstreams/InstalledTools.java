package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamStore.Connected;
import io.agentworkspace.engine.integrations.upstreams.UpstreamStore.Usable;
import io.agentworkspace.engine.integrations.upstreams.UpstreamTool.State;
import io.agentworkspace.engine.integrations.upstreams.accounts.UserServers;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.changes.TenantCache;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is approved of a tenant's upstream servers, from the database and never from the servers. */
final class InstalledTools implements TenantTools, UserServers {
    private static final Logger LOG = LoggerFactory.getLogger(InstalledTools.class);

    private final UpstreamStore store;
    private final UpstreamCalls calls;
    private final TenantCache<Installed> cache;

    public InstalledTools(UpstreamStore store, UpstreamCalls calls, CallerChanges watch) {
        this.store = store;
        this.calls = calls;
        this.cache = new TenantCache<>("upstreams:", watch, store::tenants, this::read, Installed.NOTHING);
    }

    @Override
    public Snapshot of(long tenant) {
        return cache.of(tenant).tools();
    }

    /** Returns what the caller may use of its tenant's servers besides their tools, by the servers' names. */
    public List<InstalledContent> contents(Caller caller) {
        return cache.of(caller.tenant()).contents().stream()
                .filter(content -> content.isFor(caller))
                .toList();
    }

    /** Returns the tenant's servers. */
    List<Server> servers(long tenant) {
        return cache.of(tenant).servers();
    }

    @Override
    public Optional<Target> find(Caller caller, String upstream) {
        var manages = caller.isAdmin() && Capability.UPSTREAM_WRITE.isIn(caller.capabilities());
        return servers(caller.tenant()).stream()
                .filter(server -> server.target().name().equals(upstream) && (manages || server.isFor(caller)))
                .map(Server::target)
                .findFirst();
    }

    /** A server, and what is approved of it. */
    record Server(Target target, List<Tool<?, ?>> uses) {
        boolean isFor(Caller caller) {
            return uses.stream().anyMatch(caller::may);
        }
    }

    private record Installed(Snapshot tools, List<InstalledContent> contents, List<Server> servers) {
        static final Installed NOTHING = new Installed(Snapshot.EMPTY, List.of(), List.of());
    }

    @Override
    public void forget(long tenant) {
        cache.forget(tenant);
    }

    private Installed read(long tenant) {
        var upstreams =
                store.connected(tenant).stream().collect(Collectors.toMap(Connected::name, Function.identity()));
        calls.keepOnly(
                tenant,
                upstreams.values().stream().map(each -> target(tenant, each)).toList());
        if (upstreams.isEmpty()) {
            return Installed.NOTHING;
        }
        var tools = new ArrayList<Tool<?, ?>>();
        var unusable = new ArrayList<Tool<?, ?>>();
        var content = new TreeMap<String, List<Usable>>();
        for (var one : store.usable(tenant)) {
            var upstream = upstreams.get(one.upstream());
            if (upstream != null && one.kind() == OfferKind.TOOL) {
                add(one, target(tenant, upstream), tools, unusable);
            } else if (upstream != null) {
                content.computeIfAbsent(upstream.name(), _ -> new ArrayList<>()).add(one);
            }
        }
        store.unusable(tenant).stream()
                .filter(one -> upstreams.containsKey(one.upstream()))
                .forEach(one -> unusable.add(UnusableTool.of(one)));
        var contents = content.entrySet().stream()
                .map(each -> new InstalledContent(
                        target(tenant, Objects.requireNonNull(upstreams.get(each.getKey()))), each.getValue(), calls))
                .toList();
        var version = upstreams.values().stream()
                .map(each -> "%s%d@%s".formatted(each.name(), each.revision(), each.createdAt()))
                .sorted()
                .collect(Collectors.joining(" ", tenant + ":", ""));
        var requests = contents.stream().flatMap(each -> each.calls().stream()).toList();
        Map<Boolean, List<Tool<?, ?>>> readers = tools.stream()
                .collect(Collectors.partitioningBy(
                        tool -> tool.foreign() != null && tool.foreign().isForModels()));
        var snapshot = new Snapshot(
                version,
                readers.getOrDefault(true, List.of()),
                readers.getOrDefault(false, List.of()),
                requests,
                unusable,
                upstreams.keySet().stream().sorted().toList());
        var uses = Stream.concat(tools.stream(), requests.stream())
                .collect(Collectors.groupingBy(
                        tool -> Objects.requireNonNull(tool.foreign()).upstream()));
        var servers = upstreams.values().stream()
                .map(each -> new Server(target(tenant, each), uses.getOrDefault(each.name(), List.of())))
                .toList();
        return new Installed(snapshot, contents, servers);
    }

    /** A definition that cannot be shown any more, as after an upgrade, must not break the list. */
    private void add(Usable tool, Target target, List<Tool<?, ?>> tools, List<Tool<?, ?>> unusable) {
        try {
            var definition = tool.definition();
            var foreign = new ForeignTool(
                    tool.upstream(),
                    tool.item(),
                    definition.listing(tool.upstream(), tool.name()),
                    tool.approvedDigest());
            tools.add(foreign.calledBy((in, call) -> calls.call(
                    new UpstreamCalls.Called(target, tool.item(), definition, foreign.isIdempotent()), in, call)));
        } catch (RuntimeException e) {
            LOG.warn("the tool {} of an upstream server is left out", tool.name(), e);
            unusable.add(UnusableTool.of(
                    new UpstreamStore.Unusable(tool.upstream(), tool.item(), tool.name(), State.HELD.word(), null)));
        }
    }

    Target target(long tenant, Connected upstream) {
        return new Target(
                tenant,
                upstream.name(),
                upstream.createdAt(),
                upstream.revision(),
                URI.create(upstream.url()),
                upstream.credential(),
                () -> store.opened(tenant, upstream.name(), upstream.secret()),
                Duration.ofMillis(upstream.timeoutMs()),
                upstream.era());
    }
}
