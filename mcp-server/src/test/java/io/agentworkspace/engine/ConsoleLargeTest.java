package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The console where there is much: 1,000 agents, 100,000 messages, 100,000 memories. What a page costs does not grow with them. */
@Tag("slow")
class ConsoleLargeTest {
    private static final int ELEMENTS = 2_500;
    private static final int REQUESTS = 30;
    private static TestTenant tenant;
    private static Steps steps;

    /** Each by one statement. Triggers are passed over: they count and announce, which is not looked at here. */
    private static final List<String> FILL = List.of("""
            INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
            SELECT a.tenant_id, 800000000 + i, 'sailor-' || i, 'sailor-' || i, 'Mends nets.', 'public', a.owner_id, now(), now()
              FROM agent a, generate_series(1, 1000) i
             WHERE a.tenant_id = :tenant AND a.name = 'Ada'
            """, """
            INSERT INTO roster (tenant_id, user_id, agent_id, added_at)
            SELECT tenant_id, owner_id, id, now() FROM agent WHERE tenant_id = :tenant AND id > 800000000
            """, """
            INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at)
            SELECT z.tenant_id, z.conversation_id, i, gen_random_uuid(), a.id,
                   'message ' || i || CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN repeat(E'\\na line of it', 6)
                                      ELSE E'\\n```\\n' || repeat(E'code in the message\\n', 9) || '```' END, '{}', now() - (100001 - i) * INTERVAL '1 second'
              FROM zone z
              JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id AND d.name = 'harbour'
              JOIN agent a ON a.tenant_id = z.tenant_id AND a.name = 'Ada', generate_series(1, 100000) i
             WHERE z.tenant_id = :tenant
            """, """
            UPDATE conversation SET last_seq = 100000, last_at = now()
             WHERE tenant_id = :tenant AND id IN (SELECT conversation_id FROM zone WHERE tenant_id = :tenant)
            """, """
            INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from,
                                created_at, updated_at, change)
            SELECT b.tenant_id, b.id, gen_random_uuid(), 'entry ' || i, 'entry ' || i, repeat('text ', 20), '{}', a.id, ARRAY[a.id], '{}',
                   now() - i * INTERVAL '1 second', now(), pg_current_xact_id()
              FROM bank b JOIN agent a ON a.tenant_id = b.tenant_id AND a.name = 'Ada', generate_series(1, 100000) i
             WHERE b.tenant_id = :tenant AND b.name = 'archive'
            """);

    @BeforeAll
    static void look() {
        Chromium.require();
        tenant = new TestTenant();
        var key = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        call(key, "AP_Create", "{'vx': {'name': 'Ada', 'description': 'd'}}");
        call(key, "DM_Create", "{'target': {'agent': 'Ada'}, 'vx': {'name': 'harbour', 'description': 'd'}}");
        call(key, "MB_Create", "{'target': {'agent': 'Ada'}, 'vx': {'name': 'archive'}}");
        TestDatabase.db().bulk(() -> {
            TestDatabase.db()
                    .sql("SET LOCAL session_replication_role = replica")
                    .run();
            FILL.forEach(statement -> TestDatabase.db()
                    .sql(statement)
                    .set("tenant", tenant.id(ClientApi.REST))
                    .quiet()
                    .counting(EnumSet.allOf(Scope.class))
                    .run());
            return true;
        });
        steps = Chromium.play(
                Map.of("OWNER_KEY", key, "FAR_MESSAGE", farMessage()),
                "console-large.mjs",
                TestServer.url(),
                Path.of("target/screenshots").toAbsolutePath().toString());
    }

    private static String farMessage() {
        return TestDatabase.db()
                .sql(
                        "SELECT CAST(id AS text) AS id FROM message WHERE tenant_id = :tenant AND seq = 300 AND content LIKE 'message 300%'")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.text("id"))
                .orElseThrow();
    }

    private static void call(String key, String service, String arguments) {
        var input = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        ClientApi.REST.call(TestServer.url(), key, service, input).ok();
    }

    @Test
    void noPageHasMoreElementsOrAsksMoreOftenBecauseThereIsMuch() {
        var measured = steps.all().stream()
                .filter(step -> step.get("step").asString().equals("page"))
                .toList();
        assertThat(measured).hasSize(5).allSatisfy(page -> {
            assertThat(page.get("elements").asInt()).as(page.toString()).isLessThan(ELEMENTS);
            assertThat(page.get("requests").asInt()).as(page.toString()).isLessThan(REQUESTS);
            assertThat(page.get("below").asInt())
                    .as("what of it is below the window: %s", page)
                    .isZero();
        });
    }

    /** The list of a large bank, or on a phone the page, and never one in the other. */
    @Test
    void onlyOneThingScrolls() {
        assertThat(steps.only("scrolls at 1280").get("list").asBoolean()).isTrue();
        assertThat(steps.only("scrolls at 1280").get("page").asBoolean()).isFalse();
        assertThat(steps.only("scrolls at 360").get("list").asBoolean()).isFalse();
        assertThat(steps.only("scrolls at 360").get("page").asBoolean()).isTrue();
        assertThat(steps.only("scrolls at 360").get("rows").asInt()).isBetween(8, 60);
    }

    /** Of messages with one line, seven lines and code, each a second after another. */
    @Test
    void aRoomOpensAtTheNewestMessageAndStaysThere() {
        assertThat(steps.of("room")).hasSize(2).allSatisfy(room -> {
            assertThat(room.path("last").asString())
                    .as("what was said last before")
                    .matches("(?s)(message 100000|unseen at 1280).*");
            assertThat(room.path("opens").asInt())
                    .as("below the newest: %s", room)
                    .isZero();
            assertThat(room.path("composer").asBoolean())
                    .as("where to write is in sight: %s", room)
                    .isTrue();
            assertThat(room.path("follows").asInt())
                    .as("below what is said then")
                    .isZero();
            assertThat(room.path("days").asInt()).isPositive();
            assertThat(room.path("heads").asInt())
                    .as("only the first of a group shows its author")
                    .isLessThan(room.path("messages").asInt() / 2);
            assertThat(room.path("moved").asInt())
                    .as("how far what is read moves as older ones come above it")
                    .isBetween(-1, 1);
            assertThat(room.path("older").asInt())
                    .isGreaterThan(room.path("messages").asInt());
            assertThat(room.path("jump").asString()).isEqualTo("1 new ↓");
            assertThat(room.path("jumped").asInt()).isZero();
        });
    }

    /** It is shown in its thread, beside the room; the room itself has its messages in order. */
    @Test
    void aMessageFarBackIsShownBesideTheRoom() {
        var far = steps.only("far back");
        assertThat(far.path("sought").asString()).startsWith("message 300");
        assertThat(far.path("answer").asString()).isEqualTo("An answer from the thread.");
        assertThat(far.path("numbers").valueStream().map(JsonNode::asInt))
                .hasSizeGreaterThan(90)
                .isSorted();
    }

    @Test
    void aListKeepsItsPlaceWhenAnEntryIsChosenAndOnGoingBack() {
        assertThat(steps.only("place").get("chosen").asBoolean()).isTrue();
        assertThat(steps.only("place").get("again").asBoolean()).isTrue();
    }

    /** Twelve times to the end of what there is: further down there are other rows, not more of them. */
    @Test
    void goingFarDownTakesNoMoreElements() {
        var memory =
                steps.all().stream().filter(step -> step.has("far")).findFirst().orElseThrow();
        assertThat(memory.get("far").asInt()).isGreaterThan(50_000);
        assertThat(memory.get("elementsFar").asInt() - memory.get("elements").asInt())
                .isLessThan(200);
        assertThat(memory.get("order").valueStream().map(JsonNode::asInt))
                .as("rows after scrolling up, in the order of the document")
                .hasSizeGreaterThan(5)
                .isSorted();
    }
}
