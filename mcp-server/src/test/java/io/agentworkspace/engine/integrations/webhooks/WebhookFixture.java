package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.EventCheck;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** An engine with its own database and clock, so that no other engine claims its deliveries. */
public final class WebhookFixture implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Slow, so that delays of a slow machine do not matter. */
    public final TestClock clock = new TestClock(20);

    public final Db db;
    private final String database = "webhooks_" + UUID.randomUUID().toString().replace("-", "");
    private final String key = ApiKey.generate(new SecureRandom()).reveal();
    private final Map<String, String> settings;
    private final Replica engine;
    private final RawReceiver witness = RawReceiver.saying(RawReceiver.status(200));

    public WebhookFixture() {
        this(Map.of());
    }

    public WebhookFixture(Map<String, String> more) {
        db = TestDatabase.fresh(database);
        settings = new HashMap<>(Map.of(
                "ENGINE_DATABASE_URL",
                TestDatabase.url(database),
                "ENGINE_BOOTSTRAP_KEY",
                key,
                "ENGINE_WEBHOOKS_ALLOW_PRIVATE",
                "true"));
        settings.putAll(more);
        engine = Replica.start(settings, clock);
    }

    /** Starts another replica on the same database and clock. */
    public Replica replica() {
        return Replica.start(settings, clock);
    }

    /** Returns the additional settings for a replica in a separate process. */
    Map<String, String> settings() {
        return settings;
    }

    Vault vault() {
        return new Vault(db, new MasterKeys(MasterKey.parse(TestDatabase.SECRETS_KEY), Path.of("none")));
    }

    public String url() {
        return engine.url();
    }

    public String key() {
        return key;
    }

    /** Calls a route and expects success. */
    public ObjectNode call(String method, String path, String body) {
        var answer = ask(method, path, body);
        assertThat(answer.at("/status/success").asBoolean())
                .as(answer.toString())
                .isTrue();
        return answer;
    }

    ObjectNode ask(String method, String path, String body) {
        return ask(engine.url(), method, path, body);
    }

    public ObjectNode ask(String base, String method, String path, String body) {
        var request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(Duration.ofMinutes(2))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        try {
            return Json.readObject(
                    HTTP.send(request, BodyHandlers.ofByteArray()).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates an endpoint for these types, and returns its record with the secret. */
    public ObjectNode endpoint(URI url, String... events) {
        var types = Json.text(List.of(events.length == 0 ? new String[] {"*"} : events));
        var made = call("POST", "/api/webhooks/endpoints", "{'url': '%s', 'events': %s}".formatted(url, types));
        return (ObjectNode) made.get("endpoint");
    }

    public ObjectNode endpoint(String id) {
        return (ObjectNode) call("GET", "/api/webhooks/endpoints/" + id, "").get("endpoint");
    }

    /** Returns the deliveries of an endpoint, the newest first. */
    public List<ObjectNode> deliveries(String endpoint) {
        return call("GET", "/api/webhooks/deliveries?limit=200&endpoint=" + endpoint, "")
                .get("deliveries")
                .valueStream()
                .map(ObjectNode.class::cast)
                .toList();
    }

    /**
     * Waits until the outbox has numbered all events so far, and has claimed whatever is due by now. It does so in order,
     * and the claims in one statement, so an endpoint that comes last and gets the event of its creation shows both.
     */
    public void awaitRound() {
        var id = endpoint(witness.url(), "webhook.endpoint.created").get("id").asString();
        await().until(() -> {
            db.sql("UPDATE webhook_delivery SET due_at = :now WHERE endpoint_id = :id AND state = 'pending'")
                    .set("now", clock.instant())
                    .set("id", UUID.fromString(id))
                    .run(); // The schedule may begin with a pause.
            return deliveries(id).stream()
                    .anyMatch(delivery -> delivery.get("state").asString().equals("delivered"));
        });
    }

    /** Returns how many attempts the outbox has made at a receiver, including those under way. */
    public long attempts(URI receiver) {
        return db.sql("""
                        SELECT sum(jsonb_array_length(d.attempts) + CASE d.state WHEN 'delivering' THEN 1 ELSE 0 END) AS n
                          FROM webhook_delivery d
                          JOIN webhook_endpoint w ON w.tenant_id = d.tenant_id AND w.id = d.endpoint_id
                         WHERE w.url = :url
                        """)
                .set("url", receiver.toString())
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Deletes what has expired. */
    public void clear() {
        engine.clear();
    }

    /** Creates an agent, which causes an event. */
    public void happens(String agent) {
        call(
                "POST",
                "/demo/v1/Engine/tps/agent/create",
                "{'vx': {'name': '%s', 'description': 'An agent.'}}".formatted(agent));
    }

    @Override
    public void close() {
        engine.close();
        witness.close();
        assertThat(db.sql("SELECT type, data FROM event")
                        .list(row -> EventCheck.faults(
                                EventType.find(row.text("type")).orElseThrow(), row.json("data", ObjectNode.class))))
                .allSatisfy(faults -> assertThat(faults).isEmpty());
        db.close();
    }
}
