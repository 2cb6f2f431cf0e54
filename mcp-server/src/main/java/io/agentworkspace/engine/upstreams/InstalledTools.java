package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.keys.CallerChanges;
import io.agentworkspace.engine.keys.TenantCache;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.upstreams.UpstreamStore.Callable;
import io.agentworkspace.engine.upstreams.UpstreamStore.Connected;
import io.agentworkspace.engine.upstreams.client.Target;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The approved tools of a tenant's upstream servers, from the database and never from the servers. */
public final class InstalledTools implements TenantTools {
    private static final Logger LOG = LoggerFactory.getLogger(InstalledTools.class);

    private final UpstreamStore store;
    private final UpstreamCalls calls;
    private final TenantCache<Snapshot> cache;

    public InstalledTools(UpstreamStore store, UpstreamCalls calls, CallerChanges watch) {
        this.store = store;
        this.calls = calls;
        this.cache = new TenantCache<>("upstreams:", watch, store::tenants, this::read, Snapshot.EMPTY);
    }

    @Override
    public Snapshot of(long tenant) {
        return cache.of(tenant);
    }

    @Override
    public void forget(long tenant) {
        cache.forget(tenant);
    }

    private Snapshot read(long tenant) {
        var upstreams =
                store.connected(tenant).stream().collect(Collectors.toMap(Connected::name, Function.identity()));
        if (upstreams.isEmpty()) {
            return Snapshot.EMPTY;
        }
        var tools = new ArrayList<Tool<?, ?>>();
        for (var tool : store.callable(tenant)) {
            var upstream = upstreams.get(tool.upstream());
            if (upstream != null) {
                add(tool, target(tenant, upstream), tools);
            }
        }
        var version = upstreams.values().stream()
                .map(each -> each.name() + each.revision())
                .sorted()
                .collect(Collectors.joining(" ", tenant + ":", ""));
        return new Snapshot(version, tools);
    }

    /** A definition that cannot be shown any more, as after an upgrade, must not break the list. */
    private void add(Callable tool, Target target, ArrayList<Tool<?, ?>> tools) {
        try {
            var definition = new Definition(tool.approved());
            var foreign = new ForeignTool(
                    tool.upstream(), definition.shown(tool.upstream(), tool.name()), tool.approvedDigest());
            tools.add(foreign.calledBy((in, call) -> calls.call(
                    new UpstreamCalls.Called(target, tool.tool(), definition, foreign.isIdempotent()), in, call)));
        } catch (RuntimeException e) {
            LOG.warn("the tool {} of an upstream server is left out", tool.name(), e);
        }
    }

    Target target(long tenant, Connected upstream) {
        return new Target(
                tenant,
                upstream.name(),
                upstream.revision(),
                URI.create(upstream.url()),
                upstream.credential(),
                () -> store.opened(tenant, upstream.name(), upstream.secret()),
                Duration.ofMillis(upstream.timeoutMs()),
                upstream.era());
    }
}
