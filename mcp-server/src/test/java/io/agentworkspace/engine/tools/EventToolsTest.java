package io.agentworkspace.engine.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.Person;
import io.agentworkspace.engine.Reply;
import io.agentworkspace.engine.model.EventType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The catalogue of events, and their feed, through both doors. */
class EventToolsTest {
    private final WebhookStage stage = new WebhookStage();
    private final Person root = stage.root;

    @Test
    void everyTypeHasASchemaThatItsExampleKeeps() {
        var types = root.call("WH_Events").ok();
        assertThat(types.texts("/events", "type")).isEqualTo(EventType.words()).contains("webhook.test");
        var registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
        for (var type : types.at("/events")) {
            assertThat(type.at("/example").propertyNames()).containsExactly("id", "type", "created_at", "data");
            assertThat(type.at("/example/type")).isEqualTo(type.get("type"));
            assertThat(registry.getSchema(type.get("schema")).validate(type.at("/example/data")))
                    .isEmpty();
            assertThat(type.path("group").asString()).isNotEmpty();
        }
        assertThat(types.at("/events/1/schema/required").toString()).contains("threshold", "limit", "count", "plan");
    }

    /** As the outbox places them. */
    private void placed(int first, int last) {
        stage.both("""
                INSERT INTO event (tenant_id, id, type, created_at, data, seq)
                SELECT :tenant, gen_random_uuid(), 'billing.plan.changed', now(),
                       json_build_object('previous_plan', 'free', 'plan', 'p' || n, 'changed_by', 'root'), n
                  FROM generate_series(%d, %d) n
                """.formatted(first, last));
        stage.both("""
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
        stage.both("DELETE FROM event WHERE tenant_id = :tenant AND seq < 4");
        var late = feed("{'after':1}");
        assertThat(late.texts("/events", "seq")).containsExactly("4", "5");
        assertThat(late.number("/oldest")).isEqualTo(4);
        assertThat(feed("{'after':3}").envelope().has("oldest")).isFalse();
        stage.both("DELETE FROM event WHERE tenant_id = :tenant");
        assertThat(feed("{'after':3}").number("/oldest")).isEqualTo(6);
        assertThat(feed("{'after':5}").envelope().has("oldest")).isFalse();
    }
}
