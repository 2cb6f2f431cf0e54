package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.on;
import static io.agentworkspace.engine.testing.KeyFixture.record;
import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When keys were last used, by which program, and for what. */
@Tag("slow")
class KeyLastUseTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");
    private final Made key = make(root, "'capabilities':['*']");

    private void awaitClient(String client) {
        await().untilAsserted(() ->
                assertThat(record(root, key).path("last_client").asString("")).isEqualTo(client));
    }

    @Test
    void theLastUseIsKnownToTheMinuteWithItsProgram() {
        assertThat(record(root, key).has("last_used_at")).isFalse();
        done(CommandAddress.INVOKE.call(
                TestServer.url(), key.key(), "AP_List", "{}", Map.of("User-Agent", "nightly-report/1.2")));
        awaitClient("nightly-report/1.2");
        var at = record(root, key).path("last_used_at").asString();
        assertThat(at).endsWith(":00.000Z");
        assertThat(Instant.parse(at)).isBetween(Instant.now().minusSeconds(180), Instant.now());
    }

    @Test
    void clientsOfMcpAreKnownByTheirOwnName() {
        var modern = """
                {'jsonrpc':'2.0','id':1,'method':'tools/list','params':{
                 '_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28','io.modelcontextprotocol/clientCapabilities':{},
                          'io.modelcontextprotocol/clientInfo':{'name':'tide-watch','version':'3'}}}}""";
        route(key, "POST", "/mcp", modern, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list");
        awaitClient("tide-watch 3");
        var begin = """
                {'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':'2025-11-25','capabilities':{},
                 'clientInfo':{'name':'Käpt’n 日本 %s','version':'2.0'}}}""".formatted("x".repeat(200));
        var session = route(key, "POST", "/mcp", begin)
                .response()
                .headers()
                .firstValue("Mcp-Session-Id")
                .orElseThrow();
        var name = "Käpt’n 日本 " + "x".repeat(90);
        awaitClient(name);
        done(call(key, "AP_List", "{}"));
        await().until(() -> !record(root, key).path("last_client").asString("").equals(name));
        route(key, "POST", "/mcp", "{'jsonrpc':'2.0','id':1,'method':'ping'}", "Mcp-Session-Id", session);
        awaitClient(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\u0000b", "\\ud800", "\\u202eevil\\u202c", "x\\r\\ny", "'; DROP TABLE key_seen; --"})
    void aHostileNameStopsNothing(String name) {
        var modern = """
                {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{
                 "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
                          "io.modelcontextprotocol/clientInfo":{"name":"%s","version":"1"}}}}""".formatted(name);
        var sent = CommandAddress.MCP.send(
                key.key(),
                "",
                modern.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                Map.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"));
        assertThat(sent.status()).isEqualTo(200);
        await().until(() -> record(root, key).has("last_used_at"));
        assertThat(record(root, key).path("last_client").asString(""))
                .doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\\p{Cs}]");
    }

    /** MB_Permissions requires bank:read to report and bank:write to set. */
    @Test
    void whatOnlyReadsNeedsTheCapabilityToRead() {
        var reader = make(root, "'capabilities':['bank:read','agent:read']");
        assertThat(call(reader, "MB_Permissions", "{'target':{'bank':'none'}}").error())
                .isEqualTo("not_found");
        await().untilAsserted(() -> {
            var usage = done(call(root, "AK_Usage", "{'id':'%s'}".formatted(reader.id())))
                    .envelope();
            assertThat(usage.path("needed").toString()).isEqualTo("[\"bank:read\"]");
            assertThat(usage.path("never_needed").toString()).isEqualTo("[\"agent:read\"]");
        });
    }

    @Test
    void usesOnAllReplicasAreAddedUp() {
        try (var other = Replica.start(Map.of())) {
            Concurrently.of(10, i -> on(i % 2 == 0 ? TestServer.url() : other.url(), key, "AP_List"));
            done(on(other.url(), key, "DM_List"));
            assertThat(call(key, "DM_Read", "{}").error()).isEqualTo("no_context");
            await().untilAsserted(() -> {
                var usage = done(call(root, "AK_Usage", "{'id':'%s'}".formatted(key.id())))
                        .envelope();
                assertThat(usage.path("commands").toString().replaceAll(",\"last_used_at\":\"[^\"]*\"", ""))
                        .isEqualTo("""
                                [{"tool":"AP_List","calls":10},{"tool":"DM_List","calls":1},{"tool":"DM_Read","calls":1}]""");
                assertThat(usage.path("needed").toString()).isEqualTo("[\"agent:read\",\"domain:read\"]");
                assertThat(usage.path("never_needed").valueStream().map(Object::toString))
                        .contains("\"agent:write\"", "\"key:write\"")
                        .doesNotContain("\"agent:read\"", "\"*\"");
                assertThat(usage.path("days").asInt()).isEqualTo(30);
                assertThat(usage.path("daily")
                                .valueStream()
                                .mapToLong(day -> day.path("calls").asLong())
                                .sum())
                        .isEqualTo(12);
            });
        }
    }

    @Test
    void whatIsOlderThanThirtyDaysDoesNotCount() {
        TestDatabase.db().sql("""
                INSERT INTO key_usage (tenant_id, key_id, day, tool, calls, last_at)
                SELECT tenant_id, id, (now() AT TIME ZONE 'UTC')::date - d, 'MB_List', 7, now() - d * INTERVAL '1 day'
                  FROM api_key, unnest(ARRAY[29, 30, 40]) d WHERE id = :id
                """).set("id", key.id()).run();
        var usage =
                done(call(root, "AK_Usage", "{'id':'%s'}".formatted(key.id()))).envelope();
        assertThat(usage.at("/commands/0/calls").asLong()).isEqualTo(7);
        assertThat(usage.path("daily")
                        .valueStream()
                        .map(day -> day.path("calls").asLong()))
                .containsExactly(7L);
    }

    @Test
    void aKeyThatIsDeletedWhileItIsUsedTakesNoOtherUseAway() {
        var doomed = List.of(
                make(root, "'capabilities':['*']"),
                make(root, "'capabilities':['*']"),
                make(root, "'capabilities':['*']"));
        Concurrently.of(
                6,
                i -> i < 3
                        ? on(TestServer.url(), doomed.get(i), "AP_List")
                        : call(
                                root,
                                "AK_Delete",
                                "{'id':'%s'}".formatted(doomed.get(i - 3).id())));
        done(on(TestServer.url(), key, "AP_List"));
        await().untilAsserted(() -> assertThat(done(call(root, "AK_Usage", "{'id':'%s'}".formatted(key.id())))
                        .envelope()
                        .at("/commands/0/calls")
                        .asLong())
                .isEqualTo(1));
        for (var gone : doomed) {
            assertThat(TestDatabase.db()
                            .sql("SELECT count(*) FROM key_usage WHERE key_id = :id")
                            .set("id", gone.id())
                            .one(row -> row.number(1)))
                    .contains(0L);
        }
    }
}
