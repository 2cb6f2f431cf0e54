package io.agentworkspace.engine.proof;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.listed;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.WaitingCall;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attempts to get a key with more permissions than allowed: by a race, step by step, by an old secret, or past a higher role.
 */
@Tag("race")
class KeyRaceTest {
    private final KeyFixture fixture = new KeyFixture();

    private static void refused(Got got, String error, String... noted) {
        assertThat(got.error()).as(got.toString()).isEqualTo(error);
        assertThat(got.note()).contains(noted);
    }

    private static Got update(Made caller, Made key, String fields) {
        return call(caller, "AK_Update", "{'id':'%s',%s}".formatted(key.id(), fields));
    }

    private void sql(String text, String name) {
        TestDatabase.db()
                .sql(text)
                .set("tenant", fixture.tenant.id(ClientApi.REST))
                .set("name", name)
                .run();
    }

    private void remove(String user) {
        TestDatabase.db()
                .sql("SELECT 1 FROM app_user WHERE tenant_id = :tenant AND name = :name FOR UPDATE")
                .set("tenant", fixture.tenant.id(ClientApi.REST))
                .set("name", user)
                .one(_ -> true);
        sql("UPDATE app_user SET removed_at = now() WHERE tenant_id = :tenant AND name = :name", user);
    }

    @Test
    void whoIsBeingRemovedGetsNoKey() {
        var boss = fixture.user("boss", Role.OWNER, "*");
        fixture.user("bob", Role.MEMBER, "*");
        var got = WaitingCall.by(
                () -> remove("bob"),
                () -> call(boss, "AK_Create", "{'name':'x','capabilities':['*'],'target':{'user':'bob'}}"));
        refused(got, "conflict", "just been removed");
    }

    /** The context is loaded before the removal, which the call then waits for. */
    @ParameterizedTest
    @ValueSource(strings = {"AP_Create", "DM_Create", "MB_Create"})
    void whoIsBeingRemovedGetsNothing(String service) {
        var bob = fixture.user("bob", Role.MEMBER, "*");
        var got =
                WaitingCall.by(() -> remove("bob"), () -> call(bob, service, "{'vx':{'name':'x','description':'d'}}"));
        refused(got, "conflict", "just been removed");
    }

    /** A removed user's row stays, so a key of it would still find it. */
    @Test
    void noKeyOfARemovedUserWorks() {
        var bob = fixture.user("bob", Role.MEMBER, "*");
        assertThat(listed(bob)).contains("AP_List");
        remove("bob");
        // Listing requires only a valid key.
        await().until(() -> listed(bob).isEmpty());
    }

    /** A replica may cache a removed admin for up to a second. */
    @ParameterizedTest
    @ValueSource(strings = {"AP_List", "AP_Select", "AP_Create"})
    void aRemovedAdminActsForNobody(String service) {
        fixture.user("root", Role.ADMIN, "*");
        fixture.user("bob", Role.MEMBER, "*");
        var id = TestDatabase.db()
                .sql("SELECT id FROM app_user WHERE tenant_id = :tenant AND name = 'root'")
                .set("tenant", fixture.tenant.id(ClientApi.REST))
                .one(row -> row.number("id"))
                .orElseThrow();
        var root =
                new Caller(fixture.tenant.id(ClientApi.REST), "t", id, "root", Role.ADMIN, Set.of("*"), "key:x", null);
        var forBob = "{'target':{'user':'bob'}%s}"
                .formatted(service.equals("AP_Create") ? ",'vx':{'name':'Ada','description':'d'}" : "");
        assertThat(run(root, service, forBob)).isEmpty();
        remove("root");
        assertThat(run(root, service, forBob)).isEqualTo("unauthenticated");
        assertThat(run(root, service, forBob.replace("'bob'", "'root'"))).isEqualTo("unauthenticated");
    }

    /** A replica may cache the role for up to a second, and a call may wait for any time. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AK_Create | {"name":"x","capabilities":["*"],"target":{"user":"boss"}}
            AK_Create | {"name":"x","capabilities":["*"]}
            AK_Update | {"id":"$","capabilities":["*"]}
            AK_Rotate | {"id":"$"}
            AK_Revoke | {"id":"$"}
            AK_Delete | {"id":"$"}
            US_Create | {"vx":{"name":"eve","access":"owner"}}
            US_Update | {"target":{"user":"bob"},"vx":{"access":"owner"}}
            US_Remove | {"target":{"user":"bob"}}
            """)
    void whoIsLosingARoleDoesNothingWithIt(String service, String arguments) {
        var boss = fixture.user("boss", Role.OWNER, "*");
        var mallory = fixture.user("mallory", Role.OWNER, "*");
        fixture.user("bob", Role.MEMBER, "*");
        var key = make(boss, "'capabilities':['agent:read']");
        var got =
                WaitingCall.by(() -> demote("mallory"), () -> call(mallory, service, arguments.replace("$", key.id())));
        refused(got, "not_permitted", "your role has just become 'admin'", "US_Update");
    }

    private void demote(String user) {
        sql("UPDATE app_user SET role = 'admin' WHERE tenant_id = :tenant AND name = :name", user);
    }

    @ParameterizedTest
    @ValueSource(strings = {"AP_List", "AP_Select", "AP_Create"})
    void whoHasLostARoleHasItNoMoreWhateverIsRemembered(String service) {
        var id = TestDatabase.db()
                .sql("SELECT id FROM app_user WHERE tenant_id = :tenant AND name = 'root'")
                .set("tenant", fixture.tenant.id(ClientApi.REST));
        fixture.user("root", Role.ADMIN, "*");
        var root = new Caller(
                fixture.tenant.id(ClientApi.REST),
                "t",
                id.one(row -> row.number("id")).orElseThrow(),
                "root",
                Role.OWNER,
                Set.of("*"),
                "key:x",
                null);
        var vx = service.equals("AP_Create") ? "'vx':{'name':'Ada','description':'d'}" : "";
        assertThat(run(root, service, "{" + vx + "}")).isEqualTo("not_permitted");
    }

    /** An admin knows the keys that it created for a member, and the keys created with those. */
    @ParameterizedTest
    @ValueSource(strings = {"admin", "owner"})
    void aKeyThatSomebodyElseKnowsDoesNotRiseWithItsUser(String role) {
        var boss = fixture.user("boss", Role.OWNER, "*");
        var root = fixture.user("root", Role.ADMIN, "*");
        var bob = fixture.user("bob", Role.MEMBER, "*");
        var forBob = "'capabilities':['*'],'target':{'user':'bob'}";
        var parent = make(root, forBob);
        var made = make(parent, "'capabilities':['*']");
        var turned = rotated(root, make(bob, "'capabilities':['*']"), 0);
        var turnedByIt = rotated(parent, make(bob, "'capabilities':['*']"), 0);
        var old = make(root, forBob);
        var fresh = rotated(bob, old, 3_600);
        var own = make(bob, "'capabilities':['*']");
        var rise = "{'target':{'user':'bob'},'vx':{'access':'%s'}}";
        assertThat(done(call(boss, "US_Update", rise.formatted("viewer")))
                        .envelope()
                        .path("keys")
                        .asLong(-1))
                .isZero();
        await().until(() -> call(parent, "AP_List", "{}").error().isEmpty());
        assertThat(done(call(boss, "US_Update", rise.formatted(role)))
                        .envelope()
                        .path("keys")
                        .asLong())
                .isEqualTo(4);
        for (var key : List.of(parent, made, turned, turnedByIt, old)) {
            await().until(() -> call(key, "AP_List", "{}").error().equals("unauthenticated"));
        }
        for (var key : List.of(bob, fresh, own)) {
            assertThat(done(call(key, "US_List", "{}")).error()).isEmpty();
        }
    }

    private static Made rotated(Made caller, Made key, int overlap) {
        var got = call(caller, "AK_Rotate", "{'id':'%s','overlap_seconds':%d}".formatted(key.id(), overlap));
        return new Made(done(got).envelope().path("api_key").asString());
    }

    /** The key exists before the change of the role, or not at all. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AK_Create | {"name":"x","capabilities":["*"],"target":{"user":"bob"}}
            AK_Rotate | {"id":"$"}
            """)
    void whoIsBecomingAnOwnerGetsNoKeyOfAnAdmin(String service, String arguments) {
        var root = fixture.user("root", Role.ADMIN, "*");
        var bob = fixture.user("bob", Role.MEMBER, "*");
        var got = WaitingCall.by(
                () -> sql("UPDATE app_user SET role = 'owner' WHERE tenant_id = :tenant AND name = :name", "bob"),
                () -> call(root, service, arguments.replace("$", bob.id())));
        refused(got, "not_permitted", "only an owner");
    }

    private static String run(Caller caller, String service, String arguments) {
        var db = TestDatabase.db();
        var runner = TestDatabase.runner(db);
        var input = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return runner.run(new ToolRunner.Request(service, input, caller, "r", true, null))
                .envelope()
                .at("/status/error")
                .asString("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'toolset':['all']",
                "'confirm_destructive':false",
                "'expires_at':'2099-01-01T00:00:00Z'",
                "'toolset':['all'],'capabilities':['key:write','agent:read']"
            })
    void twoGrantsDoNotMakeOneThatNobodyHad(String fields) {
        var root = fixture.user("ann", Role.MEMBER, "*");
        var clerk = make(root, "'capabilities':['key:write','key:read']");
        var strong = make(
                root, "'capabilities':['*'],'toolset':['agent'],'confirm_destructive':true,'expires_in_seconds':3600");
        refused(update(clerk, strong, fields), "not_permitted", "yours lacks");
        done(update(clerk, strong, "'capabilities':['key:read'],'toolset':['all'],'confirm_destructive':false"));
    }

    @Test
    void anEndedKeyIsNotRevivedByLess() {
        var root = fixture.user("ann", Role.MEMBER, "*");
        var clerk = make(root, "'capabilities':['key:write','key:read']");
        var ended = make(root, "'capabilities':['*'],'expires_in_seconds':3600");
        sql("UPDATE api_key SET expires_at = now() - interval '1 day' WHERE id = :name", ended.id());
        refused(update(clerk, ended, "'expires_in_seconds':100000000"), "not_permitted", "lacks *");
        assertThat(call(ended, "AP_List", "{}").error()).isEqualTo("unauthenticated");
        done(update(root, ended, "'expires_in_seconds':3600"));
    }

    @Test
    void anOldSecretGetsHoldOfNoKey() {
        var root = fixture.user("ann", Role.MEMBER, "*");
        var old = make(root, "'capabilities':['*'],'expires_in_seconds':3600");
        var fresh = new Made(done(call(root, "AK_Rotate", "{'id':'%s','overlap_seconds':600}".formatted(old.id())))
                .envelope()
                .path("api_key")
                .asString());
        await().until(() -> call(old, "AK_Create", "{'name':'x','capabilities':['*']}")
                .error()
                .equals("not_permitted"));
        done(call(old, "AP_List", "{}"));
        refused(call(old, "AK_Rotate", "{'id':'%s'}".formatted(old.id())), "not_permitted", "use the new secret");
        refused(update(old, old, "'expires_in_seconds':1800"), "not_permitted", "use the new secret");
        done(update(fresh, old, "'expires_in_seconds':1800"));
        done(call(fresh, "AK_Rotate", "{'id':'%s'}".formatted(old.id())));
    }

    @Test
    void anAdminDoesNothingToAnOwnersKey() {
        var owner = fixture.user("owner", Role.OWNER, "*");
        var admin = fixture.user("root", Role.ADMIN, "*");
        var key = make(owner, "'capabilities':['agent:read','bank:read'],'expires_in_seconds':3600");
        for (var fields : List.of(
                "'capabilities':['*']",
                "'capabilities':['agent:read']",
                "'expires_in_seconds':7200",
                "'expires_in_seconds':1")) {
            refused(update(admin, key, fields), "not_permitted", "only an owner");
        }
        for (var service : List.of("AK_Rotate", "AK_Revoke", "AK_Delete")) {
            refused(call(admin, service, "{'id':'%s'}".formatted(key.id())), "not_permitted", "only an owner");
        }
        assertThat(record(owner, key).path("revision").asLong()).isEqualTo(1);
        done(call(owner, "AK_Revoke", "{'id':'%s'}".formatted(key.id())));
    }

    @Test
    void theLastKeyOfTheOwnersStays() {
        var owner = fixture.user("owner", Role.OWNER, "*");
        make(owner, "'capabilities':['*'],'parent':'%s'".formatted(owner.id()));
        make(owner, "'capabilities':['agent:read']");
        make(owner, "'capabilities':['*'],'toolset':['agent']");
        for (var service : List.of("AK_Revoke", "AK_Delete")) {
            refused(call(owner, service, "{'id':'%s'}".formatted(owner.id())), "conflict", "make another key first");
        }
        for (var fields : List.of("'expires_in_seconds':60", "'capabilities':['agent:read']", "'toolset':['bank']")) {
            refused(update(owner, owner, fields), "conflict", "make another key first");
        }
        done(update(owner, owner, "'name':'kept','confirm_destructive':true"));
        var second = make(owner, "'capabilities':['*']");
        var both = Concurrently.of(
                2,
                i -> call(
                        i == 0 ? owner : second, "AK_Revoke", "{'id':'%s'}".formatted((i == 0 ? owner : second).id())));
        assertThat(both.stream().map(Got::error)).containsExactlyInAnyOrder("", "conflict");
    }

    @Test
    void whatIsBeingNarrowedIsNotWidenedAgain() {
        var root = fixture.user("ann", Role.MEMBER, "*");
        var clerk = make(root, "'capabilities':['key:write','key:read']");
        var strong = make(root, "'capabilities':['*']");
        var narrow =
                "UPDATE api_key SET capabilities = '{bank:read,key:write}', toolset = '{bank,key}' WHERE id = :name";
        var got = WaitingCall.by(
                () -> sql(narrow, strong.id()),
                () -> update(clerk, strong, "'capabilities':['bank:read','bank:write']"));
        refused(got, "not_permitted", "lacks bank:read");
        assertThat(record(root, strong).path("capabilities").toString()).doesNotContain("bank:write");
        var maker = make(root, "'capabilities':['*']");
        refused(
                WaitingCall.by(
                        () -> sql(narrow, maker.id()),
                        () -> call(
                                maker, "AK_Create", "{'name':'x','capabilities':['agent:write'],'toolset':['key']}")),
                "not_permitted",
                "lacks agent:write");
    }
}
