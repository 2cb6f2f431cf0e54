package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.LoadClient;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Some tenants, in each of which an agent is changed repeatedly through both endpoints, on any running replica. */
final class EventProducers {
    private static final String TYPE = "agent.deployment.updated";
    private static final int WRITERS = 12;
    private static final int TRIES = 100;
    private static final String ENDPOINTS = "/api/webhooks/endpoints";

    private final Db db;
    private final IntFunction<String> replicas;
    private final List<Tenant> tenants = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicInteger retried = new AtomicInteger();
    private int made;

    private record Tenant(long id, String key, Set<Long> acknowledged) {}

    EventProducers(Db db, IntFunction<String> replicas, int count) {
        this.db = db;
        this.replicas = replicas;
        var store = new TenantStore(db);
        var clock = Clock.systemUTC();
        var random = new SecureRandom();
        try (var watch = TestDatabase.watch()) {
            var keys = new KeyStore(db, clock, watch);
            for (var i = 0; i < count; i++) {
                var id = store.create(Name.of("t-" + UUID.randomUUID()), "unlimited", clock.instant());
                var key = ApiKey.generate(random);
                var user = store.createUser(id, Name.of("owner"), Role.OWNER, clock.instant());
                keys.insert(key, new KeyStore.KeyOwner(id, user, "test", List.of("*")), clock.instant());
                tenants.add(new Tenant(id, key.reveal(), ConcurrentHashMap.newKeySet()));
            }
        }
        for (var tenant : tenants) {
            done(tenant, "/demo/v1/Engine/tps/agent/create", "{'vx':{'name':'Busy','description':'d'}}");
        }
    }

    void subscribe(IntFunction<URI> url) {
        for (var i = 0; i < tenants.size(); i++) {
            done(tenants.get(i), ENDPOINTS, "{'url':'%s','events':['%s']}".formatted(url.apply(i), TYPE));
        }
    }

    /** Creates a disabled endpoint for each tenant. They are created concurrently, since the checks of some are slow. */
    List<String> prepare(List<URI> urls) throws Exception {
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            var made = new ArrayList<Future<String>>();
            for (var i = 0; i < tenants.size(); i++) {
                var tenant = tenants.get(i);
                var body = "{'url':'%s','events':['%s'],'enabled':false}".formatted(urls.get(i), TYPE);
                made.add(all.submit(
                        () -> done(tenant, ENDPOINTS, body).at("/endpoint/id").asString()));
            }
            var ids = new ArrayList<String>();
            for (var one : made) {
                ids.add(one.get());
            }
            return ids;
        }
    }

    void enable(List<String> endpoints, boolean enabled) {
        for (var i = 0; i < tenants.size(); i++) {
            done(
                    tenants.get(i),
                    "/mcp",
                    call("WH_Update", "{'id':'%s','enabled':%b}".formatted(endpoints.get(i), enabled)));
        }
    }

    private static String call(String tool, String arguments) {
        return "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'%s','arguments':%s}}"
                .formatted(tool, arguments);
    }

    /** Creates this many events, at about this rate per second. */
    void make(int events, int rate) throws InterruptedException {
        var began = System.nanoTime();
        try (var writers = Executors.newFixedThreadPool(WRITERS)) {
            for (var i = made; i < made + events; i++) {
                var due = began + TimeUnit.SECONDS.toNanos(i - made) / rate;
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                var tenant = tenants.get(i % tenants.size());
                var change = "{'target':{'agent':'Busy'},'vx':{'profile':'p%d'}}".formatted(i);
                var byMcp = i / tenants.size() % 2 == 0;
                writers.submit(() -> tenant.acknowledged()
                        .add((byMcp
                                        ? done(tenant, "/mcp", call("AP_Modify", change))
                                        : done(tenant, "/demo/v1/Engine/tps/agent/modify", change))
                                .get("revision")
                                .asLong()));
            }
            writers.shutdown();
            assertThat(writers.awaitTermination(30, TimeUnit.MINUTES)).isTrue();
        }
        made += events;
    }

    /** Sends a request, and retries it on another replica until it succeeds. */
    private ObjectNode done(Tenant tenant, String path, String body) {
        for (var tries = 1; tries <= TRIES; tries++) {
            try {
                var answer = Json.readObject(LoadClient.post(
                                replicas.apply(turn.getAndIncrement()) + path,
                                Map.of("X-Api-Key", tenant.key(), "Content-Type", "application/json"),
                                body.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
                        .body());
                var envelope = path.equals("/mcp") ? answer.at("/result/structuredContent") : answer;
                if (envelope.at("/status/success").asBoolean()) {
                    return (ObjectNode) envelope;
                }
            } catch (UncheckedIOException e) {
                // The replica was killed.
            }
            retried.incrementAndGet();
        }
        throw new AssertionError("no replica does " + body);
    }

    /** Returns the number of requested calls. Each creates at least one event. */
    int made() {
        return made;
    }

    /** Returns the number of repeated calls. If the first attempt succeeded, there are two events. */
    int retried() {
        return retried.get();
    }

    long id(int tenant) {
        return tenants.get(tenant).id();
    }

    Set<Long> acknowledged(int tenant) {
        return tenants.get(tenant).acknowledged();
    }

    /** Returns the ids of the written events of each tenant. */
    List<Set<UUID>> written() {
        return tenants.stream().map(this::written).toList();
    }

    private Set<UUID> written(Tenant tenant) {
        return db
                .sql("SELECT id FROM event WHERE tenant_id = :tenant AND type = :type")
                .set("tenant", tenant.id())
                .set("type", TYPE)
                .list(row -> UUID.fromString(row.text("id")))
                .stream()
                .collect(Collectors.toSet());
    }
}
