package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.testing.SkillZip;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** No response has more than 1 MiB of JSON, whatever is requested, and nothing is lost because of the limit. */
@Tag("slow")
class AnswerSizeTest {
    private static final int MOST = 1024 * 1024;

    /** Six bytes in JSON, and seven more where that JSON is inside a text. */
    private static final String CONTROL = "\u0001";

    private final TestTenant tenant = new TestTenant();

    /** A user of one endpoint, whose responses are all measured. */
    private record User(ClientApi api, String key) {
        ObjectNode call(String service, String arguments) {
            return call(service, Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
        }

        ObjectNode call(String service, ObjectNode arguments) {
            var envelope = answer(service, arguments);
            assertThat(envelope.at("/status/success").asBoolean(false))
                    .as("%s %s", service, envelope.path("status"))
                    .isTrue();
            return envelope;
        }

        private ObjectNode answer(String service, ObjectNode arguments) {
            if (api == ClientApi.REST) {
                return measured(ClientApi.post(TestServer.url() + ClientApi.path(service), key, Json.text(arguments))
                        .body());
            }
            var params = Json.object().put("name", service);
            params.set("arguments", arguments);
            var request = Json.object()
                    .put("jsonrpc", "2.0")
                    .put("id", "1")
                    .put("method", "tools/call")
                    .set("params", params);
            return McpResult.ofResponse(measured(ClientApi.post(TestServer.url() + "/mcp", key, Json.text(request))
                    .body()));
        }
    }

    private static ObjectNode measured(byte[] answer) {
        assertThat(answer.length).isLessThanOrEqualTo(MOST);
        return Json.readObject(answer);
    }

    private User user(ClientApi api, String name) {
        return new User(api, tenant.key(api, name, Role.MEMBER, List.of("*")));
    }

    private static ObjectNode stored(String bank, String text) {
        var arguments = Json.object().put("content", text);
        arguments.putObject("target").put("bank", bank);
        return arguments;
    }

    private static ObjectNode created(String name, String description, String profile) {
        var arguments = Json.object();
        arguments
                .putObject("vx")
                .put("name", name)
                .put("description", description)
                .put("profile", profile);
        return arguments;
    }

    /** Returns everything that a list contains, page by page. */
    private static List<JsonNode> paged(User user, String service, String target) {
        var all = new ArrayList<JsonNode>();
        var cursor = "";
        do {
            var answer =
                    user.call(service, "{'target':{%s},'page':{'limit':200,'cursor':'%s'}}".formatted(target, cursor));
            var rows = new ArrayList<JsonNode>();
            answer.path("content").forEach(rows::add);
            assertThat(rows).isNotEmpty();
            all.addAll(rows);
            cursor = answer.path("next_cursor").asString("");
        } while (!cursor.isEmpty());
        return all;
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aListEndsEarlyAndItsPagesGiveEveryRowOnce(ClientApi api) {
        var ann = user(api, "ann");
        ann.call("MB_Create", "{'vx':{'name':'b'}}");
        var ids = new ArrayList<String>();
        for (var text : List.of(
                CONTROL.repeat(64_000),
                "\"\\".repeat(32_000),
                "short",
                "x".repeat(64_000),
                "😀".repeat(64_000),
                CONTROL.repeat(64_000),
                "short")) {
            ids.add(ann.call("MB_Store", stored("b", text)).at("/memory/id").asString());
        }
        var read = paged(ann, "MB_Read", "'bank':'b'");
        assertThat(read.stream().map(memory -> memory.path("id").asString())).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(read).noneMatch(memory -> memory.has("truncated"));
        assertThat(read).anyMatch(memory -> memory.path("text").asString().equals(CONTROL.repeat(64_000)));
    }

    @Test
    void aBatchHasOneBudget() {
        var ann = user(ClientApi.MCP, "ann");
        ann.call("MB_Create", "{'vx':{'name':'b'}}");
        ann.call("MB_Store", stored("b", CONTROL.repeat(64_000)));
        var copies = TestDatabase.db()
                .sql("""
                INSERT INTO memory
                SELECT (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(),
                                              'created_at', m.created_at - n * INTERVAL '1 second'))).*
                  FROM memory m, generate_series(1, 199) n
                 WHERE m.tenant_id = :tenant
                """)
                .set("tenant", tenant.id(ClientApi.MCP))
                .run();
        assertThat(copies).isEqualTo(199);
        var talk = new RawMcpClient(TestServer.url() + "/mcp", ann.key()).session("2025-03-26", "{}");
        var batch = new ArrayList<String>();
        batch.add(talk.body("tools/call", "{'name':'US_Read','arguments':{}}"));
        for (var i = 0; i < 49; i++) {
            batch.add(talk.body(
                    "tools/call", "{'name':'MB_Read','arguments':{'target':{'bank':'b'},'page':{'limit':200}}}"));
        }
        var body = talk.post("[" + String.join(",", batch) + "]").body();
        assertThat(body.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(MOST);
        var answers = Json.read(body.getBytes(StandardCharsets.UTF_8));
        assertThat(answers.size()).isEqualTo(50);
        assertThat(answers.at("/0/result/structuredContent/status/success").asBoolean())
                .isTrue();
        assertThat(answers.at("/1/result/structuredContent/content").size()).isEqualTo(1);
        for (var i = 2; i < 50; i++) {
            assertThat(answers.get(i).at("/error/message").asString())
                    .contains("this call did not run", "1,048,576", "another batch");
        }
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void whatIsReadIsWhatIsMarkedAndASingleTextIsCut(ClientApi api) {
        var ann = user(api, "ann");
        ann.call("AP_Create", created("Ada", CONTROL.repeat(2_000), CONTROL.repeat(16_000)));
        var said = new ArrayList<String>();
        for (var i = 0; i < 4; i++) {
            var message = Json.object().put("content", i + CONTROL.repeat(63_999));
            message.putObject("target").put("agent", "Ada");
            said.add(ann.call("AP_Chat", message).at("/content/0/id").asString());
        }
        var on = ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}");
        assertThat(on.path("content").size()).isEqualTo(4);
        assertThat(on.at("/header/unread").asInt()).isEqualTo(4);
        var first = ann.call("AP_Read", "{'target':{'agent':'Ada'},'page':{'limit':200}}");
        assertThat(first.path("content").size()).isBetween(1, 3);
        // Messages newer than the oldest unread one come first: no unread one may be skipped.
        assertThat(first.at("/header/unread").asInt()).isEqualTo(4);
        assertThat(first.at("/profile/0/profile").asString()).hasSize(16_000);
        var read = paged(ann, "AP_Read", "'agent':'Ada'");
        assertThat(read.stream().map(message -> message.path("id").asString()))
                .containsExactlyInAnyOrderElementsOf(said);
        if (api == ClientApi.MCP) {
            assertThat(read)
                    .allMatch(message -> message.path("truncated").asBoolean(false)
                            && message.path("length").asInt() == 64_000
                            && message.path("content").asString().length() > 50_000);
        } else {
            assertThat(read).noneMatch(message -> message.has("truncated"));
        }
    }

    @Test
    void whatComesInIsReadInPartsAndNoneIsLost() {
        var ann = user(ClientApi.MCP, "ann");
        ann.call("AP_Create", created("Ada", "d", "p"));
        var said = new ArrayList<String>();
        for (var i = 0; i < 150; i++) {
            said.add(tellAda(ann, CONTROL.repeat(500)));
        }
        said.add(tellAda(ann, CONTROL.repeat(600)));
        var on = ann.call("AP_LogOn", "{'target':{'agent':'Ada'},'page':{'limit':200}}");
        assertThat(on.path("content").size()).isBetween(50, 149);
        assertThat(on.at("/content/0/content").asString()).isEqualTo(CONTROL.repeat(500));
        var heard = new ArrayList<String>();
        while (heard.size() < said.size()) {
            var more = ann.call("AP_Wait", "{'wait_seconds':0}");
            assertThat(more.path("content")).isNotEmpty();
            more.path("content").forEach(message -> heard.add(message.path("id").asString()));
            assertThat(more.at("/header/unread").asInt()).isEqualTo(said.size() - heard.size());
        }
        assertThat(heard).containsExactlyElementsOf(said);
    }

    private static String tellAda(User user, String text) {
        var message = Json.object().put("content", text);
        message.putObject("target").put("agent", "Ada");
        return user.call("AP_Chat", message).at("/content/0/id").asString();
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aDomainIsReadWithinTheBudget(ClientApi api) {
        var ann = user(api, "ann");
        ann.call("DM_Create", created("Den", CONTROL.repeat(2_000), CONTROL.repeat(16_000)));
        ann.call("ZN_Enter", "{'target':{'domain':'Den'}}");
        var said = new ArrayList<String>();
        for (var i = 0; i < 5; i++) {
            said.add(ann.call("AP_Chat", Json.object().put("content", CONTROL.repeat(64_000)))
                    .at("/content/0/id")
                    .asString());
        }
        var read = ann.call("DM_Read", "{'target':{'domain':'Den'}}");
        assertThat(read.path("messages").size()).isBetween(1, 4);
        assertThat(read.path("messages")
                        .valueStream()
                        .toList()
                        .getLast()
                        .path("id")
                        .asString())
                .isEqualTo(said.getLast());
        assertThat(paged(ann, "ZN_Read", "'domain':'Den'").stream()
                        .map(message -> message.path("id").asString()))
                .containsExactlyInAnyOrderElementsOf(said);
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void onlyAPReadHasThePersonaAndWritesCutLongTexts(ClientApi api) {
        var ann = user(api, "ann");
        var made = ann.call("AP_Create", created("Ada", "d".repeat(501), "p".repeat(16_000)));
        for (var answer : List.of(
                made,
                ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'public'}}"),
                ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}"),
                ann.call("AP_LogOff", "{}"),
                ann.call("AP_Remove", "{'target':{'agent':'Ada'}}"),
                ann.call("AP_Add", "{'target':{'agent':'Ada'}}"))) {
            assertThat(answer.at("/agent/profile").isMissingNode()).isTrue();
            assertThat(answer.at("/agent/profile_length").asInt()).isEqualTo(16_000);
            assertThat(answer.at("/agent/description").asString()).isEqualTo("d".repeat(500));
            assertThat(answer.at("/agent/truncated").asBoolean()).isTrue();
            assertThat(answer.at("/agent/length").asInt()).isEqualTo(501);
        }
        var listed = ann.call("AP_List", "{}").at("/profile/0");
        assertThat(listed.has("profile")).isFalse();
        assertThat(listed.path("profile_length").asInt()).isEqualTo(16_000);
        assertThat(listed.path("description").asString()).hasSize(501);
        var read = ann.call("AP_Read", "{'target':{'agent':'Ada'}}").at("/profile/0");
        assertThat(read.path("profile").asString()).hasSize(16_000);
        assertThat(read.has("profile_length") || read.has("truncated")).isFalse();

        ann.call("MB_Create", "{'vx':{'name':'b'}}");
        var kept = ann.call("MB_Store", stored("b", "😀".repeat(501))).path("memory");
        assertThat(kept.path("text").asString()).isEqualTo("😀".repeat(500));
        assertThat(kept.path("length").asInt()).isEqualTo(501);
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}");
        assertThat(ann.call("MB_Load", "{'vx':{'name':'b'}}")
                        .at("/content/0/text")
                        .asString())
                .isEqualTo("😀".repeat(501));
    }

    @Test
    void resourcesArePartOfIt() {
        var ann = user(ClientApi.MCP, "ann");
        ann.call("MB_Create", "{'vx':{'name':'b'}}");
        for (var i = 0; i < 3; i++) {
            ann.call("MB_Store", stored("b", CONTROL.repeat(64_000)));
        }
        var bank = read(ann, "engine://banks/b");
        assertThat(bank.at("/result/contents/0/text").asString()).contains("next_cursor");

        var root = new User(ClientApi.MCP, tenant.key(ClientApi.MCP, "root", Role.ADMIN, List.of("*")));
        var zip = SkillZip.of("long", "# Long").with("long.txt", "é".repeat(500_000));
        root.call("SK_Add", Json.object().put("archive", zip.base64()));
        var page = root.call("SK_Read", Json.object().put("name", "long").put("path", "long.txt"));
        assertThat(page.at("/file/truncated").asBoolean()).isTrue();
        assertThat(page.at("/file/length").asInt()).isEqualTo(500_000);
        assertThat(page.at("/file/text").asString().length()).isBetween(200_000, 300_000);
        assertThat(read(root, "skill://long/long.txt")
                        .at("/result/contents/0/text")
                        .asString())
                .hasSize(500_000);
    }

    private static ObjectNode read(User user, String uri) {
        var request = """
                {"jsonrpc":"2.0","id":"1","method":"resources/read","params":{"uri":"%s"}}""".formatted(uri);
        return measured(ClientApi.post(
                        TestServer.url() + "/mcp", user.key(), request.getBytes(StandardCharsets.UTF_8), Map.of())
                .body());
    }

    @Test
    void aLongAnswerIsKeptAsAReferenceToWhatItChanged() {
        var ann = user(ClientApi.REST, "ann");
        ann.call("AP_Create", created("Ada", "before", "p"));
        for (var i = 0; i < 50; i++) {
            var message = Json.object().put("content", CONTROL.repeat(600));
            message.putObject("target").put("agent", "Ada");
            ann.call("AP_Chat", message);
        }
        var logOn = "{'target':{'agent':'Ada'},'idempotency_key':'on'}";
        var first = ann.call("AP_LogOn", logOn);
        assertThat(first.path("content").size()).isEqualTo(50);
        ann.call("AP_Modify", "{'vx':{'description':'after'}}");
        var again = ann.call("AP_LogOn", logOn);
        assertThat(again.at("/status/rebuilt").asBoolean()).isTrue();
        assertThat(again.at("/status/note").asString()).contains("too long to keep", "as it is now");
        assertThat(again.at("/agent/description").asString()).isEqualTo("after");
        assertThat(again.path("changed").asBoolean()).isTrue();

        assertThat(kept("on")).isLessThan(4_096);
    }

    @Test
    void whatIsKeptIsBoundedForEachPrincipal() {
        var ann = user(ClientApi.REST, "ann");
        ann.call("AP_Create", created("Ada", "d", "p"));
        for (var i = 0; i < 10; i++) {
            var message = Json.object().put("content", CONTROL.repeat(600));
            message.putObject("target").put("agent", "Ada");
            ann.call("AP_Chat", message);
        }
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'},'idempotency_key':'small'}");
        assertThat(kept("small")).isGreaterThan(20_000);
        TestDatabase.db().sql("""
                INSERT INTO idempotency (tenant_id, principal, key, request_hash, answer, created_at)
                SELECT tenant_id, principal, 'k' || n, request_hash, repeat('x', 65000), created_at
                  FROM idempotency, generate_series(1, 258) n
                 WHERE tenant_id = :tenant
                """).set("tenant", tenant.id(ClientApi.REST)).run();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'},'idempotency_key':'full'}");
        assertThat(kept("full")).isLessThan(4_096);
        var again = ann.call("AP_LogOn", "{'target':{'agent':'Ada'},'idempotency_key':'full'}");
        assertThat(again.at("/status/rebuilt").asBoolean()).isTrue();
        assertThat(again.path("content").size()).isEqualTo(10);
        // Another principal has its own share.
        var bob = user(ClientApi.REST, "bob");
        bob.call("AP_Create", created("Bo", "d", "p"));
        bob.call(
                "AP_Create",
                "{'vx':{'name':'Bob','description':'%s'},'idempotency_key':'b'}".formatted("d".repeat(500)));
        assertThat(bob.call(
                                "AP_Create",
                                "{'vx':{'name':'Bob','description':'%s'},'idempotency_key':'b'}"
                                        .formatted("d".repeat(500)))
                        .at("/status/rebuilt")
                        .isMissingNode())
                .isTrue();
    }

    /** Returns the stored bytes of the response under this key of the tenant. */
    private long kept(String key) {
        return TestDatabase.db()
                .sql("SELECT bytes FROM idempotency WHERE tenant_id = :tenant AND key = :key")
                .set("tenant", tenant.id(ClientApi.REST))
                .set("key", key)
                .one(row -> row.number("bytes"))
                .orElseThrow();
    }
}
