package io.agentworkspace.engine.proof;

import static io.agentworkspace.engine.proof.QuotaStage.assertRefused;
import static io.agentworkspace.engine.proof.QuotaStage.limit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
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

/** What a plan lets exist: counted exactly and never exceeded, whoever creates at the same time, on whichever replica. */
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
    @EnumSource(Door.class)
    void sixtyFourWhoCreateAtOnceMakeAsManyAsAreAllowed(Door door) {
        var stage = new QuotaStage(door);
        var others = new QuotaStage(door);
        stage.plan(one.url(), "free");
        var replies = Crowd.of(64, i -> stage.agent(url(i), "Agent " + i));
        assertThat(replies.stream().filter(reply -> reply.code() == 0)).hasSize(25);
        replies.stream()
                .filter(reply -> reply.code() != 0)
                .forEach(reply -> assertRefused(reply, "agents", 25, "free"));
        assertThat(Rows.count(stage.tenant, "agent")).isEqualTo(25);
        assertThat(stage.counted("agents")).isEqualTo(25);
        for (var i = 0; i < 30; i++) {
            others.agent(url(i), "Agent " + i).ok();
        }
    }

    /** Far from the limit they create together, close to it one after the other. */
    @Test
    void theLimitIsReachedAndNotExceededFromFarToo() {
        var stage = new QuotaStage(Door.REST);
        stage.call(one.url(), "MB_Create", "{'vx':{'name':'Box'}}").ok();
        stage.fill("Box", 9_300);
        stage.plan(one.url(), "free");
        var stored = Crowd.of(32, i -> {
            var done = 0;
            for (var n = 0; n < 25; n++) {
                var reply = stage.memory(url(i + n), "Box");
                if (reply.code() == 0) {
                    done++;
                } else {
                    assertRefused(reply, "memories", 10_000, "free");
                }
            }
            return done;
        });
        assertThat(stored.stream().mapToInt(n -> n).sum()).isEqualTo(700);
        assertThat(Rows.count(stage.tenant, "memory")).isEqualTo(10_000);
        assertThat(stage.counted("memories")).isEqualTo(10_000);
    }

    @Test
    void manyAtOnceAreAllOrNone() {
        var stage = new QuotaStage(Door.REST);
        stage.call(one.url(), "MB_Create", "{'vx':{'name':'Box'}}").ok();
        stage.plan(one.url(), "free");
        stage.fill("Box", 9_000);
        var outcomes = Crowd.of(8, _ -> {
            try {
                stage.fill("Box", 300);
                return true;
            } catch (Problem refused) {
                assertThat(refused.failure().error()).isEqualTo("quota_exceeded");
                return false;
            }
        });
        assertThat(outcomes.stream().filter(done -> done)).hasSize(3);
        assertThat(stage.counted("memories")).isEqualTo(9_900);
        assertThatThrownBy(() -> stage.fill("Box", 101)).isInstanceOf(Problem.class);
        stage.fill("Box", 100);
        assertRefused(stage.memory(one.url(), "Box"), "memories", 10_000, "free");
    }

    @Test
    void whatThereIsCanBeReadAndChangedAtTheLimitAndRoomCanBeMade() {
        var stage = new QuotaStage(Door.MCP);
        stage.plan(one.url(), "free");
        for (var i = 0; i < 10; i++) {
            stage.call(one.url(), "DM_Create", "{'vx':{'name':'Dom %d','description':'d'}}".formatted(i))
                    .ok();
            stage.call(one.url(), "MB_Create", "{'vx':{'name':'Box %d'}}".formatted(i))
                    .ok();
        }
        assertRefused(
                stage.call(two.url(), "DM_Create", "{'vx':{'name':'More','description':'d'}}"), "domains", 10, "free");
        assertRefused(stage.call(two.url(), "MB_Create", "{'vx':{'name':'More'}}"), "banks", 10, "free");
        stage.call(two.url(), "DM_Create", "{'vx':{'name':'Dom 1','description':'d'}}")
                .refused(3002);
        stage.call(two.url(), "DM_Read", "{'target':{'domain':'Dom 1'}}").ok();
        stage.call(two.url(), "DM_Update", "{'target':{'domain':'Dom 1'},'vx':{'name':'Dom A','description':'e'}}")
                .ok();
        stage.call(two.url(), "DM_Destroy", "{'target':{'domain':'Dom 2'}}").ok();
        stage.call(one.url(), "DM_Create", "{'vx':{'name':'More','description':'d'}}")
                .ok();
        stage.call(one.url(), "MB_Delete", "{'target':{'bank':'Box 1'}}").ok();
        stage.call(one.url(), "MB_Create", "{'vx':{'name':'More'}}").refused(4002, "trash");
        stage.call(one.url(), "MB_Restore", "{'target':{'bank':'Box 1'}}").ok();
        stage.call(one.url(), "MB_Destroy", "{'target':{'bank':'Box 1'}}").ok();
        stage.call(two.url(), "MB_Create", "{'vx':{'name':'More'}}").ok();
    }

    @Test
    void theCountIsRightWhateverHappensMeanwhile() {
        var stage = new QuotaStage(Door.REST);
        stage.call(one.url(), "MB_Create", "{'vx':{'name':'Box'}}").ok();
        Crowd.of(12, i -> {
            for (var n = 0; n < 6; n++) {
                var name = "thing %d %d".formatted(i, n);
                stage.agent(url(n), name).ok();
                stage.call(url(n), "DM_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name))
                        .ok();
                stage.call(url(n), "MB_Create", "{'vx':{'name':'%s'}}".formatted(name))
                        .ok();
                stage.memory(url(n), name).ok();
                stage.memory(url(n), "Box").ok();
                if (n % 2 == 0) {
                    stage.call(url(i), "AP_Destroy", "{'target':{'agent':'%s'}}".formatted(name))
                            .ok();
                    stage.call(url(i), "DM_Destroy", "{'target':{'domain':'%s'}}".formatted(name))
                            .ok();
                    stage.call(url(i), "MB_Destroy", "{'target':{'bank':'%s'}}".formatted(name))
                            .ok();
                }
            }
            return i;
        });
        assertThat(stage.counted("agents")).isEqualTo(36);
        assertThat(stage.counted("domains")).isEqualTo(36);
        assertThat(stage.counted("banks")).isEqualTo(37);
        assertThat(stage.counted("memories")).isEqualTo(36 + 72);
        await().untilAsserted(
                        () -> assertThat(Rows.all(stage.tenant, "usage_delta")).isEmpty());
        var account = stage.call(two.url(), "AC_Read", "{}").ok();
        assertThat(limit(account, "/account/limits", "memories").path("count").asInt())
                .isEqualTo(108);
        assertThat(limit(account, "/account/limits", "memories").has("limit")).isFalse();
    }

    @Test
    void endpointsAreCountedUntilTheyAreDeleted() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        for (var i = 0; i < 3; i++) {
            endpoint(stage);
        }
        assertThatThrownBy(() -> endpoint(stage)).isInstanceOf(Problem.class).hasMessageContaining("webhook_endpoints");
        TestDatabase.db()
                .sql("UPDATE webhook_endpoint SET deleted_at = now() WHERE tenant_id = :tenant AND id = :id")
                .set("tenant", stage.tenant)
                .set("id", endpoints.getFirst())
                .run();
        endpoint(stage);
        assertThat(stage.counted("webhook_endpoints")).isEqualTo(3);
    }

    private final List<UUID> endpoints = new java.util.ArrayList<>();

    private void endpoint(QuotaStage stage) {
        var id = UUID.randomUUID();
        TestDatabase.db().sql("""
                        INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
                        VALUES (:tenant, :id, 'https://example.com/', '{*}', now(), now(), 's')
                        """).set("tenant", stage.tenant).set("id", id).run();
        endpoints.add(id);
    }

    @ParameterizedTest
    @EnumSource(Door.class)
    void anotherPlanHoldsEverywhere(Door door) {
        var stage = new QuotaStage(door);
        for (var i = 0; i < 27; i++) {
            stage.agent(url(i), "Agent " + i).ok();
        }
        var down = stage.plan(one.url(), "free");
        assertThat(down.text("/previous_plan")).isEqualTo("unlimited");
        assertThat(down.at("/changed").asBoolean()).isTrue();
        assertThat(down.at("/exceeded").toString()).isEqualTo("[\"agents\"]");
        assertThat(limit(down, "/account/limits", "agents").toString())
                .isEqualTo("{\"scope\":\"agents\",\"limit\":25,\"count\":27,\"remaining\":0}");
        assertRefused(stage.agent(two.url(), "More"), "agents", 25, "free");
        assertThat(stage.plan(two.url(), "free").at("/changed").asBoolean()).isFalse();
        assertThat(stage.call(two.url(), "US_Read", "{}").ok().text("/profile/0/plan"))
                .isEqualTo("free");
        stage.plan(two.url(), "team");
        stage.agent(one.url(), "More").ok();
        assertThat(told(stage, two.url())).isEqualTo(250);
        await().until(() -> told(stage, one.url()) == 250);
        assertThat(stage.events(EventType.BILLING_PLAN_CHANGED).stream().map(JsonNode::toString))
                .containsExactly(
                        "{\"previous_plan\":\"unlimited\",\"plan\":\"free\",\"changed_by\":\"owner\"}",
                        "{\"previous_plan\":\"free\",\"plan\":\"team\",\"changed_by\":\"owner\"}");
    }

    /** It is heard of; nobody waits for the counts to be read, a second later. */
    @Test
    void anotherPlanIsHeardOfAtOnce() {
        var stage = new QuotaStage(Door.REST);
        for (var round = 0; round < 8; round++) {
            var isTeam = round % 2 == 0;
            stage.plan(one.url(), isTeam ? "team" : "scale");
            await().until(() -> told(stage, two.url()) == (isTeam ? 250 : 5_000));
        }
    }

    private static long told(QuotaStage stage, String url) {
        return limit(stage.call(url, "US_Read", "{}").ok(), "/profile/0/limits", "agents")
                .path("limit")
                .asLong();
    }

    @Test
    void thresholdsAreToldOnceADayHoweverOftenTheyAreCrossed() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        Crowd.of(19, i -> stage.agent(url(i), "Agent " + i).ok());
        assertStaysTold(stage, 0);
        for (var round = 0; round < 3; round++) {
            stage.agent(url(round), "Agent X").ok();
            await().until(() -> told(stage).size() == 1);
            assertStaysTold(stage, 1);
            stage.call(url(round + 1), "AP_Destroy", "{'target':{'agent':'Agent X'}}")
                    .ok();
            assertStaysTold(stage, 1);
        }
        assertThat(told(stage)).containsExactly("agents 80 25 20 free");
        Crowd.of(20, i -> stage.agent(url(i), "More " + i).code());
        await().until(() -> told(stage).size() == 2);
        assertStaysTold(stage, 2);
        assertThat(told(stage)).containsExactly("agents 80 25 20 free", "agents 100 25 25 free");
        var refusals = stage.events(EventType.QUOTA_REQUEST_REJECTED);
        assertThat(refusals.stream().map(JsonNode::toString))
                .containsExactly(
                        "{\"scope\":\"agents\",\"limit\":25,\"count\":25,\"plan\":\"free\",\"service\":\"AP_Create\"}");
    }

    /** For longer than the counts are rested. */
    private static void assertStaysTold(QuotaStage stage, int times) {
        await().during(Duration.ofMillis(1_300)).until(() -> told(stage).size() == times);
    }

    private static List<String> told(QuotaStage stage) {
        return stage.events(EventType.QUOTA_THRESHOLD_REACHED).stream()
                .map(data -> "%s %d %d %d %s"
                        .formatted(
                                data.path("scope").asString(),
                                data.path("threshold").asInt(),
                                data.path("limit").asInt(),
                                data.path("count").asInt(),
                                data.path("plan").asString()))
                .toList();
    }

    private static final List<String> STANDING = List.of("agents", "domains", "banks", "memories", "webhook_endpoints");

    /** Creates as many as are allowed, and one more, of all that is counted. */
    @ParameterizedTest
    @EnumSource(Door.class)
    void ofEachScopeBothThresholdsAreToldAndTheRefusal(Door door) {
        var stage = new QuotaStage(door);
        stage.plan(one.url(), "free");
        create(stage, 25, "AP_Create", "{'vx':{'name':'Agent #','description':'d'}}");
        create(stage, 10, "DM_Create", "{'vx':{'name':'Dom #','description':'d'}}");
        create(stage, 10, "MB_Create", "{'vx':{'name':'Box #'}}");
        create(stage, 3, "WH_Create", "{'url':'http://127.0.0.1:1/x','events':['webhook.test']}");
        stage.fill("Box 0", 9_999);
        create(stage, 1, "MB_Store", "{'target':{'bank':'Box 0'},'content':'text #'}");
        await().untilAsserted(() -> assertThat(stage.events(EventType.QUOTA_THRESHOLD_REACHED).stream()
                        .map(data -> data.path("scope").asString() + " "
                                + data.path("threshold").asInt()))
                .containsExactlyInAnyOrderElementsOf(STANDING.stream()
                        .flatMap(scope -> List.of(scope + " 80", scope + " 100").stream())
                        .toList()));
        await().untilAsserted(() -> assertThat(stage.events(EventType.QUOTA_REQUEST_REJECTED).stream()
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
                        "webhook_endpoints 3 3 WH_Create"));
    }

    private static void create(QuotaStage stage, int times, String service, String arguments) {
        for (var i = 0; i < times; i++) {
            stage.call(url(i), service, arguments.replace("#", String.valueOf(i)))
                    .ok();
        }
        stage.call(url(times), service, arguments.replace("#", "too many")).refused(4002);
    }

    @Test
    void onlyOwnersChangeThePlan() {
        var tenants = new io.agentworkspace.engine.testing.TestTenant();
        var admin = tenants.key(Door.REST, "boss", io.agentworkspace.engine.model.access.Role.ADMIN, List.of("*"));
        Reply refused = Door.REST.call(
                one.url(),
                admin,
                "AC_ChangePlan",
                io.agentworkspace.engine.model.json.Json.object().put("plan", "scale"));
        refused.refused(2003, "owner");
    }
}
