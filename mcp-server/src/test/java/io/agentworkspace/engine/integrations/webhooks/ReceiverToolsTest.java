package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools that show and change webhook endpoints, through both endpoints. */
class ReceiverToolsTest {
    private final WebhookToolsFixture fixture = new WebhookToolsFixture();
    private final TestCaller root = fixture.root;

    @Test
    void aNewEndpointIsShownOnceWithItsSecret() {
        var made = fixture.create("'events':['agent.deployment.created','webhook.test'],'description':'CI'")
                .ok();
        var secret = made.text("/endpoint/secret");
        var id = made.text("/endpoint/id");
        assertThat(secret).matches("whsec_[A-Za-z0-9+/]{43}=");
        assertThat(made.at("/endpoint").toString().replace('"', '\''))
                .contains(
                        "'url':'http://127.0.0.1:1/hooks','events':['agent.deployment.created','webhook.test'],"
                                + "'description':'CI','enabled':true,'created_at':",
                        "'preflight':{'checked_at':",
                        "'ok':false,'resolves':true,'answers':false,'detail':'connection refused'}",
                        "'health':{'succeeded':0,'failed':0,'circuit':'closed'}")
                .doesNotContain("disabled_reason", "previous_works_until");
        assertThat(made.number("/revision")).isEqualTo(1);
        for (var seen : new String[] {
            root.call("WH_List").ok().at("/endpoints/0").toString(),
            root.call("WH_Read", "{'id':'%s'}".formatted(id))
                    .ok()
                    .at("/endpoint")
                    .toString()
        }) {
            assertThat(seen).contains(id).doesNotContain("secret", "whsec");
        }
        assertThat(fixture.eventData("webhook.endpoint.created"))
                .containsExactly(
                        "{'enabled':true,'endpoint_id':'%s','events':['agent.deployment.created','webhook.test'],'url':'http://127.0.0.1:1/hooks'}"
                                .formatted(id));
    }

    @Test
    void theSecretIsSealedAndNotKeptForReplays() {
        var arguments = "'events':['webhook.test'],'idempotency_key':'one'";
        var secret = fixture.create(arguments).ok().text("/endpoint/secret");
        var again = fixture.create(arguments).ok();
        assertThat(again.at("/endpoint").has("secret")).isFalse();
        assertThat(again.note()).contains("secret was told in the first answer only");
        assertThat(root.call("WH_List").ok().at("/endpoints").size()).isEqualTo(1);
        var rows = TestDatabase.db()
                .sql("""
                        SELECT (SELECT json_agg(e)::text FROM webhook_endpoint e WHERE tenant_id = :tenant)
                               || (SELECT json_agg(i)::text FROM idempotency i WHERE tenant_id = :tenant) AS all
                        """)
                .set("tenant", fixture.tenant.id(ClientApi.MCP))
                .one(row -> row.text("all"))
                .orElseThrow();
        assertThat(rows).contains("connection refused").doesNotContain("whsec", secret.substring(6));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'url':'ftp://a.example/','events':['*']                                             | 1004 | https
            'url':'https://u:p@a.example/','events':['*']                                       | 1004 | user info
            'url':'https://a.example/#x','events':['*']                                         | 1004 | fragment
            'url':'a.example','events':['*']                                                    | 1004 | url
            'url':'','events':['*']                                                             | 1003 | url is required
            'url':7,'events':['*']                                                              | 1001 | a string
            'url':'http://127.0.0.1:1/'                                                         | 1003 | events is required
            'url':'http://127.0.0.1:1/','events':[]                                             | 1004 | at least one
            'url':'http://127.0.0.1:1/','events':'*'                                            | 1001 | an array
            'url':'http://127.0.0.1:1/','events':[null]                                         | 1001 | a string
            'url':'http://127.0.0.1:1/','events':['agent.deployment.create']                    | 1004 | did you mean agent.deployment.created?
            'url':'http://127.0.0.1:1/','events':['nothing']                                    | 1004 | WH_Events
            'url':'http://127.0.0.1:1/','events':['webhook.test','webhook.test']                | 1004 | webhook.test twice
            'url':'http://127.0.0.1:1/','events':['webhook.test','*']                           | 1004 | alone
            """)
    void whatAnEndpointCannotBeIsNamed(String fields, int code, String noted) {
        root.call("WH_Create", "{%s}".formatted(fields)).refused(code, noted);
        assertThat(root.call("WH_List").ok().at("/endpoints").size()).isZero();
    }

    @Test
    void justWhatIsGivenChanges() {
        var id = fixture.endpoint("webhook.test");
        var changed = root.call("WH_Update", "{'id':'%s','events':['*'],'if_revision':1}".formatted(id))
                .ok();
        assertThat(changed.number("/revision")).isEqualTo(2);
        assertThat(changed.text("/endpoint/events/0")).isEqualTo("*");
        assertThat(changed.text("/endpoint/url")).isEqualTo(WebhookToolsFixture.NOWHERE);
        assertThat(changed.at("/endpoint").has("secret")).isFalse();
        var same = root.call("WH_Update", "{'id':'%s','events':['*'],'enabled':true}".formatted(id))
                .ok();
        assertThat(same.at("/changed").asBoolean()).isFalse();
        assertThat(same.number("/revision")).isEqualTo(2);
        root.call("WH_Update", "{'id':'%s','description':'x','if_revision':1}".formatted(id))
                .refused(3003, "revision");
        var moved = root.call("WH_Update", "{'id':'%s','url':'http://localhost:1'}".formatted(id))
                .ok();
        assertThat(moved.text("/endpoint/url")).isEqualTo("http://localhost:1/");
        assertThat(fixture.eventData("webhook.endpoint.updated"))
                .containsExactly(
                        "{'enabled':true,'endpoint_id':'%s','events':['*'],'url':'http://127.0.0.1:1/hooks'}"
                                .formatted(id),
                        "{'enabled':true,'endpoint_id':'%s','events':['*'],'url':'http://localhost:1/'}".formatted(id));
    }

    @Test
    void enabledAgainItStartsAnew() {
        var id = fixture.endpoint("webhook.test");
        fixture.both("""
                UPDATE webhook_endpoint
                   SET enabled = false, disabled_reason = 'gone', failing_since = now(), warned = 90, failures_in_row = 7
                 WHERE tenant_id = :tenant
                """);
        var disabled = root.call("WH_Update", "{'id':'%s','enabled':false}".formatted(id))
                .ok();
        assertThat(disabled.at("/changed").asBoolean()).isFalse();
        assertThat(disabled.text("/endpoint/disabled_reason")).isEqualTo("gone");
        assertThat(disabled.at("/endpoint/health").has("failing_since")).isTrue();
        assertThat(disabled.text("/endpoint/health/circuit")).isEqualTo("open");
        var enabled = root.call("WH_Update", "{'id':'%s','enabled':true}".formatted(id))
                .ok();
        assertThat(enabled.at("/endpoint").has("disabled_reason")).isFalse();
        assertThat(enabled.at("/endpoint/health").has("failing_since")).isFalse();
        assertThat(enabled.text("/endpoint/health/circuit")).isEqualTo("closed");
        assertThat(TestDatabase.db()
                        .sql("SELECT warned + failures_in_row AS left FROM webhook_endpoint WHERE tenant_id = :tenant")
                        .set("tenant", fixture.tenant.id(ClientApi.MCP))
                        .one(row -> row.number("left")))
                .contains(0L);
        var manual = root.call("WH_Update", "{'id':'%s','enabled':false}".formatted(id))
                .ok();
        assertThat(manual.text("/endpoint/disabled_reason")).isEqualTo("manual");
        assertThat(fixture.create("'events':['*'],'enabled':false").ok().text("/endpoint/disabled_reason"))
                .isEqualTo("manual");
    }

    @Test
    void aRotatedSecretOverlaps() {
        var made = fixture.create("'events':['webhook.test']").ok();
        var id = made.text("/endpoint/id");
        var rotated = root.call("WH_RotateSecret", "{'id':'%s'}".formatted(id)).ok();
        assertThat(rotated.text("/endpoint/secret")).startsWith("whsec_").isNotEqualTo(made.text("/endpoint/secret"));
        assertThat(Instant.parse(rotated.text("/endpoint/previous_works_until")))
                .isBetween(
                        Instant.now().plus(Duration.ofHours(23)), Instant.now().plus(Duration.ofHours(25)));
        var atOnce = root.call("WH_RotateSecret", "{'id':'%s','overlap_seconds':0,'if_revision':2}".formatted(id))
                .ok();
        assertThat(atOnce.at("/endpoint").has("previous_works_until")).isFalse();
        assertThat(atOnce.number("/revision")).isEqualTo(3);
        root.call("WH_RotateSecret", "{'id':'%s','overlap_seconds':604801}".formatted(id))
                .refused(1004, "overlap_seconds");
        assertThat(fixture.eventData("webhook.endpoint.updated")).hasSize(2);
    }

    @Test
    void aDeletedEndpointIsGoneAndWhatWaitsForItIsGivenUp() {
        var id = fixture.endpoint("webhook.test");
        var delivery = fixture.delivery(id);
        root.call("WH_Delete", "{'id':'%s','if_revision':2}".formatted(id)).refused(3003, "revision");
        root.call("WH_Delete", "{'id':'%s'}".formatted(id)).ok();
        for (var service : new String[] {"WH_Delete", "WH_Read", "WH_Update", "WH_RotateSecret"}) {
            root.call(service, "{'id':'%s'}".formatted(id)).refused(3001, "no endpoint");
        }
        root.call("WH_Test", "{'event_type':'webhook.test','endpoint_id':'%s'}".formatted(id))
                .refused(3001);
        root.call("WH_Redeliver", "{'id':'%s'}".formatted(delivery)).refused(3001, "no endpoint");
        assertThat(root.call("WH_List").ok().at("/endpoints").size()).isZero();
        var result = root.call("WH_Delivery", "{'id':'%s'}".formatted(delivery)).ok();
        assertThat(result.text("/delivery/state")).isEqualTo("exhausted");
        assertThat(result.at("/delivery").has("next_attempt_at")).isFalse();
        assertThat(fixture.eventData("webhook.endpoint.deleted"))
                .containsExactly("{'enabled':false,'endpoint_id':'%s','events':['webhook.test'],'url':'%s'}"
                        .formatted(id, WebhookToolsFixture.NOWHERE));
    }

    @Test
    void healthIsThatOfTheLastDay() {
        var id = fixture.endpoint("webhook.test");
        fixture.both("""
                INSERT INTO webhook_health
                SELECT tenant_id, id, date_trunc('hour', now()) - make_interval(hours => h), s, f,
                       array_fill(0, ARRAY[4]) || ARRAY[fast, 0, 0, slow],
                       date_trunc('hour', now()) - make_interval(hours => h),
                       CASE WHEN f > 0 THEN date_trunc('hour', now()) - make_interval(hours => h) END
                  FROM webhook_endpoint, (VALUES (0, 6, 1, 7, 0), (3, 3, 0, 0, 3), (30, 900, 900, 0, 1800)) v (h, s, f, fast, slow)
                 WHERE tenant_id = :tenant
                """);
        var health = root.call("WH_Read", "{'id':'%s'}".formatted(id)).ok().at("/endpoint/health");
        assertThat(health.toString().replace('"', '\''))
                .startsWith("{'succeeded':9,'failed':1,'success_percent':90,'p50_ms':5,'p95_ms':8,'last_success_at':");
        assertThat(health.get("last_success_at")).isEqualTo(health.get("last_failure_at"));
        fixture.both("UPDATE webhook_endpoint SET open_until = '2026-01-01Z' WHERE tenant_id = :tenant");
        assertThat(root.call("WH_Read", "{'id':'%s'}".formatted(id)).ok().text("/endpoint/health/circuit"))
                .isEqualTo("half-open");
    }

    @Test
    void onlyAdminsSeeWhereEventsGo() {
        var id = fixture.endpoint("*");
        var maria = fixture.tenant.member("maria");
        for (var call : new String[] {
            "WH_List {}",
            "WH_Read {'id':'%s'}",
            "WH_Delete {'id':'%s'}",
            "WH_Deliveries {}",
            "WH_Feed {}",
            "WH_Test {'event_type':'webhook.test'}",
            "WH_Create {'url':'http://127.0.0.1:1/','events':['*']}"
        }) {
            var parts = call.formatted(id).split(" ", 2);
            maria.call(parts[0], parts[1]).refused(2003, "admin");
        }
        fixture.tenant.person("vic", Role.VIEWER).call("WH_Events").ok();
    }

    @Test
    void theListComesInPages() {
        for (var i = 0; i < 3; i++) {
            fixture.create("'events':['webhook.test'],'description':'e%d'".formatted(i))
                    .ok();
        }
        var first = root.call("WH_List", "{'page':{'limit':2}}").ok();
        assertThat(first.texts("/endpoints", "description")).containsExactly("e2", "e1");
        var rest = root.call("WH_List", "{'page':{'limit':2,'cursor':'%s'}}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(rest.texts("/endpoints", "description")).containsExactly("e0");
        assertThat(rest.envelope().has("next_cursor")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "%", "00000000-0000-0000-0000-000000000000", "'; DROP TABLE webhook_endpoint; --"})
    void anIdThatIsNoneIsNotFound(String id) {
        for (var service :
                new String[] {"WH_Read", "WH_Update", "WH_Delete", "WH_RotateSecret", "WH_Delivery", "WH_Redeliver"}) {
            root.call(service, "{'id':'%s'}".formatted(id.replace("'", ""))).refused(3001);
        }
    }
}
