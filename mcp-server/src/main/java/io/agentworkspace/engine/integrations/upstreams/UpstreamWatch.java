package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.client.Announcements;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens at servers for the clients that listen here: a resource is followed for each user who subscribed to it, the lists of a
 * server once. What changed of the lists is read by UP_Refresh.
 */
public final class UpstreamWatch {
    /** The most resources of a server that are followed for one user. */
    private static final int MOST_FOLLOWED = 1_000;

    /** How long a server that cannot be reached, or that has announced a change, is left alone. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(UpstreamWatch.class);

    private final Connections connections;
    private final InstalledTools installed;
    private final UpstreamStore store;
    private final UpstreamProbe probe;
    private final ToolRunner runner;
    private final Clock clock;
    private final Map<Place, Followed> followed = new ConcurrentHashMap<>();
    private final Set<Place> busy = ConcurrentHashMap.newKeySet();
    private final Map<Place, Instant> pauses = new ConcurrentHashMap<>();
    private final Map<Place, Caller> changed = new ConcurrentHashMap<>();
    private volatile Updates updates = (_, _, _, _) -> {};

    /** A server, for a user; 0 for all of them. */
    private record Place(long tenant, String upstream, long user) {}

    private record Followed(Target target, Caller caller, Set<String> uris) {}

    /**
     * A client that listens here.
     *
     * @param resources the resources of servers that it subscribed to, by the servers' names, with their URIs there
     * @param lists whether it also wants to know of changes of lists
     */
    public record Listener(Caller caller, Map<String, Set<String>> resources, boolean lists) {}

    /** Receives the changes of resources of servers. */
    @FunctionalInterface
    public interface Updates {
        void updated(long tenant, long user, String upstream, String uri);
    }

    public UpstreamWatch(
            Connections connections,
            InstalledTools installed,
            UpstreamStore store,
            UpstreamProbe probe,
            ToolRunner runner,
            Clock clock) {
        this.connections = connections;
        this.installed = installed;
        this.store = store;
        this.probe = probe;
        this.runner = runner;
        this.clock = clock;
        connections.announceTo(this::receiver);
    }

    public void onUpdate(Updates receiver) {
        updates = receiver;
    }

    private Announcements receiver(Target target, Caller caller) {
        return new Announcements() {
            @Override
            public void updated(Set<String> uris) {
                uris.forEach(uri -> updates.updated(target.tenant(), caller.user(), target.name(), uri));
            }

            @Override
            public void listsChanged() {
                if (target.credential().perUser()) {
                    return; // What one user sees is not what the admin approved for all.
                }
                changed.put(new Place(target.tenant(), target.name(), 0), caller);
            }
        };
    }

    /** Listens for these clients, and for no others. Returns at once. */
    public void listenFor(List<Listener> listeners) {
        var places = places(listeners);
        followed.keySet().stream()
                .filter(place -> !places.containsKey(place))
                .forEach(place -> work(place, () -> unfollow(place)));
        places.forEach((place, one) -> work(place, () -> follow(place, one)));
        changed.forEach((place, caller) -> work(place, () -> readAgain(place, caller)));
    }

    private Map<Place, Followed> places(List<Listener> listeners) {
        var places = new HashMap<Place, Followed>();
        var listed = new HashSet<Place>();
        for (var listener : listeners) {
            var caller = listener.caller();
            for (var server : installed.servers(caller.tenant())) {
                var name = server.target().name();
                var uris = listener.resources().getOrDefault(name, Set.of());
                var all = new Place(caller.tenant(), name, 0);
                if ((!uris.isEmpty() || listener.lists() && !listed.contains(all)) && server.isFor(caller)) {
                    listed.add(all);
                    var one = places.computeIfAbsent(
                            new Place(caller.tenant(), name, caller.user()),
                            _ -> new Followed(server.target(), caller, new TreeSet<>()));
                    uris.stream().filter(_ -> one.uris().size() < MOST_FOLLOWED).forEach(one.uris()::add);
                }
            }
        }
        return places;
    }

    /** Runs the work on another thread, unless a server is busy with the last one or has a pause. */
    private void work(Place place, Runnable action) {
        var until = pauses.get(place);
        if (until != null && clock.instant().isBefore(until) || !busy.add(place)) {
            return;
        }
        pauses.remove(place);
        Thread.startVirtualThread(() -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.debug("the server {} cannot be listened to: {}", place.upstream(), e.getMessage());
                pauses.put(place, clock.instant().plus(PAUSE));
            } finally {
                busy.remove(place);
            }
        });
    }

    private void follow(Place place, Followed one) {
        followed.put(place, one);
        connections
                .client(one.target(), one.caller())
                .follow(one.uris(), one.target().limit());
    }

    private void unfollow(Place place) {
        var one = followed.remove(place);
        if (one != null) {
            connections.unfollow(one.target(), one.caller());
        }
    }

    /** Only a server that has something else than before is read by UP_Refresh: some announce changes with each session. */
    private void readAgain(Place place, Caller caller) {
        pauses.put(place, clock.instant().plus(PAUSE));
        changed.remove(place);
        var upstream = store.connected(place.tenant(), place.upstream());
        var seen = probe.of(installed.target(place.tenant(), upstream), caller);
        if (seen.error() != null || store.has(place.tenant(), place.upstream(), seen.offers())) {
            return;
        }
        var engine = new Caller(
                caller.tenant(),
                caller.tenantName(),
                caller.user(),
                caller.userName(),
                Role.ADMIN,
                Set.of(Capability.UPSTREAM_WRITE.word()),
                "announcements",
                null);
        var source = new RequestSource(null, null, "an announcement of the server '%s'".formatted(place.upstream()));
        runner.run(new ToolRunner.Request(
                        "UP_Refresh",
                        Json.object().put("name", place.upstream()),
                        engine,
                        UUID.randomUUID().toString(),
                        true,
                        null)
                .from(source));
    }
}
