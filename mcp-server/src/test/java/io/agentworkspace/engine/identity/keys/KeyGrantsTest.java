package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.record;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nobody can grant, or get, more permissions than they have. */
class KeyGrantsTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");

    private static void refused(Got got, String... noted) {
        assertThat(got.error()).as(got.toString()).isEqualTo("not_permitted");
        assertThat(got.note()).contains(noted);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "capabilities":["agent:read","key:write"],"toolset":["agent","key"] |
            "capabilities":["agent:write"]                            | lacks agent:write
            "capabilities":["*"]                                      | lacks *
            "capabilities":["agent:read"],"toolset":["bank"]          | limited to the toolset agent, key
            "capabilities":["agent:read"],"toolset":["all"]           | limited to the toolset agent, key
            "capabilities":["agent:read"],"confirm_destructive":false | asks before something is destroyed
            "capabilities":["agent:read"],"expires_at":"2100-01-01T00:00:00Z" | ends at 2099
            """)
    void aKeyIsGivenNoMoreThanItsMakerHas(String fields, String lacking) {
        var maker = make(root, """
                'capabilities':['agent:read','key:read','key:write'],'toolset':['agent','key'],'confirm_destructive':true,
                'expires_at':'2099-01-01T00:00:00Z'""");
        var got = call(maker, "AK_Create", "{'name':'x'," + fields + "}");
        if (lacking == null) {
            var key = done(got).envelope().get("key");
            assertThat(key.path("toolset").toString()).isEqualTo("[\"agent\",\"key\"]");
            assertThat(key.path("confirm_destructive").asBoolean()).isTrue();
            assertThat(key.path("expires_at").asString()).startsWith("2099");
            return;
        }
        refused(got, "a key can't be given more than yours has", lacking, "admin");
    }

    @Test
    void whatIsNotGivenAKeyHasFromItsMaker() {
        var maker = make(
                root,
                "'capabilities':['key:write','agent:read'],'toolset':['key','agent','discovery'],'expires_in_seconds':3600");
        var made = record(root, make(maker, "'capabilities':['agent:read']"));
        assertThat(made.path("toolset").toString()).isEqualTo("[\"agent\",\"key\",\"discovery\"]");
        assertThat(made.path("expires_at")).isEqualTo(record(root, maker).path("expires_at"));
    }

    @Test
    void nobodyRotatesAKeyThatHasMore() {
        var clerk = make(root, "'capabilities':['key:read','key:write']");
        refused(call(clerk, "AK_Rotate", "{'id':'%s'}".formatted(root.id())), "lacks *");
        var less = make(root, "'capabilities':['key:read']");
        done(call(clerk, "AK_Rotate", "{'id':'%s'}".formatted(less.id())));
    }

    @Test
    void narrowingIsForEverybodyWhoManagesTheKey() {
        var clerk = make(root, "'capabilities':['key:read','key:write']");
        var strong = make(root, "'capabilities':['*']");
        done(call(clerk, "AK_Update", "{'id':'%s','name':'renamed','environment':'x'}".formatted(strong.id())));
        done(call(
                clerk,
                "AK_Update",
                "{'id':'%s','capabilities':['bank:read','bank:write'],'toolset':['bank'],'confirm_destructive':true}"
                        .formatted(strong.id())));
        done(call(clerk, "AK_Update", "{'id':'%s','capabilities':['bank:read']}".formatted(strong.id())));
        refused(
                call(
                        clerk,
                        "AK_Update",
                        "{'id':'%s','capabilities':['bank:read','bank:write']}".formatted(strong.id())),
                "lacks bank:read, bank:write");
        done(call(
                root,
                "AK_Update",
                "{'id':'%s','capabilities':['*'],'toolset':['all'],'confirm_destructive':false}"
                        .formatted(strong.id())));
    }

    @Test
    void aKeyDoesNotProlongItself() {
        var brief = make(root, "'capabilities':['key:write'],'expires_in_seconds':3600");
        refused(call(brief, "AK_Update", "{'id':'%s','expires_in_seconds':7200}".formatted(brief.id())), "ends at");
        done(call(brief, "AK_Update", "{'id':'%s','expires_in_seconds':60}".formatted(brief.id())));
        done(call(root, "AK_Update", "{'id':'%s','expires_in_seconds':7200}".formatted(brief.id())));
    }

    /** A replica may cache an ended key for up to a second. */
    @Test
    void aKeyThatHasJustEndedLeavesNoneBehind() {
        var maker = make(root, "'capabilities':['*']");
        var clerk = make(root, "'capabilities':['key:write']");
        var db = TestDatabase.db();
        var user = db.sql("SELECT user_id FROM api_key WHERE id = :id")
                .set("id", maker.id())
                .one(row -> row.number("user_id"))
                .orElseThrow();
        var credential = new Credential(maker.id(), false, Toolset.EVERYTHING, false, null, false);
        var remembered = new Caller(
                fixture.tenant.id(ClientApi.REST),
                "t",
                user,
                "ann",
                Role.MEMBER,
                Set.of("*"),
                "key:x",
                null,
                credential);
        var runner = TestDatabase.runner(db);
        var attempts = Map.of(
                "AK_Create", "{'name':'x','capabilities':['*']}",
                "AK_Rotate", "{'id':'%s'}".formatted(root.id()),
                "AK_Update", "{'id':'%s','capabilities':['*']}".formatted(root.id()));
        for (var error : List.of("", "unauthenticated")) {
            attempts.forEach((service, arguments) -> {
                var input = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
                var answer = runner.run(new ToolRunner.Request(service, input, remembered, "r", true, null));
                assertThat(answer.envelope().at("/status/error").asString(""))
                        .as(service)
                        .isEqualTo(error);
            });
            done(call(clerk, "AK_Revoke", "{'id':'%s'}".formatted(maker.id())));
        }
    }

    /** The limit for one user leaves room for the others. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            200   | NULL                           | 200 keys of this user     | revoke
            2,000 | CAST('2020-01-01' AS timestamptz) | 2,000 keys of this user   | delete
            """)
    void aMemberHasAShareOfThem(String most, String revoked, String noted, String advice) {
        var boss = fixture.user("boss", Role.ADMIN, "*");
        TestDatabase.db()
                .sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at, revoked_at)
                SELECT tenant_id, lpad(n::text, 7, '0') || right(id, 5), secret_hash, user_id, 'bulk', capabilities, created_at, %s
                  FROM api_key, generate_series(1, :more) n WHERE id = :id
                """.formatted(revoked))
                .set("more", Long.parseLong(most.replace(",", "")) - 1)
                .set("id", root.id())
                .run();
        var create = "{'name':'x','capabilities':['agent:read']%s}";
        for (var key : List.of(root, boss)) {
            var full = call(key, "AK_Create", create.formatted(",'target':{'user':'ann'}"));
            assertThat(full.error()).isEqualTo("conflict");
            assertThat(full.note()).contains(noted, advice);
        }
        done(call(boss, "AK_Create", create.formatted("")));
        done(call(fixture.user("bob", Role.MEMBER, "*"), "AK_Create", create.formatted("")));
    }

    @Test
    void aTenantHasAThousandKeysInUseAtMost() {
        var root = fixture.user("boss", Role.ADMIN, "*");
        var have = TenantRows.count(fixture.tenant.id(ClientApi.REST), "api_key");
        TestDatabase.db().sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
                SELECT tenant_id, lpad(n::text, 7, '0') || right(id, 5), secret_hash, user_id, 'bulk', capabilities, created_at
                  FROM api_key, generate_series(1, :more) n WHERE id = :id
                """).set("more", 999L - have).set("id", root.id()).run();
        var two = Concurrently.of(2, _ -> call(root, "AK_Create", "{'name':'x','capabilities':['*']}"));
        assertThat(two.stream().map(Got::error)).containsExactlyInAnyOrder("", "conflict");
        var full = call(root, "AK_Create", "{'name':'x','capabilities':['*']}");
        assertThat(full.note()).contains("1,000 keys", "revoke");
        var last = two.stream().filter(got -> got.error().isEmpty()).findFirst().orElseThrow();
        done(call(
                root,
                "AK_Revoke",
                "{'id':'%s'}".formatted(last.envelope().at("/key/id").asString())));
        done(call(root, "AK_Create", "{'name':'x','capabilities':['*']}"));
    }

    @Test
    void anExpiredKeyStops() {
        var brief = make(root, "'capabilities':['*'],'expires_in_seconds':2");
        done(call(brief, "AK_List", "{}"));
        org.awaitility.Awaitility.await()
                .until(() -> call(brief, "AK_List", "{}").error().equals("unauthenticated"));
        assertThat(Instant.parse(record(root, brief).path("expires_at").asString()))
                .isBefore(Instant.now());
        assertThat(record(root, brief).path("state").asString()).isEqualTo("expired");
        assertThat(call(root, "AK_Rotate", "{'id':'%s'}".formatted(brief.id())).note())
                .contains("AK_Update");
        done(call(root, "AK_Update", "{'id':'%s','expires_in_seconds':3600}".formatted(brief.id())));
        org.awaitility.Awaitility.await()
                .until(() -> call(brief, "AK_List", "{}").error().isEmpty());
    }
}
