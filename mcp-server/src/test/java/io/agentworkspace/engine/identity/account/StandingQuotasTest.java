package io.agentworkspace.engine.identity.account;

import static io.agentworkspace.engine.testing.QuotaFixture.assertRefused;
import static io.agentworkspace.engine.testing.QuotaFixture.awaitFlush;
import static io.agentworkspace.engine.testing.QuotaFixture.limit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.QuotaFixture;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The counts that a plan limits are exact and never exceeded, whoever creates at the same time on whichever replica. */
@Tag("slow")
class StandingQuotasTest {

    private static Replica one;
    private static Replica two;

    @BeforeAll
    static void start() {
        one = Replica.start(Map.of());
        two = Replica.start(Map.of());
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    private static String url(int i) {
        return i % 2 == 0 ? one.url() : two.url();
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void sixtyFourWhoCreateAtOnceMakeAsManyAsAreAllowed(ClientApi api) {
        var fixture = new QuotaFixture(api);
        var others = new QuotaFixture(api);
        fixture.plan(one.url(), "free");
        var replies = Concurrently.of(64, i -> fixture.agent(url(i), "Agent " + i));
        assertThat(replies.stream().filter(reply -> reply.code() == 0)).hasSize(25);
        replies.stream()
                .filter(reply -> reply.code() != 0)
                .forEach(reply -> assertRefused(reply, "agents", 25, "free"));
        assertThat(TenantRows.count(fixture.tenant, "agent")).isEqualTo(25);
        assertThat(fixture.counted("agents")).isEqualTo(25);
        for (var i = 0; i < 30; i++) {
            others.agent(url(i), "Agent " + i).ok();
        }
    }

    /** Far from the limit, creations run concurrently; close to it, one after the other. */
    @Test
    void theLimitIsReachedAndNotExceededFromFarToo() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.call(one.url(), "DM_Create", "{'vx':{'name':'Dom','description':'d'}}")
                .ok();
        fixture.fillTasks("Dom", 700);
        fixture.plan(one.url(), "free");
        var created = Concurrently.of(32, i -> {
            var done = 0;
            for (var n = 0; n < 10; n++) {
                var reply = fixture.call(
                        url(i + n),
                        "TK_Create",
                        "{'target':{'domain':'Dom'},'vx':{'name':'task %d %d'}}".formatted(i, n));
                if (reply.code() == 0) {
                    done++;
                } else {
                    assertRefused(reply, "tasks", 1_000, "free");
                }
            }
            return done;
        });
        assertThat(created.stream().mapToInt(n -> n).sum()).isEqualTo(300);
        assertThat(TenantRows.count(fixture.tenant, "task")).isEqualTo(1_000);
        assertThat(fixture.counted("tasks")).isEqualTo(1_000);
    }

    @Test
    void manyAtOnceAreAllOrNone() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.call(one.url(), "MB_Create", "{'vx':{'name':'Box'}}").ok();
        fixture.plan(one.url(), "free");
        fixture.fill("Box", 9_000);
        var outcomes = Concurrently.of(8, _ -> {
            try {
                fixture.fill("Box", 300);
                return true;
            } catch (Problem refused) {
                assertThat(refused.failure().error()).isEqualTo("quota_exceeded");
                return false;
            }
        });
        assertThat(outcomes.stream().filter(done -> done)).hasSize(3);
        assertThat(fixture.counted("memories")).isEqualTo(9_900);
        assertThatThrownBy(() -> fixture.fill("Box", 101)).isInstanceOf(Problem.class);
        fixture.fill("Box", 100);
        assertRefused(fixture.memory(one.url(), "Box"), "memories", 10_000, "free");
    }

    @Test
    void whatThereIsCanBeReadAndChangedAtTheLimitAndRoomCanBeMade() {
        var fixture = new QuotaFixture(ClientApi.MCP);
        fixture.plan(one.url(), "free");
        for (var i = 0; i < 10; i++) {
            fixture.call(one.url(), "DM_Create", "{'vx':{'name':'Dom %d','description':'d'}}".formatted(i))
                    .ok();
            fixture.call(one.url(), "MB_Create", "{'vx':{'name':'Box %d'}}".formatted(i))
                    .ok();
        }
        assertRefused(
                fixture.call(two.url(), "DM_Create", "{'vx':{'name':'More','description':'d'}}"),
                "domains",
                10,
                "free");
        assertRefused(fixture.call(two.url(), "MB_Create", "{'vx':{'name':'More'}}"), "banks", 10, "free");
        fixture.call(two.url(), "DM_Create", "{'vx':{'name':'Dom 1','description':'d'}}")
                .refused(3002);
        fixture.call(two.url(), "DM_Read", "{'target':{'domain':'Dom 1'}}").ok();
        fixture.call(two.url(), "DM_Update", "{'target':{'domain':'Dom 1'},'vx':{'name':'Dom A','description':'e'}}")
                .ok();
        fixture.call(two.url(), "DM_Destroy", "{'target':{'domain':'Dom 2'}}").ok();
        fixture.call(one.url(), "DM_Create", "{'vx':{'name':'More','description':'d'}}")
                .ok();
        fixture.call(one.url(), "MB_Delete", "{'target':{'bank':'Box 1'}}").ok();
        fixture.call(one.url(), "MB_Create", "{'vx':{'name':'More'}}").refused(4002, "trash");
        fixture.call(one.url(), "MB_Restore", "{'target':{'bank':'Box 1'}}").ok();
        fixture.call(one.url(), "MB_Destroy", "{'target':{'bank':'Box 1'}}").ok();
        fixture.call(two.url(), "MB_Create", "{'vx':{'name':'More'}}").ok();
    }

    @Test
    void theCountIsRightWhateverHappensMeanwhile() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.call(one.url(), "MB_Create", "{'vx':{'name':'Box'}}").ok();
        Concurrently.of(8, i -> {
            for (var n = 0; n < 4; n++) {
                var name = "thing %d %d".formatted(i, n);
                fixture.agent(url(n), name).ok();
                fixture.call(url(n), "DM_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name))
                        .ok();
                fixture.call(url(n), "MB_Create", "{'vx':{'name':'%s'}}".formatted(name))
                        .ok();
                fixture.memory(url(n), name).ok();
                fixture.memory(url(n), "Box").ok();
                if (n % 2 == 0) {
                    fixture.call(url(i), "AP_Destroy", "{'target':{'agent':'%s'}}".formatted(name))
                            .ok();
                    fixture.call(url(i), "DM_Destroy", "{'target':{'domain':'%s'}}".formatted(name))
                            .ok();
                    fixture.call(url(i), "MB_Destroy", "{'target':{'bank':'%s'}}".formatted(name))
                            .ok();
                }
            }
            return i;
        });
        assertThat(fixture.counted("agents")).isEqualTo(16);
        assertThat(fixture.counted("domains")).isEqualTo(16);
        assertThat(fixture.counted("banks")).isEqualTo(17);
        assertThat(fixture.counted("memories")).isEqualTo(16 + 32);
        await().untilAsserted(() ->
                assertThat(TenantRows.all(fixture.tenant, "usage_delta")).isEmpty());
        var account = fixture.call(two.url(), "AC_Read", "{}").ok();
        assertThat(limit(account, "/account/limits", "memories").path("count").asInt())
                .isEqualTo(48);
        assertThat(limit(account, "/account/limits", "memories").has("limit")).isFalse();
    }

    @Test
    void endpointsAreCountedUntilTheyAreDeleted() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        for (var i = 0; i < 3; i++) {
            endpoint(fixture);
        }
        assertThatThrownBy(() -> endpoint(fixture))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("webhook_endpoints");
        TestDatabase.db()
                .sql("""
                        UPDATE webhook_endpoint SET deleted_at = now() WHERE tenant_id = :tenant AND id = :id;
                        SELECT count_usage(:tenant, 'webhook_endpoints', -1)
                        """)
                .set("tenant", fixture.tenant)
                .set("id", endpoints.getFirst())
                .run();
        endpoint(fixture);
        assertThat(fixture.counted("webhook_endpoints")).isEqualTo(3);
    }

    private final List<UUID> endpoints = new java.util.ArrayList<>();

    private void endpoint(QuotaFixture fixture) {
        var id = UUID.randomUUID();
        TestDatabase.db().sql("""
                        INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
                        VALUES (:tenant, :id, 'https://example.com/', '{*}', now(), now(), 's');
                        SELECT count_usage(:tenant, 'webhook_endpoints', 1)
                        """).set("tenant", fixture.tenant).set("id", id).run();
        endpoints.add(id);
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void anotherPlanHoldsEverywhere(ClientApi api) {
        var fixture = new QuotaFixture(api);
        for (var i = 0; i < 27; i++) {
            fixture.agent(url(i), "Agent " + i).ok();
        }
        var down = fixture.plan(one.url(), "free");
        assertThat(down.text("/previous_plan")).isEqualTo("unlimited");
        assertThat(down.at("/changed").asBoolean()).isTrue();
        assertThat(down.at("/exceeded").toString()).isEqualTo("[\"agents\"]");
        assertThat(limit(down, "/account/limits", "agents").toString())
                .isEqualTo("{\"scope\":\"agents\",\"limit\":25,\"count\":27,\"remaining\":0}");
        assertRefused(fixture.agent(two.url(), "More"), "agents", 25, "free");
        assertThat(fixture.plan(two.url(), "free").at("/changed").asBoolean()).isFalse();
        assertThat(fixture.call(two.url(), "US_Read", "{}").ok().text("/profile/0/plan"))
                .isEqualTo("free");
        assertThat(fixture.call(two.url(), "US_Read", "{}").ok().texts("/profile/0/limits", "scope"))
                .contains(
                        "commands",
                        "agents",
                        "domains",
                        "banks",
                        "memories",
                        "documents",
                        "webhook_endpoints",
                        "tasks");
        fixture.plan(two.url(), "team");
        fixture.agent(one.url(), "More").ok();
        assertThat(agentLimit(fixture, two.url())).isEqualTo(250);
        await().until(() -> agentLimit(fixture, one.url()) == 250);
        assertThat(fixture.events(EventType.BILLING_PLAN_CHANGED).stream().map(JsonNode::toString))
                .containsExactly(
                        "{\"previous_plan\":\"unlimited\",\"plan\":\"free\",\"changed_by\":\"owner\"}",
                        "{\"previous_plan\":\"free\",\"plan\":\"team\",\"changed_by\":\"owner\"}");
    }

    /** The change is signalled, so the replica does not wait for its next read of the counts a second later. */
    @Test
    void anotherPlanIsHeardOfAtOnce() {
        var fixture = new QuotaFixture(ClientApi.REST);
        for (var round = 0; round < 8; round++) {
            var isTeam = round % 2 == 0;
            fixture.plan(one.url(), isTeam ? "team" : "scale");
            await().until(() -> agentLimit(fixture, two.url()) == (isTeam ? 250 : 5_000));
        }
    }

    private static long agentLimit(QuotaFixture fixture, String url) {
        return limit(fixture.call(url, "US_Read", "{}").ok(), "/profile/0/limits", "agents")
                .path("limit")
                .asLong();
    }

    @Test
    void thresholdsAreToldOnceADayHoweverOftenTheyAreCrossed() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        Concurrently.of(19, i -> fixture.agent(url(i), "Agent " + i).ok());
        assertTold(fixture, 0);
        for (var round = 0; round < 3; round++) {
            fixture.agent(url(round), "Agent X").ok();
            assertTold(fixture, 1);
            fixture.call(url(round + 1), "AP_Destroy", "{'target':{'agent':'Agent X'}}")
                    .ok();
            assertTold(fixture, 1);
        }
        assertThat(thresholds(fixture)).containsExactly("agents 80 25 20 free");
        Concurrently.of(20, i -> fixture.agent(url(i), "More " + i).code());
        assertTold(fixture, 2);
        assertThat(thresholds(fixture)).containsExactly("agents 80 25 20 free", "agents 100 25 25 free");
        awaitFlush(one.url(), two.url());
        var refusals = fixture.events(EventType.QUOTA_REQUEST_REJECTED);
        assertThat(refusals.stream().map(JsonNode::toString))
                .containsExactly(
                        "{\"scope\":\"agents\",\"limit\":25,\"count\":25,\"plan\":\"free\",\"service\":\"AP_Create\"}");
    }

    /** Checks after every difference was added up, which also writes the events about it. */
    private static void assertTold(QuotaFixture fixture, int times) {
        await().untilAsserted(() ->
                assertThat(TenantRows.all(fixture.tenant, "usage_delta")).isEmpty());
        assertThat(thresholds(fixture)).hasSize(times);
    }

    private static List<String> thresholds(QuotaFixture fixture) {
        return fixture.events(EventType.QUOTA_THRESHOLD_REACHED).stream()
                .map(data -> "%s %d %d %d %s"
                        .formatted(
                                data.path("scope").asString(),
                                data.path("threshold").asInt(),
                                data.path("limit").asInt(),
                                data.path("count").asInt(),
                                data.path("plan").asString()))
                .toList();
    }

    private static final List<String> STANDING =
            List.of("agents", "domains", "banks", "memories", "webhook_endpoints", "tasks");

    /** Creates up to the limit and one more of each counted thing. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void ofEachScopeBothThresholdsAreToldAndTheRefusal(ClientApi api) {
        var fixture = new QuotaFixture(api);
        fixture.plan(one.url(), "free");
        create(fixture, 25, "AP_Create", "{'vx':{'name':'Agent #','description':'d'}}");
        create(fixture, 10, "DM_Create", "{'vx':{'name':'Dom #','description':'d'}}");
        create(fixture, 10, "MB_Create", "{'vx':{'name':'Box #'}}");
        create(fixture, 3, "WH_Create", "{'url':'http://127.0.0.1:1/x','events':['webhook.test']}");
        fixture.fill("Box 0", 9_999);
        create(fixture, 1, "MB_Store", "{'target':{'bank':'Box 0'},'content':'text #'}");
        fixture.fillTasks("Dom 0", 999);
        create(fixture, 1, "TK_Create", "{'target':{'domain':'Dom 0'},'vx':{'name':'task #'}}");
        await().untilAsserted(() -> assertThat(fixture.events(EventType.QUOTA_THRESHOLD_REACHED).stream()
                        .map(data -> data.path("scope").asString() + " "
                                + data.path("threshold").asInt()))
                .containsExactlyInAnyOrderElementsOf(STANDING.stream()
                        .flatMap(scope -> List.of(scope + " 80", scope + " 100").stream())
                        .toList()));
        await().untilAsserted(() -> assertThat(fixture.events(EventType.QUOTA_REQUEST_REJECTED).stream()
                        .map(data -> "%s %d %d %s"
                                .formatted(
                                        data.path("scope").asString(),
                                        data.path("limit").asInt(),
                                        data.path("count").asInt(),
                                        data.path("service").asString())))
                .containsExactlyInAnyOrder(
                        "agents 25 25 AP_Create",
                        "domains 10 10 DM_Create",
                        "banks 10 10 MB_Create",
                        "memories 10000 10000 MB_Store",
                        "webhook_endpoints 3 3 WH_Create",
                        "tasks 1000 1000 TK_Create"));
    }

    private static void create(QuotaFixture fixture, int times, String service, String arguments) {
        for (var i = 0; i < times; i++) {
            fixture.call(url(i), service, arguments.replace("#", String.valueOf(i)))
                    .ok();
        }
        fixture.call(url(times), service, arguments.replace("#", "too many")).refused(4002);
    }

    @Test
    void onlyOwnersChangeThePlan() {
        var tenants = new io.agentworkspace.engine.testing.TestTenant();
        var admin = tenants.key(ClientApi.REST, "boss", io.agentworkspace.engine.model.access.Role.ADMIN, List.of("*"));
        Reply refused = ClientApi.REST.call(
                one.url(),
                admin,
                "AC_ChangePlan",
                io.agentworkspace.engine.model.json.Json.object().put("plan", "scale"));
        refused.refused(2003, "owner");
    }
}
