package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Invitations and joining: the tools through both endpoints, and the route that needs no credential. */
class JoinTest {
    private static final String CODE = "ej_[0-9A-Za-z]{28}";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller maria = tenant.member("maria");
    private final TestCaller rest = tenant.person(ClientApi.REST, "rosa", Role.MEMBER);

    private static Reply invite(TestCaller person, String fields) {
        return person.call("AK_Invite", "{%s}".formatted(fields));
    }

    private static String code(TestCaller person, String fields) {
        return invite(person, fields).ok().text("/invitation/code");
    }

    /** A response of the route. */
    private record Joined(int status, ObjectNode body) {
        String detail() {
            return body.path("detail").asString("");
        }

        String key() {
            return body.path("api_key").asString("");
        }
    }

    private static HttpResponse<byte[]> post(String body) {
        return ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/join"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
    }

    private static Joined join(String code) {
        return joined("{\"code\":%s,\"client\":\"claude-code\",\"host\":\"laptop\"}".formatted(Json.text(code)));
    }

    private static Joined joined(String body) {
        var response = post(body);
        return new Joined(response.statusCode(), Json.readObject(response.body()));
    }

    private static Reply as(String key, String service, String arguments) {
        var json = arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return ClientApi.REST.call(TestServer.url(), key, service, Json.readObject(json));
    }

    private static String narrow(TestCaller person, String capabilities) {
        return person.call("AK_Create", "{'name':'narrow','capabilities':[%s]}".formatted(capabilities))
                .ok()
                .text("/api_key");
    }

    @Test
    void theCodeIsShownOnceAndListedWithoutIt() {
        maria.call("MB_Create", "{'vx':{'name':'Notes','description':'d'}}").ok();
        maria.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        var made = invite(maria, """
                'agent':'Codex One','description':'Writes code.','banks':[{'bank':'notes','access':'append'}],'domains':['den'],
                'capabilities':['bank:read','agent:read'],'toolset':['agent','bank'],'expires_seconds':60""").ok();
        var code = made.text("/invitation/code");
        assertThat(code).matches(CODE);
        assertThat(made.text("/invitation/command")).matches("curl -fsS http://\\S+/join \\| sh -s -- " + CODE);
        assertThat(made.at("/invitation/new_agent").asBoolean()).isTrue();
        var listed = maria.call("AK_Invitations").ok();
        assertThat(listed.envelope().toString()).doesNotContain(code).doesNotContain("ej_");
        assertThat(listed.at("/invitations/0").toString().replace('"', '\'')).contains("""
                'agent':'Codex One','description':'Writes code.','banks':[{'bank':'notes','access':'append'}],'domains':['den'],\
                'capabilities':['agent:read','bank:read'],'toolset':['agent','bank'],'user':'maria'""");
        maria.call("AK_Uninvite", "{'id':'%s'}".formatted(listed.text("/invitations/0/id")))
                .ok();
        assertThat(maria.call("AK_Invitations").ok().at("/invitations")).isEmpty();
        maria.call("AK_Uninvite", "{'id':'%s'}".formatted(listed.text("/invitations/0/id")))
                .refused(3001, "no invitation");
    }

    @Test
    void anInvitationSaysWhetherItsAgentExistsAndNamesItsClient() {
        maria.call("AP_Create", "{'vx':{'name':'Known','description':'d'}}").ok();
        for (var named :
                List.of("claude:claude-code", "Claude-Code:claude-code", "codex-2:codex", "gemini:gemini-cli")) {
            var command = invite(maria, "'agent':'%s'".formatted(named.split(":")[0]))
                    .ok()
                    .text("/invitation/command");
            assertThat(command).contains(" sh -s -- --client " + named.split(":")[1] + " ej_");
        }
        var made = invite(maria, "'agent':'known'").ok();
        assertThat(made.at("/invitation/new_agent").asBoolean(true)).isFalse();
    }

    @Test
    void aRepeatedInvitationDoesNotShowTheCodeAgain() {
        var first = invite(maria, "'agent':'Ada','idempotency_key':'k'").ok();
        var second = invite(maria, "'agent':'Ada','idempotency_key':'k'").ok();
        assertThat(second.envelope().toString())
                .doesNotContain(first.text("/invitation/code"))
                .contains("told in the first answer only");
        assertThat(maria.call("AK_Invitations").ok().at("/invitations")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'agent':'Other'                                                    | 3002 | taken
            'agent':'Public'                                                   | 2003 | own user's agents
            'agent':'New','banks':[{'bank':'Nowhere','access':'read'}]         | 3001 | Nowhere
            'agent':'New','banks':[{'bank':'Open','access':'read'}]            | 2003 | manage
            'agent':'New','banks':[{'bank':'Open','access':'none'}]            | 1004 | read, append, write
            'agent':'New','banks':[{'bank':'Open'}]                            | 1003 | access
            'agent':'New','domains':['Nowhere']                                | 3001 | Nowhere
            'agent':'New','domains':['Theirs']                                 | 2003 | the domain's side
            'agent':'New','capabilities':['agents:read']                       | 1004 | did you mean agent:read
            'agent':'New','capabilities':[]                                    | 1003 | capabilities
            'agent':'New','toolset':['banks']                                  | 1004 | did you mean bank
            'agent':'New','expires_seconds':0                                  | 1004 | between 1
            'agent':'New','expires_seconds':604801                             | 1004 | 604800
            'agent':'a/b'                                                      | 1004 | slash
            'description':'d'                                                  | 1003 | agent
            """)
    void whatCannotBePromisedIsRefused(String fields, int code, String noted) {
        var owen = tenant.member("owen");
        owen.call("AP_Create", "{'vx':{'name':'Other','description':'d'}}").ok();
        owen.call("AP_Create", "{'vx':{'name':'Public','description':'d','access':'public'}}")
                .ok();
        owen.call("MB_Create", "{'vx':{'name':'Open','description':'d','access':'public'}}")
                .ok();
        owen.call("DM_Create", "{'vx':{'name':'Theirs','description':'d','access':'domain'}}")
                .ok();
        owen.call("DM_Invite", "{'target':{'domain':'Theirs','agent':'Public'}}")
                .ok();
        maria.call("AP_Create", "{'vx':{'name':'Mine','description':'d'}}").ok();
        owen.call("AP_Modify", "{'target':{'agent':'Public'},'vx':{'access':'public'}}")
                .ok();
        maria.call("DM_Invite", "{'target':{'domain':'Theirs','agent':'Mine'}}");
        if (fields.contains("Theirs")) {
            maria.call("AK_Invite", "{%s}".formatted(fields)).refused(3001);
            return; // It is not visible to her.
        }
        assertThat(invite(maria, fields).refused(code).note()).contains(noted);
        assertThat(maria.call("AK_Invitations").ok().at("/invitations")).isEmpty();
    }

    @Test
    void aKeyCannotPromiseMoreThanItHas() {
        rest.call("AP_Create", "{'vx':{'name':'Nemo','description':'d'}}").ok();
        var narrow = narrow(rest, "'key:read','key:write','agent:read','bank:read'");
        assertThat(as(narrow, "AK_Invite", "{'agent':'New'}").refused(2003).note())
                .contains("agent:write");
        as(narrow, "AK_Invite", "{'agent':'Nemo','capabilities':['bank:write']}")
                .refused(2003, "lacks bank:write");
        as(narrow, "AK_Invite", "{'agent':'Nemo'}").ok();
        var listed = as(narrow, "AK_Invitations", "{}").ok().at("/invitations/0/capabilities");
        assertThat(listed.toString()).isEqualTo("[\"agent:read\",\"bank:read\"]");
    }

    @Test
    void joiningCreatesAllThatTheInvitationNames() {
        rest.call("MB_Create", "{'vx':{'name':'Notes','description':'d'}}").ok();
        rest.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        var code = code(rest, """
                'agent':'Claude','description':'Writes code.','banks':[{'bank':'notes','access':'append'}],'domains':['den']""");
        var joined = join(code);
        assertThat(joined.status()).as(joined.toString()).isEqualTo(200);
        assertThat(joined.key()).matches("ek_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}");
        assertThat(joined.body().path("agent").asString()).isEqualTo("Claude");
        assertThat(joined.body().path("base_url").asString()).isEqualTo(TestServer.url());
        assertThat(joined.body().path("mcp_url").asString()).isEqualTo(TestServer.url());
        assertThat(joined.body().at("/commands/0").asString()).startsWith("claude mcp add");
        assertThat(joined.body().path("files").toString() + joined.body().path("commands"))
                .contains("ENGINE_KEY")
                .doesNotContain("ek_");
        var me = as(joined.key(), "US_Read", "{}").ok();
        assertThat(me.at("/context/self").toString() + me.at("/header")).contains("Claude");
        assertThat(as(joined.key(), "DM_Read", "{'target':{'domain':'Den'}}")
                        .ok()
                        .texts("/content", "agent"))
                .contains("Claude");
        as(joined.key(), "MB_Store", "{'target':{'bank':'Notes'},'content':'Low water at six.'}")
                .ok();
        as(joined.key(), "AP_LogOn", "{'target':{'agent':'Claude'}}").ok();
        var key = rest.call("AK_List").ok().at("/keys/0");
        assertThat(key.path("agent").asString()).isEqualTo("Claude");
        assertThat(key.path("name").asString()).isEqualTo("Claude Code on laptop");
        assertThat(rest.call("AK_Invitations").ok().at("/invitations")).isEmpty();
        var audit = tenant.person(ClientApi.REST, "boss", Role.OWNER)
                .call("AC_Audit")
                .ok()
                .at("/entries")
                .toString();
        assertThat(audit).contains("AK_Invite").doesNotContain("ej_").doesNotContain(joined.key());
    }

    @Test
    void unknownUsedExpiredWithdrawnAndMistypedCodesLookAlike() {
        var used = code(rest, "'agent':'Used'");
        assertThat(join(used).status()).isEqualTo(200);
        var expired = code(rest, "'agent':'Expired'");
        TestDatabase.db()
                .sql(
                        "UPDATE invitation SET expires_at = now() - interval '1 second' WHERE tenant_id = :tenant AND agent = 'Expired'")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        var withdrawn = invite(rest, "'agent':'Withdrawn'").ok();
        rest.call("AK_Uninvite", "{'id':'%s'}".formatted(withdrawn.text("/invitation/id")))
                .ok();
        var detail = join(used).detail();
        assertThat(detail).contains("ask for a new invitation");
        for (var code : List.of(
                used,
                expired,
                withdrawn.text("/invitation/code"),
                used.substring(0, 30) + (used.endsWith("A") ? "B" : "A"),
                "ej_",
                "x",
                "ek_aaaaaaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "'; DROP TABLE invitation; --",
                "ej_" + "é".repeat(28))) {
            var refused = join(code);
            assertThat(refused.status()).as(code).isEqualTo(404);
            assertThat(refused.detail()).as(code).isEqualTo(detail);
        }
        assertThat(rest.call("AK_List").ok().texts("/keys", "agent")).containsOnlyOnce("Used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"code\":\"ej_x\"}",
                "{\"client\":\"codex\"}",
                "{\"code\":\"ej_x\",\"client\":\"emacs\"}",
                "{\"code\":\"ej_x\",\"client\":\"\"}",
                "{\"code\":\"ej_x\",\"client\":\"CODEX\"}",
                "{\"code\":\"ej_x\",\"client\":\"../codex\"}",
                "{\"code\":\"ej_x\",\"client\":\"c\\u0000dex\"}",
                "{\"code\":\"ej_x\",\"client\":\"ｃｏｄｅｘ\"}",
                "{\"code\":\"ej_x\",\"client\":[\"codex\"]}",
                "{\"code\":7,\"client\":\"codex\"}",
                "{\"code\":\"ej_x\",\"client\":\"codex\",\"host\":\"\\ud800\"}",
                "{\"code\":\"ej_x\",\"client\":\"codex\",\"agent\":\"Other\"}",
                "[]",
                "{"
            })
    void hostileRequestsAreRefused(String body) {
        var refused = joined(body);
        assertThat(refused.status()).isIn(400, 422);
        assertThat(refused.detail()).isNotEmpty();
    }

    @Test
    void hugeFieldsAreRefusedAndOddHostsAreNot() {
        for (var field : List.of("code", "client", "host")) {
            var body = Json.object().put("code", "ej_x").put("client", "codex");
            assertThat(joined(Json.text(body.put(field, "x".repeat(300)))).status())
                    .as(field)
                    .isIn(413, 422);
        }
        for (var host : List.of(
                "", " ", "a\nb\tc", "ek_aaaaaaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaa", "é".repeat(255), "😀".repeat(60))) {
            var body = Json.object().put("code", code(rest, "'agent':'Host'")).put("client", "gemini-cli");
            var joined = joined(Json.text(body.put("host", host)));
            assertThat(joined.status()).as(host + joined).isEqualTo(200);
        }
        assertThat(rest.call("AK_List").ok().texts("/keys", "name"))
                .contains("Gemini CLI", "Gemini CLI on a b c", "Gemini CLI on ek_…");
    }

    @Test
    void ofTwinsOneWins() {
        var code = code(rest, "'agent':'Twin'");
        var work = Collections.nCopies(8, (Callable<Joined>) () -> join(code));
        var outcomes = Concurrently.all(work);
        assertThat(outcomes).extracting(Joined::status).containsOnlyOnce(200);
        assertThat(outcomes).extracting(Joined::status).containsOnly(200, 404);
        assertThat(rest.call("AK_List").ok().texts("/keys", "agent")).containsOnlyOnce("Twin");
    }

    @Test
    void whatTheInviterCannotDoAnyMoreUndoesEverything() {
        rest.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        rest.call("MB_Create", "{'vx':{'name':'Notes','description':'d'}}").ok();
        var code = code(rest, "'agent':'Late','domains':['Den'],'banks':[{'bank':'Notes','access':'read'}]");
        rest.call("MB_Destroy", "{'target':{'bank':'Notes'}}").ok();
        var refused = join(code);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.detail()).contains("Notes").contains("'rosa' for a new one");
        rest.call("AP_Read", "{'target':{'agent':'Late'}}").refused(3001);
        assertThat(rest.call("DM_Read", "{'target':{'domain':'Den'}}").ok().at("/content"))
                .isEmpty();
        assertThat(rest.call("AK_Invitations").ok().at("/invitations")).hasSize(1);
        rest.call("MB_Create", "{'vx':{'name':'Notes','description':'d'}}").ok();
        assertThat(join(code).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"AK_Revoke", "AK_Delete"})
    void anInvitationEndsWithTheKeyThatMadeIt(String end) {
        var made = rest.call("AK_Create", "{'name':'console','capabilities':['*']}")
                .ok();
        var code =
                as(made.text("/api_key"), "AK_Invite", "{'agent':'Gone'}").ok().text("/invitation/code");
        rest.call(end, "{'id':'%s'}".formatted(made.text("/key/id"))).ok();
        assertThat(join(code).status()).isEqualTo(404);
        rest.call("AP_Read", "{'target':{'agent':'Gone'}}").refused(3001);
    }

    @Test
    void anInvitationOfARemovedUserIsVoid() {
        var gone = tenant.person(ClientApi.REST, "gone", Role.MEMBER);
        var code = code(gone, "'agent':'Orphan'");
        tenant.person(ClientApi.REST, "boss", Role.ADMIN)
                .call("US_Remove", "{'target':{'user':'gone'}}")
                .ok();
        assertThat(join(code).status()).isEqualTo(404);
    }

    @Test
    void aBoundKeyInvitesOnlyForItsOwnAgentAndMakesAChild() {
        var joined =
                join(code(rest, "'agent':'Bound','capabilities':['key:read','key:write','agent:read','agent:write']"));
        as(joined.key(), "AK_Invite", "{'agent':'Another','capabilities':['agent:read']}")
                .refused(2003, "bound to another agent");
        var again = as(joined.key(), "AK_Invite", "{'agent':'Bound','capabilities':['agent:read']}")
                .ok();
        var child = join(again.text("/invitation/code"));
        assertThat(child.status()).as(child.toString()).isEqualTo(200);
        assertThat(rest.call("AK_List").ok().at("/keys/0/parent").asString())
                .isEqualTo(joined.key().substring(3, 15));
    }

    @Test
    void theScriptIsServedWithoutASecretAndWithoutACredential() {
        var response = ClientApi.send(
                HttpRequest.newBuilder(URI.create(TestServer.url() + "/join")).build());
        var script = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(script)
                .startsWith("#!/bin/sh")
                .doesNotContainPattern("e[jk]_[0-9A-Za-z]{6}")
                .doesNotContain("@BASE_URL@", "@MCP_URL@");
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
    }

    private static byte[] served(String path) {
        var response = ClientApi.send(
                HttpRequest.newBuilder(URI.create(TestServer.url() + path)).build());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    @Test
    void theArchiveOfThePluginHasTheFilesOfTheRepository() throws Exception {
        var archive = served("/join/workspace.zip");
        var files = new TreeMap<String, byte[]>();
        try (var zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), zip.readAllBytes());
            }
        }
        var folder = Repository.file("clients/workspace");
        var paths = Repository.files("clients/workspace", "").stream()
                .map(file -> folder.relativize(file).toString())
                .toList();
        assertThat(files.keySet()).containsExactlyInAnyOrderElementsOf(paths);
        for (var path : paths) {
            assertThat(files.get(path)).as(path).isEqualTo(Files.readAllBytes(folder.resolve(path)));
        }
        assertThat(served("/join/hook.sh")).isEqualTo(files.get("hook.sh"));
        assertThat(served("/join/listener.sh")).isEqualTo(files.get("listener.sh"));
        assertThat(served("/join/SKILL.md")).isEqualTo(files.get("skills/workspace/SKILL.md"));

        var source = Json.readObject(served("/join/marketplace.json")).at("/plugins/0/source");
        assertThat(source.path("url").asString()).isEqualTo(TestServer.url() + "/join/workspace.zip");
        assertThat(source.path("sha256").asString())
                .isEqualTo(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(archive)));
    }
}
