package io.agentworkspace.engine.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.secrets.MasterKey;
import io.agentworkspace.engine.secrets.MasterKeys;
import io.agentworkspace.engine.secrets.Vault;
import io.agentworkspace.engine.signin.StageClock;
import io.agentworkspace.engine.testing.EventCheck;
import io.agentworkspace.engine.testing.Replica;
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

/** An engine on a database and a clock of its own: what is due there, no other engine takes. */
public final class WebhookStage implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Slow: what a slow machine takes is nothing to it. */
    public final StageClock clock = new StageClock(20);

    public final Db db;
    private final String database = "webhooks_" + UUID.randomUUID().toString().replace("-", "");
    private final String key = ApiKey.generate(new SecureRandom()).reveal();
    private final Map<String, String> settings;
    private final Replica engine;

    public WebhookStage() {
        this(Map.of());
    }

    public WebhookStage(Map<String, String> more) {
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

    /** Another replica on the same database and clock. */
    public Replica replica() {
        return Replica.start(settings, clock);
    }

    /** What a replica in a process of its own has to be told, besides what every one is. */
    Map<String, String> settings() {
        return settings;
    }

    Vault vault() {
        return new Vault(db, new MasterKeys(MasterKey.parse(TestDatabase.SECRETS_KEY), Path.of("none")));
    }

    public String url() {
        return engine.url();
    }

    String key() {
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

    /** Makes an endpoint for these types; gives its record, with the secret. */
    public ObjectNode endpoint(URI url, String... events) {
        var types = Json.text(List.of(events.length == 0 ? new String[] {"*"} : events));
        var made = call("POST", "/api/webhooks/endpoints", "{'url': '%s', 'events': %s}".formatted(url, types));
        return (ObjectNode) made.get("endpoint");
    }

    public ObjectNode endpoint(String id) {
        return (ObjectNode) call("GET", "/api/webhooks/endpoints/" + id, "").get("endpoint");
    }

    /** The deliveries of an endpoint, the newest first. */
    public List<ObjectNode> deliveries(String endpoint) {
        return call("GET", "/api/webhooks/deliveries?limit=200&endpoint=" + endpoint, "")
                .get("deliveries")
                .valueStream()
                .map(ObjectNode.class::cast)
                .toList();
    }

    /** Makes an agent, which is an event. */
    public void happens(String agent) {
        call(
                "POST",
                "/demo/v1/Engine/tps/agent/create",
                "{'vx': {'name': '%s', 'description': 'An agent.'}}".formatted(agent));
    }

    @Override
    public void close() {
        engine.close();
        assertThat(db.sql("SELECT type, data FROM event")
                        .list(row -> EventCheck.faults(
                                EventType.find(row.text("type")).orElseThrow(), row.json("data", ObjectNode.class))))
                .allSatisfy(faults -> assertThat(faults).isEmpty());
        db.close();
    }
}
