package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.END;
import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.Lines;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hooks, waits and streams at one replica end, and tell nothing, when another replica revokes the key, makes the user a viewer,
 * or bans the agent; and another tenant hears nothing.
 */
@Tag("slow")
class ExcludedAgentsTest {
    private static final String EVENT = "{'hook_event_name':'UserPromptSubmit','session_id':'%s','prompt':'x'}";
    private static TestServer.Replica replica;

    private final HookFixture it = new HookFixture();

    @BeforeAll
    static void start() {
        replica = TestServer.replica();
    }

    @AfterAll
    static void stop() {
        replica.close();
    }

    private static CompletableFuture<Reply> begin(String key, String arguments) {
        return CompletableFuture.supplyAsync(
                () -> ClientApi.REST.call(replica.url(), key, "AP_Wait", HookFixture.object(arguments)),
                Executors.newVirtualThreadPerTaskExecutor());
    }

    private static void awaitWaiting(HookFixture of, long count) {
        await().until(() -> TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM wake WHERE tenant_id = :tenant AND kind = 'wait'")
                        .set("tenant", of.tenant.id(ClientApi.REST))
                        .one(row -> row.number("n"))
                        .orElseThrow()
                == count);
    }

    private static String hook(String key, String session) {
        var answer = HookFixture.post(replica.url(), key, "claude-code", EVENT.formatted(session));
        return answer.statusCode() + " " + answer.body();
    }

    /** All three end, and what is said afterwards is nowhere. */
    private void endsAll(String key, Runnable exclude, String status) {
        assertThat(hook(key, "h")).isEqualTo("200 {}");
        var wait = begin(key, "{'wait_seconds':300}");
        awaitWaiting(it, 1);
        try (var lines = Lines.of(replica.url(), key, "s")) {
            assertThat(lines.status()).isEqualTo(200);
            exclude.run();
            assertThat(lines.next()).isEqualTo(END);
            var refused = wait.join();
            assertThat(refused.text("/status/error")).isEqualTo("unauthenticated");
            it.say("secret");
            await("the refusal").until(() -> hook(key, "h").startsWith(status + " "));
            assertThat(hook(key, "h") + refused.envelope()).doesNotContain("Bert", "secret");
        }
    }

    @Test
    void aKeyThatIsRevoked() {
        var key = it.bound("Ada", "*");
        endsAll(
                key.text("/api_key"),
                () -> call(it.owner, "AK_Revoke", "{'id':'%s'}".formatted(key.text("/key/id"))),
                "401");
    }

    @Test
    void aViewer() {
        var vera = it.tenant.key(ClientApi.REST, "vera", Role.MEMBER, List.of("*"));
        call(vera, "AP_Create", "{'vx':{'name':'Vi','description':'d','access':'public'}}");
        var key = call(vera, "AK_Create", "{'name':'k','capabilities':['*'],'agent':'Vi'}")
                .text("/api_key");
        endsAll(
                key,
                () -> {
                    call(it.owner, "US_Update", "{'target':{'user':'vera'},'vx':{'access':'viewer'}}");
                    call(it.bert, "AP_Chat", "{'target':{'agent':'Vi'},'content':'secret'}");
                },
                "403");
    }

    @Test
    void anAgentThatIsBanned() {
        call(it.bert, "DM_Create", "{'vx':{'name':'Den','description':'d','access':'public'}}");
        call(it.ada, "DM_Invite", "{'target':{'domain':'Den','agent':'Ada'}}");
        call(it.bert, "DM_Invite", "{'target':{'domain':'Den','agent':'Bert'}}");
        assertThat(hook(it.ada, "h")).isEqualTo("200 {}");
        var there = begin(it.ada, "{'target':{'domain':'Den'},'wait_seconds':300}");
        var anywhere = begin(it.ada, "{'wait_seconds':300}");
        awaitWaiting(it, 2);
        try (var lines = Lines.of(replica.url(), it.ada, "s")) {
            assertThat(lines.status()).isEqualTo(200);
            call(it.bert, "DM_Ban", "{'target':{'domain':'Den','agent':'Ada'}}");
            assertThat(there.join().text("/status/error")).isEqualTo("conflict");
            call(it.bert, "AP_Chat", "{'target':{'domain':'Den','zone':'main'},'content':'secret'}");
            assertThat(hook(it.ada, "h")).isEqualTo("200 {}");
            direct("one"); // It is still an agent: only the domain is closed to it.
            assertThat(anywhere.join().ok().texts("/content", "content")).containsExactly("one");
            direct("two");
            assertThat(lines.next()).isEqualTo("1 1 new message from the user maria; read it with AP_Wait");
        }
    }

    private void direct(String text) {
        call(it.owner, "AP_Chat", "{'target':{'agent':'Ada'},'content':'%s'}".formatted(text));
    }

    @Test
    void anotherTenant() {
        var other = new HookFixture(); // Its agents and its session have the same names.
        var wait = begin(other.ada, "{'wait_seconds':300}");
        awaitWaiting(other, 1);
        try (var lines = Lines.of(replica.url(), other.ada, "s");
                var own = Lines.of(replica.url(), it.ada, "s")) {
            it.say("secret");
            assertThat(own.next()).startsWith("1 1 new message");
            assertThat(hook(other.ada, "h")).isEqualTo("200 {}");
            other.say("tide at six");
            assertThat(wait.join().ok().texts("/content", "content")).containsExactly("tide at six");
            other.say("tide at seven");
            assertThat(lines.next()).isEqualTo("1 1 new message from Bert; read it with AP_Wait");
        }
    }
}
