package io.agentworkspace.engine.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.TestDatabase;
import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.model.EventType;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.KeyStore;
import io.agentworkspace.engine.store.TenantStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Some tenants, in each of which an agent is changed again and again, on whatever replica answers. With each change some more
 * events are written, as the engine writes them, so that there are more of them than two processors could make by calls.
 */
final class EventMakers {
    private static final String TYPE = "agent.deployment.updated";
    private static final int WRITERS = 6;
    private static final int FOR_EACH_CALL = 10;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Db db;
    private final IntFunction<String> replicas;
    private final List<Tenant> tenants = new ArrayList<>();

    private record Tenant(long id, String key, Set<Long> acknowledged) {}

    EventMakers(Db db, IntFunction<String> replicas, int count) {
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
                keys.insert(key, new KeyStore.Holder(id, user, "test", List.of("*")), clock.instant());
                tenants.add(new Tenant(id, key.reveal(), ConcurrentHashMap.newKeySet()));
            }
        }
        for (var tenant : tenants) {
            assertThat(post(tenant, 0, "/demo/v1/Engine/tps/agent/create", "{'vx':{'name':'Busy','description':'d'}}"))
                    .isPositive();
        }
    }

    void subscribe(IntFunction<URI> url) {
        for (var i = 0; i < tenants.size(); i++) {
            subscribe(i, url.apply(i));
        }
    }

    void subscribe(int tenant, URI url) {
        var body = "{'url': '%s', 'events': ['%s']}".formatted(url, TYPE);
        assertThat(post(tenants.get(tenant), 0, "/api/webhooks/endpoints", body))
                .isNotNegative();
    }

    /**
     * Makes so many events, so many a second; what gets no answer is tried again, on another replica.
     *
     * @param twoThirds runs when so much is done
     */
    void make(int events, int rate, Runnable twoThirds) throws InterruptedException {
        var began = System.nanoTime();
        var turn = new AtomicInteger();
        try (var writers = Executors.newFixedThreadPool(WRITERS)) {
            for (var i = 0; i < events / FOR_EACH_CALL; i++) {
                var due = began + TimeUnit.SECONDS.toNanos((long) i * FOR_EACH_CALL) / rate;
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                if (i == events / FOR_EACH_CALL * 2 / 3) {
                    twoThirds.run();
                }
                var tenant = tenants.get(i % tenants.size());
                var body = "{'target':{'agent':'Busy'},'vx':{'profile':'p%d'}}".formatted(i);
                writers.submit(() -> {
                    var revision = -1L;
                    while (revision < 0) {
                        revision = post(tenant, turn.getAndIncrement(), "/demo/v1/Engine/tps/agent/modify", body);
                    }
                    tenant.acknowledged().add(revision);
                    write(tenant, FOR_EACH_CALL - 1);
                });
            }
            writers.shutdown();
            assertThat(writers.awaitTermination(4, TimeUnit.MINUTES)).isTrue();
        }
    }

    private void write(Tenant tenant, int events) {
        var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        db.sql("""
                INSERT INTO event (tenant_id, id, type, created_at, data)
                SELECT :tenant, gen_random_uuid(), :type, :now, CAST(:data AS json) FROM generate_series(1, :events)
                """)
                .set("tenant", tenant.id())
                .set("type", TYPE)
                .set("now", now)
                .set("data", EventType.AGENT_DEPLOYMENT_UPDATED.example().toString())
                .set("events", events)
                .run();
    }

    /** @return the revision that was answered, 0 where there is none; -1 where nothing good was */
    private long post(Tenant tenant, int turn, String path, String body) {
        try {
            var request = HttpRequest.newBuilder(URI.create(replicas.apply(turn) + path))
                    .timeout(Duration.ofSeconds(15))
                    .header("X-Api-Key", tenant.key())
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(body.replace('\'', '"')))
                    .build();
            var answer = Json.readObject(
                    http.send(request, BodyHandlers.ofByteArray()).body());
            return answer.at("/status/success").asBoolean()
                    ? answer.path("revision").asLong(0)
                    : -1;
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    long id(int tenant) {
        return tenants.get(tenant).id();
    }

    Set<Long> acknowledged(int tenant) {
        return tenants.get(tenant).acknowledged();
    }

    /** The ids of the events that were written, tenant by tenant. */
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
