package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A tenant and its twin, with webhook endpoints that receive nothing while a test examines their queues. */
public final class WebhookToolsFixture {
    /** An address without a listener: connections are refused at once. */
    public static final String NOWHERE = "http://127.0.0.1:1/hooks";

    public final TestTenant tenant = new TestTenant();
    public final TestCaller root = tenant.person("root", Role.ADMIN);

    public Reply create(String fields) {
        return root.call("WH_Create", "{'url':'%s',%s}".formatted(NOWHERE, fields));
    }

    /** Returns the id of a new endpoint whose circuit stays open. */
    String endpoint(String... events) {
        var made =
                create("'events':['%s']".formatted(String.join("','", events))).ok();
        both("UPDATE webhook_endpoint SET open_until = '2999-01-01Z' WHERE tenant_id = :tenant");
        return made.text("/endpoint/id");
    }

    /** Returns the id of a new delivery to this endpoint. */
    String delivery(String endpoint) {
        return root.call("WH_Test", "{'event_type':'webhook.test','endpoint_id':'%s'}".formatted(endpoint))
                .ok()
                .text("/deliveries/0/id");
    }

    /** Runs a statement for the tenant and for its twin. */
    void both(String statement) {
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql(statement).set("tenant", tenant.id(api)).run();
        }
    }

    /** Waits until all events of the tenant and its twin are numbered, and their deliveries are queued. */
    void awaitPlaced() {
        for (var api : ClientApi.values()) {
            TestDatabase.awaitNumbered(tenant.id(api));
        }
    }

    /** Returns the data of the events of this type in order, as {@code {…}} with sorted keys. */
    public List<String> eventData(String type) {
        return TestDatabase.db()
                .sql(
                        "SELECT data FROM event WHERE tenant_id = :tenant AND type = :type AND NOT directed ORDER BY ordinal")
                .set("tenant", tenant.id(ClientApi.MCP))
                .set("type", type)
                .list(row -> Json.canonical(Json.readObject(row.text("data").getBytes(StandardCharsets.UTF_8)))
                        .replace('"', '\''));
    }
}
