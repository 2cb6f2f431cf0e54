package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.EventCheck;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The event types and the event feed, through both endpoints. */
class EventToolsTest {
    private final WebhookToolsFixture fixture = new WebhookToolsFixture();
    private final TestCaller root = fixture.root;

    @Test
    void everyTypeHasASchemaThatItsExampleKeeps() {
        var types = root.call("WH_Events").ok();
        assertThat(types.texts("/events", "type")).isEqualTo(EventType.words()).contains("webhook.test");
        for (var type : types.at("/events")) {
            assertThat(type.at("/example").propertyNames()).containsExactly("id", "type", "created_at", "data");
            assertThat(type.at("/example/type")).isEqualTo(type.get("type"));
            assertThat(EventCheck.faults(type.at("/example"))).isEmpty();
            assertThat(type.path("group").asString()).isNotEmpty();
        }
        assertThat(types.at("/events/1/schema/required").toString()).contains("threshold", "limit", "count", "plan");
    }

    /** Null and blank fields are left out, and times have the engine's format. */
    @Test
    void aTestIsValidByTheSchemaOfItsType() {
        var endpoint = fixture.endpoint("webhook.test");
        var sent = sent(endpoint, "quota.threshold.reached", """
                {'scope':'agents','threshold':80,'limit':25,'count':20,'plan':'free','projected_exhaustion_at':null,'mine':null}""");
        assertThat(sent.toString()).isEqualTo("""
                {"scope":"agents","threshold":80,"limit":25,"count":20,"plan":"free","mine":null}""");
        var warned = sent(endpoint, "webhook.endpoint.updated", """
                {'endpoint_id':'%s','url':'https://a.example/','events':['*'],'enabled':true,'disabled_reason':'',
                 'warning':{'percent':50,'failing_since':'2026-05-25T12:00Z','disabled_at':'2026-05-25T14:00:00+02:00'}}""".formatted(endpoint));
        assertThat(warned.has("disabled_reason")).isFalse();
        assertThat(warned.at("/warning/failing_since").asString()).isEqualTo("2026-05-25T12:00:00.000Z");
        assertThat(warned.at("/warning/disabled_at").asString()).isEqualTo("2026-05-25T12:00:00.000Z");
        assertThat(sent(endpoint, "webhook.test", "{'warning':null}").toString())
                .isEqualTo("{\"warning\":null}");
    }

    private JsonNode sent(String endpoint, String type, String data) {
        var tested = root.call(
                        "WH_Test", "{'event_type':'%s','endpoint_id':'%s','data':%s}".formatted(type, endpoint, data))
                .ok();
        var delivery = root.call("WH_Delivery", "{'id':'%s'}".formatted(tested.text("/deliveries/0/id")))
                .ok();
        assertThat(EventCheck.faults(delivery.at("/event"))).isEmpty();
        return delivery.at("/event/data");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            quota.threshold.reached  | 'scope':'agents','threshold':81,'limit':1,'count':1,'plan':'free'              | threshold must be one of 80, 100
            quota.threshold.reached  | 'scope':'zones','threshold':80,'limit':1,'count':1,'plan':'free'               | scope must be one of
            quota.request.rejected   | 'scope':'agents','limit':1,'count':1,'plan':'gold','service':'AP_Create'       | plan must be one of free,
            billing.plan.changed     | 'previous_plan':'free','plan':null,'changed_by':'x'                            | plan is required
            agent.deployment.created | 'agent':'A','access':'bank','owner':'x','revision':1                           | access must be one of private,
            webhook.endpoint.created | 'endpoint_id':'1-1-1-1-1','url':'x','events':['*'],'enabled':true              | endpoint_id must be a UUID
            webhook.endpoint.updated | 'endpoint_id':'6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11','url':'x','events':['*'],'enabled':false,'disabled_reason':'tired' | disabled_reason must be one of
            """)
    void whatItsTypeCannotTellIsRefused(String type, String data, String noted) {
        root.call("WH_Test", "{'event_type':'%s','data':{%s}}".formatted(type, data))
                .refused(1004, "data." + noted);
    }

    @Test
    void messagesAndMemoriesAreEventsOnlyForThoseWhoMayReadThem() {
        var endpoint = fixture.endpoint("message.created", "memory.stored");
        DomainSetup.domain(root, "harbour", "private");
        DomainSetup.say(root, "default", "harbour", "main", "x".repeat(501)).ok();
        DomainSetup.agents(root, "Ada");
        root.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'Ready?'}").ok();
        root.call("MB_Create", "{'vx':{'name':'Tides','description':'d'}}").ok();
        root.call("MB_Store", "{'target':{'bank':'Tides'},'vx':{'name':'low'},'content':'six'}")
                .ok();
        root.call("MB_Store", "{'target':{'bank':'Tides'},'vx':{'name':'low'},'content':'seven'}")
                .ok();
        var messages = fixture.eventData("message.created");
        assertThat(messages.getFirst())
                .contains(
                        "'domain':'harbour'", "'zone':'main'", "'seq':1", "'from':'root'", "'" + "x".repeat(500) + "'");
        assertThat(messages.getLast()).contains("'to':'Ada'", "'text':'Ready?'");
        assertThat(fixture.eventData("memory.stored"))
                .hasSize(2)
                .allSatisfy(data -> assertThat(data).contains("'bank':'Tides'", "'name':'low'", "'author':'root'"));
        fixture.awaitPlaced();
        assertThat(deliveries(endpoint)).isEqualTo(4);
        assertThat(feed("{'limit':200}").texts("/events", "type")).contains("message.created", "memory.stored");

        fixture.both("UPDATE webhook_endpoint SET owner_id = NULL WHERE tenant_id = :tenant");
        DomainSetup.say(root, "default", "harbour", "main", "not for it").ok();
        root.call("MB_Store", "{'target':{'bank':'Tides'},'content':'nor this'}")
                .ok();
        fixture.awaitPlaced();
        assertThat(deliveries(endpoint)).isEqualTo(4);

        root.call("WH_Update", "{'id':'%s','description':'Mine now.'}".formatted(endpoint))
                .ok();
        DomainSetup.say(root, "default", "harbour", "main", "for it again").ok();
        fixture.awaitPlaced();
        assertThat(deliveries(endpoint)).isEqualTo(5);
    }

    @Test
    void tasksAndQuestionsAreEventsOnlyForThoseWhoMayReadThem() {
        var endpoint = fixture.endpoint("task.changed", "question.asked", "question.answered");
        DomainSetup.domain(root, "harbour", "private");
        DomainSetup.agents(root, "Ada", "Bo");
        DomainSetup.invite(root, "harbour", "Ada").ok();
        askAndCreate();
        assertThat(deliveries(endpoint)).isEqualTo(4);

        fixture.both(
                "INSERT INTO app_user (tenant_id, name, name_key, role, created_at) VALUES (:tenant, 'mia', 'mia', 'member', now())");
        ownedBy("mia");
        askAndCreate();
        assertThat(deliveries(endpoint)).isEqualTo(4);

        // The direct question stays hidden from her when one of her agents joins the domain.
        fixture.both("""
                UPDATE membership m SET owner_id = u.id FROM app_user u
                 WHERE m.tenant_id = :tenant AND u.tenant_id = m.tenant_id AND u.name = 'mia'
                """);
        askAndCreate();
        assertThat(deliveries(endpoint)).isEqualTo(6);

        ownedBy("nobody");
        askAndCreate();
        assertThat(deliveries(endpoint)).isEqualTo(6);
    }

    private void ownedBy(String user) {
        fixture.both("""
                UPDATE webhook_endpoint w
                   SET owner_id = (SELECT u.id FROM app_user u WHERE u.tenant_id = w.tenant_id AND u.name = '%s')
                 WHERE w.tenant_id = :tenant
                """.formatted(user));
    }

    /** A task and a question in the domain, and a question from one agent to another, which is answered. */
    private void askAndCreate() {
        root.call("TK_Create", "{'target':{'domain':'harbour'},'vx':{'name':'Paint'}}")
                .ok();
        root.call("AP_Ask", "{'target':{'domain':'harbour','zone':'main'},'content':'Who?'}")
                .ok();
        var question = root.call("AP_Ask", "{'target':{'agent':'Bo','context':'Ada'},'content':'You?'}")
                .ok();
        root.call(
                        "AP_Answer",
                        "{'question':'%s','content':'I.','target':{'context':'Bo'}}"
                                .formatted(question.text("/question/id")))
                .ok();
        fixture.awaitPlaced();
    }

    private long deliveries(String endpoint) {
        return root.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(endpoint))
                .ok()
                .at("/deliveries")
                .size();
    }

    /** Numbers the events as the outbox does. */
    private void placed(int first, int last) {
        fixture.both("""
                INSERT INTO event (tenant_id, id, type, created_at, data, seq)
                SELECT :tenant, gen_random_uuid(), 'billing.plan.changed', now(),
                       json_build_object('previous_plan', 'free', 'plan', 'p' || n, 'changed_by', 'root'), n
                  FROM generate_series(%d, %d) n
                """.formatted(first, last));
        fixture.both("""
                INSERT INTO event_feed (tenant_id, last_seq) VALUES (:tenant, %1$d)
                ON CONFLICT (tenant_id) DO UPDATE SET last_seq = %1$d
                """.formatted(last));
    }

    private Reply feed(String arguments) {
        return root.call("WH_Feed", arguments).ok();
    }

    @Test
    void theFeedIsReadInOrderAndToItsEnd() {
        var nothing = feed("{}");
        assertThat(nothing.at("/events").size()).isZero();
        assertThat(nothing.number("/next_after")).isZero();
        assertThat(nothing.number("/latest")).isZero();
        placed(1, 5);
        var first = feed("{'limit':3}");
        assertThat(first.texts("/events", "seq")).containsExactly("1", "2", "3");
        assertThat(first.at("/events/0").propertyNames()).containsExactly("seq", "id", "type", "created_at", "data");
        assertThat(first.text("/events/2/data/plan")).isEqualTo("p3");
        assertThat(first.number("/latest")).isEqualTo(5);
        assertThat(first.envelope().has("oldest")).isFalse();
        var rest = feed("{'after':%d}".formatted(first.number("/next_after")));
        assertThat(rest.texts("/events", "seq")).containsExactly("4", "5");
        var end = feed("{'after':%d}".formatted(rest.number("/next_after")));
        assertThat(end.at("/events").size()).isZero();
        assertThat(end.number("/next_after")).isEqualTo(5);
        root.call("WH_Feed", "{'after':-1}").refused(1004, "after");
        root.call("WH_Feed", "{'limit':201}").refused(1004, "limit");
        for (var beyond : List.of("6", "9223372036854775807")) {
            root.call("WH_Feed", "{'after':%s}".formatted(beyond))
                    .refused(1004, "after is " + beyond, "the newest event is 5");
        }
    }

    @Test
    void whatIsClearedAwayIsSaid() {
        placed(1, 5);
        fixture.both("UPDATE event_feed SET cleared_seq = 3 WHERE tenant_id = :tenant");
        // A delivery may wait for the second event.
        fixture.both("DELETE FROM event WHERE tenant_id = :tenant AND seq IN (1, 3)");
        for (var after = 0; after <= 2; after++) {
            var late = feed("{'after':%d}".formatted(after));
            assertThat(late.texts("/events", "seq")).containsExactly("4", "5");
            assertThat(late.number("/oldest")).isEqualTo(4);
        }
        var rest = feed("{'after':3}");
        assertThat(rest.texts("/events", "seq")).containsExactly("4", "5");
        assertThat(rest.envelope().has("oldest")).isFalse();
        fixture.both("UPDATE event_feed SET cleared_seq = 5 WHERE tenant_id = :tenant");
        var nothing = feed("{'after':3}");
        assertThat(nothing.at("/events").isEmpty()).isTrue();
        assertThat(nothing.number("/oldest")).isEqualTo(6);
        assertThat(nothing.number("/next_after")).isEqualTo(5);
        assertThat(feed("{'after':5}").envelope().has("oldest")).isFalse();
    }
}
