package io.agentworkspace.engine.identity.audit;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** AC_Audit reports who did what to which thing, from where, through which endpoint, with what result, and nothing more. */
@Tag("slow")
class AuditTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made boss = fixture.user("boss", Role.ADMIN, "*");
    private final Made ann = fixture.user("ann", Role.MEMBER, "*");

    private List<JsonNode> entries(String filters) {
        return done(call(boss, "AC_Audit", filters))
                .envelope()
                .path("entries")
                .valueStream()
                .toList();
    }

    private List<String> tools(String filters) {
        return entries(filters).stream()
                .map(entry -> entry.path("tool").asString() + " "
                        + entry.path("result").asString())
                .toList();
    }

    private JsonNode newest() {
        return entries("{}").getFirst();
    }

    private static Got over(CommandAddress way, Made key, String service, String arguments) {
        var headers = Map.of("User-Agent", "tide/1.2", "X-Request-Id", "r-" + way);
        return way.call(TestServer.url(), key.key(), service, arguments.replace('\'', '"'), headers);
    }

    @ParameterizedTest
    @CsvSource({"MCP, mcp", "ALIAS, rest", "GENERIC, rest", "INVOKE, rest"})
    void anEntryTellsWhoWhatWhereAndWhen(CommandAddress way, String api) {
        var before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        done(over(way, ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"));
        var entry = newest();
        var at = Instant.parse(entry.path("at").asString());
        assertThat(at).isBetween(before, Instant.now());
        var expected = Json.object()
                .put("at", at.toString())
                .put("user", "ann")
                .put("credential", "key")
                .put("key_id", ann.id())
                .put("key_name", "test")
                .put("tool", "AP_Create")
                .put("target_kind", "agent")
                .put("target", "Ada")
                .put("door", api)
                .put("address", "127.0.0.1")
                .put("client", "tide/1.2")
                .put("result", "done")
                .put("request_id", "r-" + way);
        expected.putArray("arguments").add("vx.description").add("vx.name");
        assertThat(entry).isEqualTo(expected);
    }

    @Test
    void anEntryNamesTheFieldsOfAnAgentThatWereChanged() {
        done(call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"));
        for (var i = 0; i < 2; i++) {
            done(call(ann, "AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'p','access':'public'}}"));
        }
        assertThat(entries("{'tool':'AP_Modify'}"))
                .extracting(entry -> entry.path("details").asString())
                .containsExactly("changed nothing", "changed profile, access");
    }

    @Test
    void clientsOfMcpAreCalledByTheirOwnName() {
        var body = """
                {'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'AP_Create',
                 'arguments':{'vx':{'name':'Ada','description':'d'}},
                 '_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28','io.modelcontextprotocol/clientCapabilities':{},
                          'io.modelcontextprotocol/clientInfo':{'name':'helm','version':'3'}}}}""";
        var version = "2026-07-28";
        route(
                ann,
                "POST",
                "/mcp",
                body,
                "MCP-Protocol-Version",
                version,
                "Mcp-Method",
                "tools/call",
                "Mcp-Name",
                "AP_Create");
        assertThat(newest().path("client").asString()).isEqualTo("helm 3");
    }

    /** The call, and its entry's thing, second agent and new name. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            AP_Update    {'target':{'agent':'ada'},'vx':{'name':'Eve','description':'d'}} | agent | ada | -  | Eve
            AP_Modify    {'vx':{'description':'x'}}                                       | agent | Ada | -  | -
            AP_LogOff    {}                                                               | agent | Ada | -  | -
            AP_Select    {'target':{'agent':'Bo'}}                                        | agent | Bo  | -  | -
            AP_Chat      {'target':{'agent':'Bo'},'content':'x'}                          | agent | Bo  | -  | -
            AP_Chat      {'content':'x','to_user':true}                                   | user  | ann | -  | -
            AP_Chat      {'target':{'domain':'den'},'content':'x'}                        | zone  | Den/main | - | -
            DM_Create    {'vx':{'name':'Dom','description':'d'}}                          | domain | Dom | - | -
            DM_Update    {'target':{'domain':'Den'},'vx':{'name':'Cave','description':'d'}} | domain | Den | - | Cave
            DM_Ban       {'target':{'domain':'Den','agent':'Bo'}}                         | domain | Den | Bo | -
            ZN_Create    {'target':{'domain':'Den'},'vx':{'name':'tea'}}                  | zone | Den/tea | - | -
            ZN_Enter     {'target':{'domain':'Den'}}                                      | zone | Den/main | - | -
            MB_Update    {'target':{'bank':'Box'},'vx':{'name':'Chest'}}                  | bank | Box | - | Chest
            MB_Store     {'target':{'bank':'Box','agent':'Bo'},'content':'x','vx':{'name':'m'}} | bank | Box | - | -
            MB_Permissions {'target':{'bank':'Box','agent':'Bo'},'vx':{'access':'read'}}  | bank | Box | Bo | -
            MB_Load      {'vx':{'name':'Box'}}                                            | bank | Box | - | -
            """)
    void theThingIsCalledByItsName(String call, String kind, String target, String member, String renamed) {
        for (var step : """
                AP_Create {'vx':{'name':'Ada','description':'d'}}
                AP_Create {'vx':{'name':'Bo','description':'d'}}
                AP_LogOn {'target':{'agent':'Ada'}}
                DM_Create {'vx':{'name':'Den','description':'d'}}
                MB_Create {'vx':{'name':'Box'}}""".lines().toList()) {
            done(call(ann, step.split(" ")[0], step.substring(step.indexOf(' '))));
        }
        var parts = call.split("\\s+", 2);
        done(call(ann, parts[0], parts[1]));
        var entry = newest();
        assertThat(entry.path("tool").asString()).isEqualTo(parts[0]);
        assertThat(entry.path("target_kind").asString()).isEqualTo(kind);
        assertThat(entry.path("target").asString(null)).isEqualTo(target);
        assertThat(entry.path("member").asString(null)).isEqualTo(member);
        assertThat(entry.path("renamed_to").asString(null)).isEqualTo(renamed);
        assertThat(entry.path("agent").asString()).isEqualTo(parts[0].equals("MB_Store") ? "Bo" : "Ada");
        assertThat(tools("{'target':'%s:%s','tool':'%s'}".formatted(kind, target.toUpperCase(), parts[0])))
                .containsExactly(parts[0] + " done");
    }

    @Test
    void aKeyIsCalledByItsIdAndAnAdminActsForAUser() {
        var key = make(ann, "'capabilities':['agent:read']");
        assertThat(newest().path("target_id").asString()).isEqualTo(key.id());
        assertThat(newest().path("target").asString()).isEqualTo("made");
        done(call(ann, "AK_Revoke", "{'id':'%s'}".formatted(key.id())));
        assertThat(tools("{'target':'key:%s'}".formatted(key.id())))
                .containsExactly("AK_Revoke done", "AK_Create done");
        done(call(boss, "AP_Create", "{'target':{'user':'ann'},'vx':{'name':'Ada','description':'d'}}"));
        assertThat(newest().path("user").asString()).isEqualTo("boss");
        assertThat(newest().path("acting_for").asString()).isEqualTo("ann");
        done(call(boss, "US_Update", "{'target':{'user':'ann'},'vx':{'access':'viewer'}}"));
        assertThat(newest().has("acting_for")).isFalse();
        assertThat(tools("{'target':'user:ann'}")).containsExactly("US_Update done");
    }

    /** Otherwise it would look like a censorship. */
    @Test
    void aDryRunIsMarkedAsOne() {
        done(call(ann, "MB_Create", "{'vx':{'name':'Box'}}"));
        done(call(ann, "MB_Censor", "{'target':{'bank':'Box'},'dry_run':true}"));
        assertThat(newest().path("dry_run").asBoolean()).isTrue();
        done(call(ann, "MB_Censor", "{'target':{'bank':'Box'},'dry_run':false}"));
        assertThat(newest().has("dry_run")).isFalse();
        // Command routes ignore the field where a harmless command does not have it.
        route(ann, "POST", "/demo/v1/Engine/tps/bank/uncensor", "{'target':{'bank':'Box'},'dry_run':true}");
        assertThat(newest().path("tool").asString()).isEqualTo("MB_Uncensor");
        assertThat(newest().has("dry_run")).isFalse();
    }

    @Test
    void whatWasRefusedShowsSoonWithItsReason() {
        var reader = make(ann, "'capabilities':['agent:read']");
        done(call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"));
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        call(ann, "AP_Destroy", "{'target':{'agent':'Nobody'}}");
        call(ann, "AP_Destroy", "{'target':{'agent':'Ada'},'if_revision':7}");
        call(ann, "AP_Update", "{'target':{'agent':'Ada'}}");
        call(reader, "AP_Destroy", "{'target':{'agent':'Ada'}}");
        await().untilAsserted(() -> assertThat(tools("{'user':'ann','result':'refused'}"))
                .containsExactlyInAnyOrder(
                        "AP_Create already_exists",
                        "AP_Destroy not_found",
                        "AP_Destroy conflict",
                        "AP_Update missing_field",
                        "AP_Destroy not_permitted"));
        assertThat(tools("{'result':'conflict'}")).containsExactly("AP_Destroy conflict");
        assertThat(tools("{'target':'agent:nobody'}")).containsExactly("AP_Destroy not_found");
        var entry = entries("{'result':'not_permitted'}").getFirst();
        assertThat(entry.path("key_id").asString()).isEqualTo(reader.id());
        assertThat(entry.path("key_name").asString()).isEqualTo("made");
        assertThat(entry.path("target").asString()).isEqualTo("Ada");
    }

    @Test
    void aRefusedAttemptToActForSomebodyTellsForWhom() {
        call(ann, "AP_Create", "{'target':{'user':'boss'},'vx':{'name':'Ada','description':'d'}}");
        var odd = "b\\u0007o\\n" + "x".repeat(300);
        call(ann, "AP_Destroy", "{'target':{'agent':'Ada','user':'%s'}}".formatted(odd));
        call(ann, "AP_Destroy", "{'target':{'agent':'Ada','user':'ANN'}}");
        await().until(() -> entries("{'user':'ann','result':'refused'}").size() == 3);
        var refused = entries("{'result':'not_permitted'}");
        assertThat(refused.stream().map(entry -> entry.path("acting_for").asString()))
                .contains("boss");
        assertThat(entries("{'user':'ann','result':'refused'}").stream()
                        .map(entry -> entry.path("acting_for").asString("")))
                .allMatch(user -> List.of("", "boss").contains(user) || user.matches("b o x{1,60}"));
        assertThat(entries("{'result':'not_found'}").getFirst().has("acting_for"))
                .isFalse();
    }

    @Test
    void signingInAndOutAndTokensAreInIt() {
        var start = route(ann, "POST", "/api/auth/session", "").response();
        var cookie = start.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        var csrf = Json.readObject(start.body()).path("csrf_token").asString();
        for (var step : List.of("POST /api/auth/token", "DELETE /api/auth/session")) {
            var request = HttpRequest.newBuilder(URI.create(TestServer.url() + step.replaceFirst(".* ", "")))
                    .method(step.replaceFirst(" .*", ""), HttpRequest.BodyPublishers.noBody())
                    .headers("Cookie", cookie, "X-CSRF-Token", csrf, "Sec-Fetch-Site", "same-origin")
                    .build();
            assertThat(ClientApi.send(request).statusCode()).isEqualTo(200);
        }
        var session = newest().path("target_id").asString();
        assertThat(tools("{'target':'session:%s'}".formatted(session)))
                .containsExactly("session.end done", "session.token done", "session.start done");
        var entry = entries("{'tool':'session.start','user':'ann'}").getFirst();
        assertThat(entry.path("key_id").asString()).isEqualTo(ann.id());
        assertThat(entry.path("address").asString()).isEqualTo("127.0.0.1");
    }

    @Test
    void readsAndReplaysAreNotInIt() {
        var arguments = "{'vx':{'name':'Ada','description':'d'},'idempotency_key':'once'}";
        done(call(ann, "AP_Create", arguments));
        assertThat(call(ann, "AP_Create", arguments).replayed()).isTrue();
        done(call(ann, "AP_List", "{}"));
        call(ann, "AP_Read", "{'target':{'agent':'Nobody'}}");
        call(ann, "MB_Permissions", "{'target':{'bank':'Nothing'}}");
        call(ann, "AP_Destroy", "{'target':{'agent':'Nobody'}}");
        await().until(() -> entries("{'target':'agent:Nobody'}").size() > 1);
        assertThat(tools("{}"))
                .as("of reads only those that were refused")
                .containsExactlyInAnyOrder(
                        "AP_Create done", "AP_Read not_found", "MB_Permissions not_found", "AP_Destroy not_found");
    }

    /** The names of arguments, and the note; never what they say. */
    @Test
    void anEntrySaysHowAndWhyItWasRefused() {
        var reader = make(ann, "'capabilities':['agent:read']");
        done(call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'Secret words of it'}}"));
        var refused = call(reader, "AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'Secret words of it'}}");
        call(reader, "MB_Search", "{'content':'Secret words of it'}");
        call(ann, "AP_Chat", "{'target':{'agent':'Ada'},'content':'Hi','reply_to':'Secret words of it'}");
        await().until(() -> entries("{'result':'refused'}").size() == 3);
        var entry = entries("{'tool':'AP_Modify'}").getFirst();
        assertThat(entry.path("note").asString()).isEqualTo(refused.note()).contains("agent:write");
        assertThat(entry.path("arguments").valueStream().map(JsonNode::asString))
                .containsExactly("target.agent", "vx.description");
        var read = entries("{'tool':'MB_Search'}").getFirst();
        assertThat(read.path("result").asString()).as("a refused read").isEqualTo("not_permitted");
        assertThat(read.path("arguments").valueStream().map(JsonNode::asString)).containsExactly("content");
        assertThat(entries("{}").toString()).doesNotContain("Secret");
        assertThat(entries("{'tool':'AP_Create'}").getFirst().has("note")).isFalse();
        var said = call(ann, "AP_Chat", "{'target':{'agent':'Ada'},'content':'Hi'}");
        assertThat(entries("{'tool':'AP_Chat','result':'done'}")
                        .getFirst()
                        .path("item")
                        .asString())
                .isEqualTo(said.envelope().at("/content/0/id").asString());
    }

    @Test
    void whatWasWrittenIsNotInIt() {
        var secret = make(ann, "'capabilities':['*']").key();
        for (var step : """
                done AP_Create {'vx':{'name':'Ada','description':'SECRET','profile':'SECRET'}}
                done AP_LogOn {'target':{'agent':'Ada'}}
                done AP_Chat {'content':'SECRET','to_user':true}
                done MB_Create {'vx':{'name':'Box','description':'SECRET'}}
                done MB_Store {'target':{'bank':'Box'},'content':'SECRET','vx':{'name':'SECRET','tags':['SECRET']}}
                invalid_field AP_Destroy {'target':{'agent':'SECRET, or not?'}}
                not_found AP_Destroy {'target':{'agent':'%1$s'}}
                not_found AK_Revoke {'id':'%1$s'}
                invalid_field AK_Create {'name':'%1$s','capabilities':['*']}
                invalid_field AK_Update {'id':'%2$s','name':'%1$s'}
                done AP_Add {'target':{'agent':'Ada'}}
                not_found AP_Destroy {'target':{'agent':'Nobody'},'idempotency_key':'SECRET'}""".formatted(secret, ann.id()).lines().toList()) {
            var words = step.split(" ", 3);
            var got = call(ann, words[1], words[2]);
            assertThat(got.error().isEmpty() ? "done" : got.error())
                    .as(step + got)
                    .isEqualTo(words[0]);
        }
        await().until(() -> entries("{'target':'agent:Nobody'}").size() == 1);
        var rows = TenantRows.all(fixture.tenant.id(ClientApi.REST), "audit").toString();
        assertThat(rows).contains("MB_Store", "ek_…").doesNotContain("SECRET", secret, secret.substring(16));
    }

    /** The entry is part of the transaction: if it cannot be written, nothing is changed. */
    @Test
    void neitherTheChangeNorItsEntryIsThereWithoutTheOther() {
        var db = TestDatabase.db();
        var tenant = fixture.tenant.id(ClientApi.REST);
        db.sql("ALTER TABLE audit ADD CONSTRAINT none_of_%1$d CHECK (tenant_id <> %1$d) NOT VALID".formatted(tenant))
                .run();
        try {
            assertThat(call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}")
                            .error())
                    .isEqualTo("internal");
        } finally {
            db.sql("ALTER TABLE audit DROP CONSTRAINT none_of_%d".formatted(tenant))
                    .run();
        }
        assertThat(call(ann, "AP_Read", "{'target':{'agent':'Ada'}}").error()).isEqualTo("not_found");
        done(call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"));
        assertThat(TenantRows.count(tenant, "agent")).isEqualTo(1);
    }

    @Test
    void pagesAndFiltersLeadThroughAllOfIt() {
        var eve = fixture.user("Eve", Role.MEMBER, "*");
        for (var i = 0; i < 12; i++) {
            done(call(i % 3 == 0 ? eve : ann, i % 2 == 0 ? "AP_Create" : "MB_Create", """
                    {'vx':{'name':'n%d','description':'d'}}""".formatted(i)));
        }
        var all = names(entries("{'page':{'limit':200}}"));
        assertThat(all)
                .isEqualTo(IntStream.iterate(11, i -> i >= 0, i -> i - 1)
                        .mapToObj(i -> "n" + i)
                        .toList());
        assertThat(paged("")).isEqualTo(all);
        assertThat(paged("'user':'eve',")).containsExactly("n9", "n6", "n3", "n0");
        assertThat(paged("'tool':'MB_Create',")).containsExactly("n11", "n9", "n7", "n5", "n3", "n1");
        assertThat(paged("'user':'Eve','tool':'MB_Create',")).containsExactly("n9", "n3");
        assertThat(paged("'result':'done','target':'bank:n9',")).containsExactly("n9");
        var fifth = entries("{'target':'bank:n5'}").getFirst().path("at").asString();
        var since = paged("'since':'%s',".formatted(fifth));
        var until = paged("'until':'%s',".formatted(fifth));
        assertThat(since).contains("n11", "n5");
        assertThat(until).contains("n0").doesNotContain("n5");
        since.addAll(until);
        assertThat(since).isEqualTo(all);
    }

    private static List<String> names(List<JsonNode> entries) {
        return entries.stream().map(entry -> entry.path("target").asString()).toList();
    }

    /** Returns all pages. */
    private List<String> paged(String filters) {
        var names = new ArrayList<String>();
        var cursor = "";
        do {
            var place = cursor.isEmpty() ? "" : ",'cursor':'" + cursor + "'";
            var answer = done(call(boss, "AC_Audit", "{" + filters + "'page':{'limit':5" + place + "}}"))
                    .envelope();
            names.addAll(names(answer.path("entries").valueStream().toList()));
            cursor = answer.path("next_cursor").asString("");
        } while (!cursor.isEmpty());
        return names;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'tool':'AP_Creat'}          | did you mean AP_Create
            {'result':'forbidden'}       | not_permitted
            {'target':'Ada'}             | agent:Ada
            {'target':'agent:'}          | agent:Ada
            {'since':'yesterday'}        | since
            {'page':{'cursor':'x'}}      | page.cursor
            """)
    void aFilterThatCannotFindAnythingIsExplained(String filters, String noted) {
        var refused = call(boss, "AC_Audit", filters);
        assertThat(refused.error()).isEqualTo("invalid_field");
        assertThat(refused.note()).contains(noted);
    }

    @Test
    void itIsForAdminsOfTheTenantWithTheCapability() {
        assertThat(call(ann, "AC_Audit", "{}").note()).contains("your role is 'member'", "'admin'");
        var other = make(boss, "'capabilities':['agent:read']");
        assertThat(call(other, "AC_Audit", "{}").note()).contains("account:read");
        done(call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"));
        var elsewhere = new KeyFixture().user("root", Role.OWNER, "*");
        assertThat(done(call(elsewhere, "AC_Audit", "{}")).envelope().path("entries"))
                .isEmpty();
        assertThat(done(route(boss, "GET", "/api/audit?tool=AP_Create&result=done&page.limit=1", ""))
                        .json()
                        .at("/entries/0/target")
                        .asString())
                .isEqualTo("Ada");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 90})
    void whatIsOlderThanItIsKeptIsClearedAway(int days) {
        var now = Instant.parse("2001-06-01T00:00:00Z"); // Nothing else is as old, so nothing else is deleted.
        var audit = new AuditStore(TestDatabase.db(), Duration.ofDays(days));
        var caller =
                new Caller(fixture.tenant.id(ClientApi.REST), "t", 1, "old", Role.MEMBER, Set.of("*"), "key:x", null);
        var life = Duration.ofDays(days);
        IntStream.range(0, 2_500)
                .forEach(i -> audit.refused(caller, entry(now.minus(life).minusSeconds(i + 1))));
        audit.refused(caller, entry(now.minus(life)));
        audit.refused(caller, entry(now));
        audit.flush(now);
        audit.purge(now);
        assertThat(entries("{'user':'old'}").stream()
                        .map(entry -> Instant.parse(entry.path("at").asString())))
                .containsExactly(now, now.minus(life));
    }

    private Caller keyed(String key) {
        return keyed(fixture.tenant.id(ClientApi.REST), key);
    }

    private static Caller keyed(long tenant, String key) {
        return new Caller(tenant, "t", 1, "flood", Role.MEMBER, Set.of("*"), "key:" + key, null);
    }

    @Test
    void theEntriesOfATenantWhoseWritingFailsDoNotHoldUpThoseOfOthers() {
        var audit = new AuditStore(TestDatabase.db(), Duration.ofDays(90));
        var unwritable = entry(Instant.now(), "\0");
        audit.refused(keyed(new TestTenant().id(ClientApi.REST), "k"), unwritable);
        audit.refused(keyed("k"), entry(Instant.now()));
        audit.refused(keyed(new TestTenant().id(ClientApi.REST), "k"), unwritable);
        for (var again = 0; again < 2; again++) {
            assertThatThrownBy(() -> audit.flush(Instant.now())).isInstanceOf(SqlFailure.class);
            assertThat(TenantRows.count(fixture.tenant.id(ClientApi.REST), "audit"))
                    .isOne();
        }
    }

    @Test
    void aFloodOfRefusalsIsCutOffAndKeepsTheRest() {
        var audit = new AuditStore(TestDatabase.db(), Duration.ofDays(90));
        IntStream.range(0, 10_500).forEach(i -> audit.refused(keyed("k" + i), entry(Instant.now())));
        audit.flush(Instant.now());
        assertThat(TenantRows.count(fixture.tenant.id(ClientApi.REST), "audit")).isEqualTo(10_000);
        audit.refused(keyed("x"), entry(Instant.now()));
        audit.flush(Instant.now());
        assertThat(TenantRows.count(fixture.tenant.id(ClientApi.REST), "audit")).isEqualTo(10_001);
    }

    @Test
    void ofAKeysRefusalsInAMinuteTheFirstHaveAnEntryEachAndTheOthersOneTogether() {
        var audit = new AuditStore(TestDatabase.db(), Duration.ofDays(90));
        var minute = Instant.parse("2002-06-01T12:00:00Z");
        IntStream.range(0, 1_000).forEach(i -> audit.refused(keyed("loud"), entry(minute.plusMillis(i))));
        audit.refused(keyed("quiet"), entry(minute));
        audit.flush(minute.plusSeconds(59));
        assertThat(TenantRows.count(fixture.tenant.id(ClientApi.REST), "audit")).isEqualTo(61);
        audit.flush(minute.plusSeconds(60));
        audit.flush(minute.plusSeconds(120));
        var entries = entries("{'user':'flood','page':{'limit':200}}");
        assertThat(entries).hasSize(62);
        assertThat(entries.getFirst().path("times").asInt()).isEqualTo(940);
        assertThat(entries.getFirst().path("at").asString()).isEqualTo("2002-06-01T12:00:00.999Z");
        assertThat(entries.stream().skip(1)).noneMatch(entry -> entry.has("times"));
        audit.refused(keyed("loud"), entry(minute.plusSeconds(60)));
        IntStream.range(0, 100)
                .forEach(i -> audit.refused(
                        keyed("loud"), entry(minute.plusSeconds(61).plusMillis(i))));
        audit.close(); // A replica that stops writes its sums.
        assertThat(entries("{'user':'flood'}").getFirst().path("times").asInt()).isEqualTo(41);
    }

    private static AuditEntry entry(Instant at) {
        return entry(at, "r");
    }

    private static AuditEntry entry(Instant at, String request) {
        var user = at.isBefore(Instant.parse("2002-01-01T00:00:00Z")) ? "old" : "flood";
        return AuditEntry.event(
                        AuditEvent.SESSION_START,
                        at,
                        new AuditEntry.Actor(user, "key", null),
                        new AuditEntry.Subject("agent", null, null),
                        RequestSource.NOWHERE,
                        request)
                .ruled("conflict", List.of());
    }
}
