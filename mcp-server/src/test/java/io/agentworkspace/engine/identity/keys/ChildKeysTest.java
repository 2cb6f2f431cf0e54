package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.on;
import static io.agentworkspace.engine.testing.KeyFixture.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ChangeInForce;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys that keys create for their sub-agents: they never have more permissions than their parent, and end with it. */
@Tag("slow")
class ChildKeysTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");

    private static Made child(Made parent) {
        return make(parent, "'capabilities':['*'],'parent':'%s'".formatted(parent.id()));
    }

    @Test
    void aChildEndsWithItsParentOnEveryReplicaWithinASecond() {
        try (var other = Replica.start(Map.of())) {
            for (var end : List.of("AK_Revoke", "AK_Delete", "AK_Revoke", "AK_Delete")) {
                var parent = make(root, "'capabilities':['*']");
                var child = child(parent);
                var grandchild = child(child);
                ChangeInForce.assertInForce(
                        end + " of a parent",
                        () -> done(call(root, end, "{'id':'%s'}".formatted(parent.id()))),
                        Stream.of(TestServer.url(), other.url())
                                .flatMap(url -> Stream.of(child, grandchild).map(key -> accepted(url, key)))
                                .toList());
            }
        }
    }

    private static BooleanSupplier accepted(String url, Made key) {
        return () -> on(url, key, "AP_List").error().isEmpty();
    }

    @Test
    void aChildEndsWhenItsParentExpires() {
        var parent = make(root, "'capabilities':['*']");
        var child = child(parent);
        done(call(child, "AP_List", "{}"));
        done(call(root, "AK_Update", "{'id':'%s','expires_in_seconds':2}".formatted(parent.id())));
        await().until(() -> call(child, "AP_List", "{}").error().equals("unauthenticated"));
        assertThat(record(root, child).path("state").asString()).isEqualTo("expired");
        assertThat(record(root, child).path("expires_at"))
                .isEqualTo(record(root, parent).path("expires_at"));
        done(call(root, "AK_Revoke", "{'id':'%s'}".formatted(parent.id())));
        assertThat(record(root, child).path("state").asString()).isEqualTo("revoked");
        done(call(root, "AK_Delete", "{'id':'%s'}".formatted(parent.id())));
        assertThat(call(root, "AK_Usage", "{'id':'%s'}".formatted(child.id())).error())
                .isEqualTo("not_found");
    }

    @Test
    void whatTheParentLosesTheChildLoses() {
        var parent = make(root, "'capabilities':['*']");
        var child = child(parent);
        done(call(child, "MB_List", "{}"));
        done(call(
                root,
                "AK_Update",
                "{'id':'%s','capabilities':['agent:read','key:write'],'toolset':['agent','key'],'confirm_destructive':true}"
                        .formatted(parent.id())));
        await().until(() -> call(child, "MB_List", "{}").error().equals("not_permitted"));
        done(call(child, "AP_List", "{}"));
        var key = record(root, child);
        assertThat(key.path("capabilities").toString()).isEqualTo("[\"agent:read\",\"key:write\"]");
        assertThat(key.path("toolset").toString()).isEqualTo("[\"agent\",\"key\"]");
        assertThat(key.path("confirm_destructive").asBoolean()).isTrue();
        var wider = call(root, "AK_Update", "{'id':'%s','capabilities':['bank:read']}".formatted(child.id()));
        assertThat(wider.error()).isEqualTo("conflict");
        assertThat(wider.note()).contains("its parent lacks bank:read");
    }

    @Test
    void aChildThatIsNotToldHowLongLivesADay() {
        var child = record(root, child(root));
        assertThat(Instant.parse(child.path("expires_at").asString()))
                .isBetween(
                        Instant.now().plus(Duration.ofHours(23)), Instant.now().plus(Duration.ofHours(24)));
        assertThat(child.path("parent").asString()).isEqualTo(root.id());
        var brief = make(root, "'capabilities':['*'],'expires_in_seconds':3600");
        assertThat(record(root, child(brief)).path("expires_at"))
                .isEqualTo(record(root, brief).path("expires_at"));
        var independent = record(root, make(root, "'capabilities':['*']"));
        assertThat(independent.has("parent")).isFalse();
        assertThat(independent.has("expires_at")).isFalse();
    }

    @Test
    void aProgramsKeyMakesOnlyChildrenAndSeesOnlyThose() {
        done(call(root, "AP_Create", "{'vx':{'name':'Scout','description':'d'}}"));
        done(call(root, "AP_Create", "{'vx':{'name':'Other','description':'d'}}"));
        var bound = make(root, "'capabilities':['*'],'agent':'Scout'");
        var child = make(bound, "'capabilities':['*']");
        var grandchild = make(child, "'capabilities':['*'],'agent':'Scout'");
        assertThat(record(root, child).path("parent").asString()).isEqualTo(bound.id());
        assertThat(record(root, child).path("agent").asString()).isEqualTo("Scout");
        assertThat(record(root, grandchild).path("parent").asString()).isEqualTo(child.id());
        assertThat(record(root, bound).path("children").asLong()).isEqualTo(1);
        var other = call(bound, "AK_Create", "{'name':'x','capabilities':['*'],'agent':'Other'}");
        assertThat(other.error()).isEqualTo("not_permitted");
        assertThat(other.note()).contains("bound to another agent than 'Other'");
        for (var hidden : List.of(root.id(), bound.id())) {
            for (var service : List.of("AK_Usage", "AK_Update", "AK_Rotate", "AK_Revoke", "AK_Delete")) {
                var got = call(child, service, "{'id':'%s'}".formatted(hidden));
                assertThat(got.error()).as(service).isEqualTo("not_found");
            }
        }
        assertThat(call(child, "AK_List", "{}").envelope().at("/keys").size()).isEqualTo(2);
        done(call(child, "AK_Revoke", "{'id':'%s'}".formatted(grandchild.id())));
        done(call(child, "AK_Revoke", "{'id':'%s'}".formatted(child.id())));
    }

    @Test
    void aProgramOfAnAdminMakesNoKeyForAnotherUser() {
        fixture.user("bob", Role.MEMBER, "*");
        var admin = fixture.user("root", Role.ADMIN, "*");
        var forBob = "{'name':'x','capabilities':['*'],'target':{'user':'bob'}}";
        done(call(admin, "AK_Create", forBob));
        var child = child(admin);
        for (var forAnother : List.of(
                "AK_Create " + forBob,
                "AP_List {'target':{'user':'bob'}}",
                "AP_Create {'vx':{'name':'Ada','description':'d'},'target':{'user':'bob'}}",
                "US_Update {'target':{'user':'bob'},'vx':{'access':'viewer'}}")) {
            var parts = forAnother.split(" ", 2);
            var got = call(child, parts[0], parts[1]);
            assertThat(got.error()).as(forAnother).isEqualTo("not_permitted");
            assertThat(got.note()).contains("acts for its own user only");
        }
        done(call(child, "US_Create", "{'vx':{'name':'eve'}}"));
        var own = "{'name':'x','capabilities':['*'],'parent':'%s','target':{'user':'bob'}}".formatted(admin.id());
        assertThat(call(admin, "AK_Create", own).note()).contains("same user as its parent");
    }

    @Test
    void aKeyThatIsBoundToAnAgentChangesNoOtherAndNoUser() {
        var admin = fixture.user("root", Role.ADMIN, "*");
        for (var name : List.of("Scout", "Other")) {
            done(call(admin, "AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name)));
        }
        var bound = make(admin, "'capabilities':['*'],'agent':'Scout'");
        for (var key : List.of(bound, child(bound))) {
            for (var service : List.of("AP_Update", "AP_Modify", "AP_Destroy")) {
                var vx = service.equals("AP_Destroy") ? "" : ",'vx':{'name':'New','description':'d'}";
                var got = call(key, service, "{'target':{'agent':'Other'}%s}".formatted(vx));
                assertThat(got.error()).as(service).isEqualTo("not_permitted");
                assertThat(got.note()).contains("bound to another agent than 'Other'");
            }
            for (var users : List.of(
                    "US_Create {'vx':{'name':'eve','access':'admin'}}",
                    "US_Update {'target':{'user':'root'},'vx':{'name':'boss'}}",
                    "US_Remove {'target':{'user':'root'}}")) {
                var parts = users.split(" ", 2);
                var got = call(key, parts[0], parts[1]);
                assertThat(got.error()).as(users).isEqualTo("not_permitted");
                assertThat(got.note()).contains("so it cannot manage users");
            }
        }
        done(call(bound, "AP_Modify", "{'target':{'agent':'Scout'},'vx':{'description':'new'}}"));
        done(call(bound, "AP_Destroy", "{'target':{'agent':'Scout'}}"));
    }

    @Test
    void thereAreThreeGenerationsAndAHundredChildrenAtMost() {
        var third = child(child(child(root)));
        var fourth = call(third, "AK_Create", "{'name':'x','capabilities':['*']}");
        assertThat(fourth.error()).isEqualTo("conflict");
        assertThat(fourth.note()).contains("3 keys above");
        var parent = make(root, "'capabilities':['*']");
        var one = child(parent);
        TestDatabase.db().sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at, parent_id, ancestors)
                SELECT tenant_id, lpad(n::text, 7, '0') || right(id, 5), secret_hash, user_id, 'bulk', capabilities, created_at,
                       parent_id, ancestors
                  FROM api_key, generate_series(1, 99) n WHERE id = :id
                """).set("id", one.id()).run();
        var full = call(parent, "AK_Create", "{'name':'x','capabilities':['*'],'parent':'%s'}".formatted(parent.id()));
        assertThat(full.error()).isEqualTo("conflict");
        assertThat(full.note()).contains("100 children");
        done(call(parent, "AK_Revoke", "{'id':'%s'}".formatted(one.id())));
        child(parent);
    }

    /** They are no longer valid, so they do not count against the limit. */
    @Test
    void childrenOfARevokedOrExpiredKeyAreNotInUse() {
        var boss = fixture.user("boss", Role.ADMIN, "*");
        for (var end : List.of("revoked_at = now()", "expires_at = now() - interval '1 day'")) {
            var parent = make(boss, "'capabilities':['*']");
            var grandchild = child(child(parent));
            var db = TestDatabase.db();
            db.sql("""
                    INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at, parent_id, ancestors)
                    SELECT tenant_id, lpad(n::text, 7, '0') || right(id, 5), secret_hash, user_id, 'bulk', capabilities, created_at,
                           parent_id, ancestors
                      FROM api_key, generate_series(1, 1000) n WHERE id = :id
                    """).set("id", grandchild.id()).run();
            assertThat(call(boss, "AK_Create", "{'name':'x','capabilities':['*']}")
                            .note())
                    .contains("1,000 keys");
            db.sql("UPDATE api_key SET %s WHERE id = :id".formatted(end))
                    .set("id", parent.id())
                    .run();
            done(call(
                    boss,
                    "AK_Revoke",
                    "{'id':'%s'}".formatted(make(boss, "'capabilities':['*']").id())));
            var listed = done(call(boss, "US_List", "{}")).envelope();
            assertThat(listed.at("/content/1/user").asString()).isEqualTo("boss");
            assertThat(listed.at("/content/1/keys").asLong()).isEqualTo(1);
        }
    }

    @Test
    void childrenThatAreMadeWhileTheirParentIsRevokedDoNotWork() {
        for (var round = 0; round < 5; round++) {
            var parent = make(root, "'capabilities':['*']");
            var made = Concurrently.of(
                    4,
                    i -> i == 0
                            ? call(root, "AK_Revoke", "{'id':'%s'}".formatted(parent.id()))
                            : call(
                                    parent,
                                    "AK_Create",
                                    "{'name':'x','capabilities':['*'],'parent':'%s'}".formatted(parent.id())));
            done(made.getFirst());
            made.stream().skip(1).filter(got -> got.error().isEmpty()).forEach(got -> {
                var child = new Made(got.envelope().path("api_key").asString());
                await().until(() -> call(child, "AP_List", "{}").error().equals("unauthenticated"));
            });
        }
        assertThat(TenantRows.count(fixture.tenant.id(ClientApi.REST), "api_key"))
                .isPositive();
    }
}
