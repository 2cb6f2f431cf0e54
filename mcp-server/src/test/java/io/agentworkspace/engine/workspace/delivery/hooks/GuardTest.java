package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.object;
import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What Ada's hooks answer before she writes what Bert has reserved, and how events renew what she holds. */
class GuardTest {
    private static final String EDIT =
            "{'hook_event_name':'%s','session_id':'s','cwd':'/home/u/boat','tool_name':'Edit','tool_input':{%s}}";

    private final HookFixture it = new HookFixture();

    private void yard() {
        call(it.owner, "DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}");
        for (var agent : List.of("Ada", "Bert")) {
            call(it.owner, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
    }

    private String command(String client, String name, String text) {
        var event = object(EDIT.formatted(name, "")).put("tool_name", "Bash");
        event.withObjectProperty("tool_input").put("command", text);
        return it.hook(client, event.toString()).toString();
    }

    @Test
    void aCommandThatWritesIsRefusedOneThatMayWriteIsToldOnceAndOneThatReadsIsLeftAlone() {
        yard();
        call(it.bert, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/api/**']}");
        assertThat(command("claude-code", "PreToolUse", "sed -i s/a/b/ src/api/x.ts"))
                .contains("\"permissionDecision\":\"deny\"", "Bert has reserved \\\"src/api/**\\\"");
        assertThat(command("gemini-cli", "BeforeTool", "rm -rf src")).startsWith("{\"decision\":\"deny\"");
        assertThat(command("codex", "PreToolUse", "git apply fix.patch"))
                .contains("additionalContext", "This command may write files that others have reserved")
                .doesNotContain("permissionDecision");
        assertThat(command("codex", "PreToolUse", "git stash")).isEqualTo("{}");
        assertThat(command("claude-code", "PreToolUse", "cat src/api/x.ts > /tmp/x"))
                .isEqualTo("{}");
    }

    /** A sub-agent has the name of its type. What it has reserved itself, and what its parent has, does not stop it. */
    @Test
    void aSubAgentIsRefusedWhatItsSiblingHoldsAndNotItsOwn() {
        yard();
        var id = call(it.owner, "AK_List", "{}")
                .at("/keys")
                .valueStream()
                .filter(key -> key.path("agent").asString("").equals("Ada"))
                .map(key -> key.path("id").asString(""))
                .findFirst()
                .orElseThrow();
        for (var name : List.of("explore", "plan")) {
            call(it.ada, "AP_Create", "{'vx':{'name':'%s','description':'d'},'parent':'Ada'}".formatted(name));
            call(it.ada, "DM_Invite", "{'target':{'domain':'Yard','agent':'Ada/%s'}}".formatted(name));
            var key = call(
                            it.ada,
                            "AK_Create",
                            "{'name':'k','capabilities':['*'],'agent':'Ada/%s','parent':'%s'}".formatted(name, id))
                    .text("/api_key");
            call(key, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['of-%s']}".formatted(name));
        }
        call(it.ada, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['of-ada']}");
        var event = EDIT.replace("'cwd'", "%s'cwd'");
        var explore = "'agent_id':'a1','agent_type':'Explore',";
        assertThat(it.hook("claude-code", event.formatted("PreToolUse", explore, "'file_path':'of-explore'")))
                .isEmpty();
        assertThat(it.hook("claude-code", event.formatted("PreToolUse", explore, "'file_path':'of-ada'")))
                .isEmpty();
        assertThat(it.hook("claude-code", event.formatted("PreToolUse", explore, "'file_path':'of-plan'"))
                        .toString())
                .contains("Ada/plan has reserved");
        assertThat(it.hook("claude-code", event.formatted("PreToolUse", "", "'file_path':'of-explore'"))
                        .toString())
                .contains("Ada/explore has reserved");
    }

    /** The files are far more than the ones that are compared, and each reservation is as much work as one can be. */
    @Test
    void anEventOfManyFilesIsAnsweredWithNothingWhenItsStepsAreUsedUp() {
        yard();
        call(it.bert, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['x']}");
        TestDatabase.db().sql("""
                        INSERT INTO reservation (tenant_id, id, domain_id, repository, path, holder_id, lease_until, created_at)
                        SELECT tenant_id, gen_random_uuid(), domain_id, '', repeat('{b,a*}', 48) || i || '[x]', holder_id, lease_until, created_at
                          FROM reservation, generate_series(1, 1900) i WHERE tenant_id = :tenant
                        """).set("tenant", it.tenant.id(ClientApi.REST)).run();
        var lines = IntStream.range(0, 20_000)
                .mapToObj(i -> "*** Update File: " + "ab".repeat(10) + i)
                .collect(Collectors.joining("\\n"));
        assertThat(it.hook("codex", EDIT.formatted("PreToolUse", "'patch':'%s'".formatted(lines))))
                .isEmpty();
        assertThat(it.hook("codex", EDIT.formatted("PreToolUse", "'file_path':'x'")))
                .isNotEmpty();
    }

    private String lease(String table) {
        return TestDatabase.db()
                .sql("SELECT CAST(lease_until > now() + INTERVAL '9 minutes' AS text) AS late FROM " + table
                        + " WHERE tenant_id = :tenant AND holder_id IS NOT NULL")
                .set("tenant", it.tenant.id(ClientApi.REST))
                .one(row -> row.text("late"))
                .orElseThrow();
    }

    @Test
    void anyEventOfAHolderRenewsItsLeases() {
        yard();
        call(it.ada, "TK_Create", "{'target':{'domain':'Yard'},'vx':{'name':'caulk'}}");
        call(it.ada, "TK_Claim", "{'target':{'domain':'Yard'},'next':true,'lease_seconds':600}");
        call(it.ada, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['a'],'lease_seconds':600}");
        for (var table : List.of("task", "reservation")) {
            TestDatabase.db()
                    .sql("UPDATE " + table + " SET lease_until = now() + INTERVAL '1 minute' WHERE tenant_id = :tenant"
                            + " AND holder_id IS NOT NULL")
                    .set("tenant", it.tenant.id(ClientApi.REST))
                    .run();
            assertThat(lease(table)).isEqualTo("false");
        }
        post(it.bert, "claude-code", "{'hook_event_name':'Other','session_id':'b'}");
        it.hook("claude-code", "{'hook_event_name':'SomethingNew','session_id':'s'}");
        await().until(() -> lease("task").equals("true") && lease("reservation").equals("true"));
    }
}
