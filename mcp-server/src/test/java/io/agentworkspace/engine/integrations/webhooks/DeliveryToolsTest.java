package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestCaller;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools that show deliveries and queue them again, through both endpoints. */
class DeliveryToolsTest {
    private final WebhookToolsFixture fixture = new WebhookToolsFixture();
    private final TestCaller root = fixture.root;

    private void all(String state) {
        fixture.both(
                "UPDATE webhook_delivery SET state = '%s', due_at = NULL WHERE tenant_id = :tenant".formatted(state));
    }

    @Test
    void aDeliveryTellsOfItsAttempts() {
        var endpoint = fixture.endpoint("webhook.test");
        var id = fixture.delivery(endpoint);
        var read = root.call("WH_Delivery", "{'id':'%s'}".formatted(id)).ok();
        assertThat(read.at("/delivery").propertyNames())
                .containsExactly(
                        "id",
                        "event_id",
                        "event_type",
                        "endpoint_id",
                        "url",
                        "sequence",
                        "state",
                        "attempts",
                        "next_attempt_at",
                        "created_at");
        assertThat(read.text("/delivery/state")).isEqualTo("pending");
        assertThat(read.text("/delivery/url")).isEqualTo(WebhookToolsFixture.NOWHERE);
        assertThat(read.at("/delivery/next_attempt_at")).isEqualTo(read.at("/delivery/created_at"));
        fixture.both("""
                UPDATE webhook_delivery
                   SET state = 'failed', due_at = '2999-01-01Z',
                       attempts = '[{"at":"2026-11-20T12:00:00.5Z","duration_ms":12,"status":500,"error":"answered 500"},
                                    {"at":"2026-11-20T12:00:05Z","duration_ms":15000,"error":"no answer"}]'
                 WHERE tenant_id = :tenant
                """);
        read = root.call("WH_Delivery", "{'id':'%s'}".formatted(id)).ok();
        assertThat(read.at("/delivery/attempts").toString().replace('"', '\''))
                .isEqualTo("[{'at':'2026-11-20T12:00:00.500Z','duration_ms':12,'status':500,'error':'answered 500'},"
                        + "{'at':'2026-11-20T12:00:05.000Z','duration_ms':15000,'error':'no answer'}]");
        assertThat(read.text("/delivery/next_attempt_at")).isEqualTo("2999-01-01T00:00:00.000Z");
        fixture.both("UPDATE webhook_delivery SET state = 'delivering' WHERE tenant_id = :tenant");
        assertThat(root.call("WH_Delivery", "{'id':'%s'}".formatted(id))
                        .ok()
                        .at("/delivery")
                        .has("next_attempt_at"))
                .isFalse();
    }

    @Test
    void theListIsFilteredAndPaged() {
        var one = fixture.endpoint("webhook.test");
        var other = fixture.endpoint("agent.deployment.created");
        fixture.delivery(one);
        all("delivered");
        var second = fixture.delivery(one);
        fixture.delivery(other);
        root.call("WH_Test", "{'event_type':'agent.deployment.created'}").ok();
        assertThat(root.call("WH_Deliveries").ok().texts("/deliveries", "state"))
                .containsExactly("pending", "pending", "pending", "delivered");
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s','state':'pending'}".formatted(one))
                        .ok()
                        .texts("/deliveries", "id"))
                .containsExactly(second);
        assertThat(root.call("WH_Deliveries", "{'type':'agent.deployment.created'}")
                        .ok()
                        .texts("/deliveries", "endpoint_id"))
                .containsExactly(other);
        for (var nowhere : List.of("nowhere", "6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11")) {
            root.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(nowhere))
                    .refused(3001, "no endpoint '%s'".formatted(nowhere));
        }
        root.call("WH_Deliveries", "{'state':'lost'}").refused(1004, "exhausted");
        root.call("WH_Deliveries", "{'type':'webhook.tests'}").refused(1004, "webhook.test");
        var first = root.call("WH_Deliveries", "{'page':{'limit':3}}").ok();
        var rest = root.call(
                        "WH_Deliveries", "{'page':{'limit':3,'cursor':'%s'}}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(rest.texts("/deliveries", "state")).containsExactly("delivered");
        assertThat(rest.envelope().has("next_cursor")).isFalse();
        root.call("WH_Deliveries", "{'page':{'cursor':'x'}}").refused(1004, "cursor");
        all("delivered"); // The outbox drops what waits for a deleted endpoint, at a different time in each tenant.
        root.call("WH_Delete", "{'id':'%s'}".formatted(other)).ok();
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s','type':'agent.deployment.created'}".formatted(other))
                        .ok()
                        .texts("/deliveries", "state"))
                .contains("delivered");
    }

    @Test
    void numbersGrowByOneForEachEndpoint() {
        var one = fixture.endpoint("webhook.test");
        var other = fixture.endpoint("webhook.test");
        var id = fixture.delivery(one);
        fixture.delivery(one);
        root.call("WH_Redeliver", "{'id':'%s'}".formatted(id)).ok();
        root.call("WH_Test", "{'event_type':'webhook.test'}").ok();
        root.call("WH_Redeliver", "{'id':'%s','endpoint_id':'%s'}".formatted(id, other))
                .ok();
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(one))
                        .ok()
                        .texts("/deliveries", "sequence"))
                .containsExactly("4", "3", "2", "1");
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(other))
                        .ok()
                        .texts("/deliveries", "sequence"))
                .containsExactly("2", "1");
    }

    @Test
    void anEventIsDeliveredAgainUnderItsOwnId() {
        var one = fixture.endpoint("webhook.test");
        var other = fixture.endpoint("agent.deployment.created");
        var id = fixture.delivery(one);
        all("exhausted");
        var first = root.call("WH_Delivery", "{'id':'%s'}".formatted(id)).ok();
        var again = root.call("WH_Redeliver", "{'id':'%s','endpoint_id':'%s'}".formatted(id, other))
                .ok();
        assertThat(again.text("/delivery/id")).isNotEqualTo(id);
        assertThat(again.text("/delivery/event_id")).isEqualTo(first.text("/delivery/event_id"));
        assertThat(again.text("/delivery/endpoint_id")).isEqualTo(other);
        assertThat(again.text("/delivery/state")).isEqualTo("pending");
        assertThat(root.call("WH_Delivery", "{'id':'%s'}".formatted(again.text("/delivery/id")))
                        .ok()
                        .at("/event"))
                .isEqualTo(first.at("/event"));
        assertThat(root.call("WH_Delivery", "{'id':'%s'}".formatted(id)).ok().text("/delivery/state"))
                .isEqualTo("exhausted");
        var stranger = new WebhookToolsFixture().endpoint("*");
        root.call("WH_Redeliver", "{'id':'%s','endpoint_id':'%s'}".formatted(id, stranger))
                .refused(3001, "no endpoint");
        root.call("WH_Update", "{'id':'%s','enabled':false}".formatted(other)).ok();
        root.call("WH_Redeliver", "{'id':'%s','endpoint_id':'%s'}".formatted(id, other))
                .refused(3003, "disabled (manual)", "WH_Update");
    }

    private long recovered(String from, String more) {
        return root.call("WH_RedeliverFailed", "{'id':'%s','since':'2026-01-01T00:00:00Z'%s}".formatted(from, more))
                .ok()
                .number("/queued");
    }

    @Test
    void whatFailedIsDeliveredAgainOnce() {
        var one = fixture.endpoint("webhook.test");
        var other = fixture.endpoint("agent.deployment.created");
        fixture.delivery(one);
        all("delivered");
        fixture.delivery(one);
        fixture.both(
                "UPDATE webhook_delivery SET state = 'exhausted', due_at = NULL WHERE tenant_id = :tenant AND state = 'pending'");
        fixture.delivery(one);
        fixture.both(
                "UPDATE webhook_delivery SET state = 'exhausted', due_at = NULL WHERE tenant_id = :tenant AND state = 'pending'");
        fixture.delivery(one);
        assertThat(recovered(one, "")).isEqualTo(2);
        var queued = root.call("WH_Deliveries", "{'endpoint':'%s','page':{'limit':2}}".formatted(one))
                .ok();
        assertThat(queued.texts("/deliveries", "state")).containsExactly("pending", "pending");
        assertThat(root.call("WH_Deliveries", "{'state':'pending','page':{'limit':200}}")
                        .ok()
                        .texts("/deliveries", "sequence"))
                .containsExactly("6", "5", "4");
        assertThat(recovered(one, ""))
                .as("they are already queued or being sent")
                .isZero();
        var elsewhere = ",'to_endpoint_id':'%s'".formatted(other);
        assertThat(recovered(one, elsewhere))
                .as("their last delivery has not failed")
                .isZero();
        fixture.both(
                "UPDATE webhook_delivery SET state = 'exhausted', due_at = NULL WHERE tenant_id = :tenant AND sequence > 4");
        assertThat(recovered(one, elsewhere)).isEqualTo(2);
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(other))
                        .ok()
                        .texts("/deliveries", "sequence"))
                .containsExactly("2", "1");
        all("delivered");
        assertThat(recovered(one, "")).isZero();
        root.call("WH_RedeliverFailed", "{'id':'%s'}".formatted(one)).refused(1003, "since");
        root.call("WH_RedeliverFailed", "{'id':'%s','since':'yesterday'}".formatted(one))
                .refused(1004, "ISO 8601");
    }

    private static final String FAIL = """
            UPDATE webhook_delivery
               SET state = 'failed', due_at = '2999-01-01Z'
             WHERE tenant_id = :tenant AND state = 'pending'
            """;

    @Test
    void whatIsRetriedAnywayIsHurriedAndNotDoubled() {
        var one = fixture.endpoint("webhook.test");
        fixture.delivery(one);
        all("exhausted");
        var failing = fixture.delivery(one);
        fixture.both(FAIL);
        assertThat(recovered(one, "")).isEqualTo(2);
        var after = root.call("WH_Deliveries").ok();
        assertThat(after.texts("/deliveries", "state")).containsExactly("pending", "failed", "exhausted");
        assertThat(after.texts("/deliveries", "sequence")).containsExactly("3", "2", "1");
        assertThat(after.text("/deliveries/1/id")).isEqualTo(failing);
        assertThat(after.at("/deliveries/1/next_attempt_at"))
                .as("both are due at once")
                .isEqualTo(after.at("/deliveries/0/next_attempt_at"));
        assertThat(recovered(one, ""))
                .as("they are already queued or being sent")
                .isZero();
    }

    @Test
    void elsewhereBothAreQueuedOnce() {
        var one = fixture.endpoint("webhook.test");
        var other = fixture.endpoint("agent.deployment.created");
        var elsewhere = ",'to_endpoint_id':'%s'".formatted(other);
        fixture.delivery(one);
        all("exhausted");
        var failing = fixture.delivery(one);
        fixture.both(FAIL);
        assertThat(recovered(one, elsewhere)).isEqualTo(2);
        assertThat(root.call("WH_Delivery", "{'id':'%s'}".formatted(failing))
                        .ok()
                        .text("/delivery/next_attempt_at"))
                .isEqualTo("2999-01-01T00:00:00.000Z");
        fixture.both(FAIL);
        assertThat(recovered(one, elsewhere)).as("they are retried there").isZero();
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(other))
                        .ok()
                        .texts("/deliveries", "sequence"))
                .containsExactly("2", "1");
    }

    @Test
    void onlyWhatWasQueuedSinceThenIsMeant() {
        var one = fixture.endpoint("webhook.test");
        fixture.delivery(one);
        all("exhausted");
        root.call("WH_RedeliverFailed", "{'id':'%s','since':'2998-01-01T00:00:00Z'}".formatted(one))
                .ok();
        assertThat(root.call("WH_Deliveries").ok().at("/deliveries").size()).isEqualTo(1);
    }

    @Test
    void aThousandAreHurriedAtOnceAndACursorLeadsOn() {
        var one = fixture.endpoint("webhook.test");
        moreThanOneCallTakes("'failed', TIMESTAMPTZ '2999-01-01Z'");
        var to = "{'id':'%s','since':'2026-01-01T00:00:00Z'".formatted(one);
        var first = root.call("WH_RedeliverFailed", to + "}").ok();
        assertThat(first.number("/queued")).isEqualTo(1_000);
        var rest = root.call("WH_RedeliverFailed", to + ",'cursor':'%s'}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(rest.number("/queued")).isEqualTo(100);
        assertThat(recovered(one, "")).isZero();
    }

    /** Inserts deliveries to the tests' endpoint. */
    private void moreThanOneCallTakes(String stateAndDue) {
        fixture.both("""
                WITH n AS MATERIALIZED (SELECT i, gen_random_uuid() AS id FROM generate_series(1, 1100) i),
                     e AS (INSERT INTO event (tenant_id, id, type, created_at, data, directed)
                           SELECT :tenant, id, 'webhook.test', now(), '{}', true FROM n)
                INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, state, due_at, created_at)
                SELECT :tenant, gen_random_uuid(), w.id, n.id, 'webhook.test', n.i, %s, '2026-11-01Z'
                  FROM n JOIN webhook_endpoint w ON w.tenant_id = :tenant AND w.events = '{webhook.test}'
                """.formatted(stateAndDue));
        fixture.both("UPDATE webhook_endpoint SET last_sequence = 1100 WHERE tenant_id = :tenant");
    }

    @Test
    void aThousandAreQueuedAtOnceAndACursorLeadsOn() {
        var one = fixture.endpoint("webhook.test");
        var other = fixture.endpoint("agent.deployment.created");
        moreThanOneCallTakes("'exhausted', CAST(NULL AS timestamptz)");
        var to = "{'id':'%s','since':'2026-01-01T00:00:00Z','to_endpoint_id':'%s'".formatted(one, other);
        var first = root.call("WH_RedeliverFailed", to + "}").ok();
        assertThat(first.number("/queued")).isEqualTo(1_000);
        root.call("WH_RedeliverFailed", to + ",'cursor':'x'}").refused(1004, "cursor");
        var rest = root.call("WH_RedeliverFailed", to + ",'cursor':'%s'}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(rest.number("/queued")).isEqualTo(100);
        assertThat(rest.envelope().has("next_cursor")).isFalse();
        assertThat(root.call("WH_Deliveries", "{'endpoint':'%s','page':{'limit':200}}".formatted(other))
                        .ok()
                        .texts("/deliveries", "sequence"))
                .startsWith("2200", "2199")
                .endsWith("2002", "2001");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'event_type':'webhook.tested'                                                        | 1004 | did you mean webhook.test?
            'data':{}                                                                            | 1003 | event_type is required
            'event_type':'webhook.test','data':[]                                                | 1001 | an object
            'event_type':'webhook.test','data':{'a':['x',{'b':'\\u0000'}]}                       | 1004 | data.a[1].b
            'event_type':'webhook.test','data':{'\\u0000':1}                                     | 1004 | NUL
            'event_type':'quota.threshold.reached','data':{}                                     | 1004 | data.scope, threshold, limit, count and plan are required
            'event_type':'quota.threshold.reached','data':{'scope':'agents','threshold':'80','limit':1,'count':1,'plan':'free'} | 1004 | data.threshold must be an integer
            'event_type':'webhook.test','endpoint_id':'x'                                        | 3001 | no endpoint
            """)
    void whatCannotBeSentIsNamed(String fields, int code, String noted) {
        fixture.endpoint("webhook.test", "quota.threshold.reached");
        root.call("WH_Test", "{%s}".formatted(fields)).refused(code, noted);
        assertThat(root.call("WH_Deliveries").ok().at("/deliveries").size()).isZero();
    }

    @Test
    void aTestGoesToThoseWhoSubscribeOrToTheOneThatIsNamed() {
        var none =
                root.call("WH_Test", "{'event_type':'webhook.test','data':{}}").ok();
        assertThat(none.at("/deliveries").size()).isZero();
        assertThat(none.text("/note")).contains("no enabled endpoint subscribes to webhook.test", "WH_Create");
        var all = fixture.endpoint("webhook.test", "agent.deployment.deleted");
        var tests = fixture.endpoint("webhook.test");
        var agents = fixture.endpoint("agent.deployment.created");
        fixture.awaitPlaced(); // Earlier events are queued for none of them, and missed by none.
        fixture.create("'events':['*'],'enabled':false").ok();
        fixture.awaitPlaced();
        fixture.both(
                "UPDATE webhook_endpoint SET events = '{*}' WHERE tenant_id = :tenant AND cardinality(events) = 2");
        var sent = root.call("WH_Test", "{'event_type':'webhook.test','data':{'ü':1}}")
                .ok();
        assertThat(sent.texts("/deliveries", "endpoint_id")).containsExactly(all, tests);
        assertThat(sent.texts("/deliveries", "event_id")).containsOnly(sent.text("/event_id"));
        assertThat(sent.envelope().has("note")).isFalse();
        assertThat(root.call("WH_Test", "{'event_type':'webhook.test','endpoint_id':'%s'}".formatted(agents))
                        .ok()
                        .texts("/deliveries", "endpoint_id"))
                .containsExactly(agents);
        assertThat(fixture.eventData("webhook.test")).as("is in no feed").isEmpty();
    }

    @Test
    void whatIsSentArrivesAsItWasWritten() {
        var endpoint = fixture.endpoint("webhook.test");
        var deep = "{'a':".repeat(60) + "1" + "}".repeat(60);
        for (var data : new String[] {
            "{'z':1,'a':{'ü':'😀','é':[1.5,true,'x y']},'':2}", deep, "{'t':'%s'}".formatted("é".repeat(63_992)), "{}"
        }) {
            var id = root.call(
                            "WH_Test",
                            "{'event_type':'webhook.test','data':%s,'endpoint_id':'%s'}".formatted(data, endpoint))
                    .ok()
                    .text("/deliveries/0/id");
            var event =
                    root.call("WH_Delivery", "{'id':'%s'}".formatted(id)).ok().at("/event");
            assertThat(event.propertyNames()).containsExactly("id", "type", "created_at", "data");
            assertThat(event.get("data").toString().replace('"', '\'')).isEqualTo(data);
        }
        root.call("WH_Test", "{'event_type':'webhook.test','data':{'t':'%s'}}".formatted("é".repeat(63_993)))
                .refused(1005, "64,000");
    }
}
