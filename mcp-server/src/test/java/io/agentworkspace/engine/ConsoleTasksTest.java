package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tasks in the console, which {@code console-tasks.mjs} does in real Chromium; then the server is asked what became of them. */
@Tag("slow")
class ConsoleTasksTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static TestTenant tenant;
    private static Steps steps;
    private static final int NOT_PERMITTED = 2003;

    /** More than one page of MB_Read. */
    private static final int LOGGED = 201;

    /** A cell of a CSV file, in quotation marks or without. */
    private static final Pattern CELL = Pattern.compile("(?:\"((?:[^\"]|\"\")*)\"|([^,\"\r\n]*))(,|\r?\n|$)");

    private static final String FORMULA = "=HYPERLINK(\"http://127.0.0.1:9/\",\"<b>click</b>\")";
    private static final String DOCUMENT = "@SUM(1), \"two\" <img src=x onerror=alert(1)>.txt";

    private static String owner;
    private static String wide;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        var member = tenant.key(ClientApi.REST, "mia", Role.MEMBER, List.of("*"));
        var nina = tenant.key(ClientApi.REST, "nina", Role.MEMBER, List.of("*"));
        fill(member, nina);
        steps = Chromium.play(
                Map.of("OWNER_KEY", owner, "MEMBER_KEY", member),
                "console-tasks.mjs",
                TestServer.url(),
                SCREENSHOTS.toString());
    }

    private static void fill(String member, String nina) {
        call(owner, "AP_Create", "{'vx':{'name':'Ada','description':'Hosts.'}}").ok();
        call(member, "AP_Create", "{'vx':{'name':'Mo','description':'Joins.','access':'public'}}")
                .ok();
        call(owner, "AP_Add", "{'target':{'agent':'Mo'}}").ok();
        call(
                        owner,
                        "DM_Create",
                        "{'target':{'agent':'Ada'},'vx':{'name':'plaza','description':'For all.','access':'public'}}")
                .ok();
        var dora = tenant.key(ClientApi.REST, "dora", Role.MEMBER, List.of("*"));
        call(dora, "AP_Create", "{'vx':{'name':'Doa','description':'Invites.'}}")
                .ok();
        call(dora, "DM_Create", "{'target':{'agent':'Doa'},'vx':{'name':'study','description':'For few.'}}")
                .ok();
        call(dora, "DM_Invite", "{'target':{'domain':'study','agent':'Mo'}}").ok();
        call(owner, "MB_Create", "{'target':{'agent':'Ada'},'vx':{'name':'notes'}}")
                .ok();
        fillLog(member);
        call(
                        owner,
                        "AP_Create",
                        "{'vx':{'name':'Rex','description':'Guards.','profile':'You are Rex.\\n<b>日本</b>\\nBark.','access':'public'}}")
                .ok();
        for (var change : List.of(
                "'profile':'You are Rex.\\n<i>🐕</i>\\nBark.'",
                "'description':'Sleeps.'",
                "'access':'domain'",
                "'access':'public'")) {
            call(owner, "AP_Modify", "{'target':{'agent':'Rex'},'vx':{%s}}".formatted(change))
                    .ok();
        }
        wide = call(owner, "AK_Create", "{'name':'too wide','capabilities':['agent:read','agent:write','bank:read']}")
                .ok()
                .text("/api_key");
        call(wide, "AP_List", "{}").ok();
        TestDatabase.db()
                .sql(
                        "UPDATE api_key SET created_at = created_at - INTERVAL '8 days' WHERE tenant_id = :tenant AND name = 'too wide'")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        var young = call(owner, "AK_Create", "{'name':'young','capabilities':['agent:read','agent:write','bank:read']}")
                .ok()
                .text("/api_key");
        call(young, "AP_List", "{}").ok();
        var made = Json.object().put("name", FORMULA);
        made.putArray("capabilities").add("*");
        var named = ClientApi.REST
                .call(TestServer.url(), nina, "AK_Create", made)
                .ok()
                .text("/api_key");
        call(named, "AP_Create", "{'vx':{'name':'-Nan','description':'d'}}").ok();
        ClientApi.REST
                .call(
                        TestServer.url(),
                        named,
                        "DC_Submit",
                        Json.object().put("name", DOCUMENT).put("text", "Low water at six."))
                .ok();
    }

    /** More memories than a page has, and two that one command hides: a false one, and another that comes from it. */
    private static void fillLog(String member) {
        call(owner, "MB_Create", "{'vx':{'name':'copies'}}").ok();
        call(owner, "MB_Create", "{'target':{'agent':'Ada'},'vx':{'name':'log'}}")
                .ok();
        for (var i = 0; i < LOGGED; i++) {
            call(
                            owner,
                            "MB_Store",
                            "{'target':{'bank':'log'},'content':'Tide %d:\\nlow \u2028 <b>🌊</b>'}".formatted(i))
                    .ok();
        }
        call(owner, "MB_Permissions", "{'target':{'bank':'log','agent':'Mo'},'vx':{'access':'append'}}")
                .ok();
        var untrue = call(member, "MB_Store", "{'target':{'bank':'log','agent':'Mo'},'content':'false'}")
                .ok()
                .text("/memory/id");
        call(owner, "MB_Store", "{'target':{'bank':'log'},'content':'derived','derived_from':['%s']}".formatted(untrue))
                .ok();
        assertThat(call(owner, "MB_Censor", "{'target':{'bank':'log','agent':'Mo'}}")
                        .ok()
                        .number("/hidden"))
                .isEqualTo(2);
    }

    private static Reply call(String key, String tool, String arguments) {
        return TestCaller.of(ClientApi.REST, key).call(tool, arguments);
    }

    @Test
    void nothingIsWrongWithAnyPage() {
        assertThat(texts(steps.only("faults").get("faults"))).isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }

    @Test
    void aDeliveryShowsItsAttemptsWhatWasSentAndTheResponse() {
        var step = steps.only("webhooks");
        assertThat(texts(step.path("attempts")))
                .satisfiesExactly(
                        first -> assertThat(first).contains("503", " ms", "back <b>soon</b>"),
                        second -> assertThat(second).contains("200", " ms"));
        assertThat(step.path("response").asString()).isEqualTo("back <b>soon</b>");
        assertThat(step.path("sent").asString())
                .isEqualTo(step.at("/taken/0/body").asString());
    }

    /** The test, again, both of them again, and the test after the rotation: with the old secret's signature beside the new one's. */
    @Test
    void deliveriesAreSentAgainAndSignedWithANewSecret() {
        var step = steps.only("webhooks");
        var taken = step.path("taken").valueStream().toList();
        assertThat(taken).hasSize(5);
        assertThat(taken.subList(0, 4))
                .allMatch(each -> each.path("id").equals(taken.getFirst().path("id")))
                .allMatch(each -> each.path("signatures").asInt() == 1);
        assertThat(step.path("rotated").asBoolean()).isTrue();
        assertThat(taken.getLast().path("id")).isNotEqualTo(taken.getFirst().path("id"));
        assertThat(taken.getLast().path("signatures").asInt()).isEqualTo(2);
    }

    @Test
    void aNewDeliveryLeavesTheFocusOnTheOneThatHadIt() {
        assertThat(steps.only("webhooks").path("focus").asBoolean()).isTrue();
    }

    @Test
    void aReceiverIsGradedAsAChecklist() {
        var step = steps.only("webhooks");
        assertThat(step.path("score").asString()).isEqualTo("100 %");
        assertThat(texts(step.path("trials")))
                .hasSize(9)
                .allMatch(trial -> trial.startsWith("right"))
                .anyMatch(trial -> trial.contains("wrong signature") && trial.contains("400"))
                .anyMatch(trial -> trial.contains("the same again") && trial.contains("200"));
    }

    @Test
    void aDeletedEndpointIsGone() {
        assertThat(steps.only("webhooks")).isNotNull();
        assertThat(call(owner, "WH_List", "{}").ok().at("/endpoints")).isEmpty();
    }

    @Test
    void aMemberJoinsARoomAndAcceptsAnInvitation() {
        var step = steps.only("spaces");
        assertThat(texts(step.path("offered"))).containsExactly("Mo");
        assertThat(step.path("joined").asString()).doesNotContain("requested", "invited");
        assertThat(step.path("invited").asString()).contains("invited", "Accept");
        assertThat(step.at("/outside/words").asString()).contains("Only members");
        assertThat(step.at("/outside/writes").asBoolean()).isFalse();
        for (var domain : List.of("plaza", "study")) {
            var members = call(owner, "DM_Read", "{'target':{'domain':'%s'}}".formatted(domain))
                    .ok()
                    .at("/content")
                    .valueStream()
                    .filter(each -> each.path("agent").asString().equals("Mo"))
                    .toList();
            assertThat(members)
                    .as(domain)
                    .singleElement()
                    .satisfies(mo -> assertThat(mo.path("state").asString()).isEqualTo("member"));
        }
        assertThat(call(owner, "ZN_Read", "{'target':{'domain':'study','zone':'main'}}")
                        .ok()
                        .texts("/content", "content"))
                .containsOnlyOnce("Here I am.");
        assertThat(step.path("sent").asInt()).as("Enter was pressed twice").isEqualTo(1);
    }

    @Test
    void theDownloadedBankHasWhatMayBeReadAndNothingCensored() {
        var step = steps.only("memories");
        assertThat(step.path("said").asString()).startsWith("Memories in log: ");
        assertThat(step.path("name").asString()).isEqualTo("log.jsonl");
        var lines = lines(step.path("lines"));
        assertThat(lines).hasSize(LOGGED);
        assertThat(lines)
                .extracting(line -> line.path("text").asString())
                .doesNotContain("false", "derived")
                .contains("Tide 0:\nlow \u2028 <b>🌊</b>");
    }

    /** A file is tried first; what was exported comes back as it was, a coding agent finds what was dropped, and a deleted memory is restored or destroyed. */
    @Test
    void aBankIsImportedAfterAPreviewAndItsTrashIsEmptied() {
        var step = steps.only("moving");
        assertThat(step.path("markdown").asString()).isEqualTo("auto");
        assertThat(step.path("notes").toString())
                .contains("2 memories in the file: 2 new", "<img src=x onerror=alert(4)>");
        assertThat(step.path("wrong").toString()).contains("1 new, 1 refused");
        assertThat(texts(step.path("refused"))).singleElement().asString().contains("entry 2");
        assertThat(step.path("report").asString())
                .startsWith("Recognised: an export of a bank.")
                .contains("%d new".formatted(LOGGED));
        assertThat(step.path("dropped").asString())
                .startsWith("Recognised: a data export of ChatGPT.")
                .contains("1 conversation or file: 1 new");
        assertThat(step.path("chatgpt").asString())
                .contains("1 new", "1 conversation or file: 1 new")
                .doesNotContain("Only a part");
        var question = Json.object().put("content", "low water at Norddeich");
        question.putObject("target").put("bank", "copies");
        var found = ClientApi.MCP
                .call(TestServer.url(), owner, "MB_Search", question)
                .ok();
        assertThat(found.texts("/content", "text")).anyMatch(text -> text.contains("06:12"));
        assertThat(texts(step.path("trash")))
                .containsExactly("second The second <b>mistake</b>.", "first The first <b>mistake</b>.");
        assertThat(step.path("left").asInt()).isZero();
        assertThat(step.path("undone").asInt()).isZero();
        assertThat(step.path("restored").asInt()).isEqualTo(1);
    }

    private static List<JsonNode> lines(JsonNode file) {
        return file.asString()
                .lines()
                .<JsonNode>map(line -> Json.readObject(line.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    @Test
    void aBankDownloadedAfterACensorshipWasUndoneIsWhole() {
        assertThat(lines(steps.only("memories").path("uncensored")))
                .hasSize(LOGGED + 2)
                .extracting(line -> line.path("text").asString())
                .contains("false", "derived");
    }

    /** Row for row what the page shows, and no cell that a spreadsheet would run. */
    @Test
    void theDownloadedActivityIsThatOfThePage() {
        var step = steps.only("activity");
        assertThat(step.path("name").asString()).isEqualTo("activity.csv");
        var text = step.path("csv").asString();
        assertThat(text).as("the mark by which spreadsheets know UTF-8").startsWith("\uFEFF");
        var table = csv(text.substring(1));
        var columns = table.removeFirst();
        var rows = step.path("rows").valueStream().toList();
        assertThat(rows).hasSize(3);
        assertThat(table).hasSameSizeAs(rows).allMatch(row -> row.size() == columns.size());
        for (var i = 0; i < rows.size(); i++) {
            var row = table.get(i);
            assertThat(row.get(columns.indexOf("at")))
                    .isEqualTo(rows.get(i).path("at").asString());
            assertThat(row.get(columns.indexOf("tool")))
                    .isEqualTo(rows.get(i).path("tool").asString());
            assertThat(rows.get(i).path("words").asString())
                    .contains(row.get(columns.indexOf("user")))
                    .contains(thing(row, columns));
            assertThat(row).noneMatch(cell -> cell.matches("(?s)[=+\\-@\t\r\n].*"));
        }
        assertThat(table).extracting(row -> row.get(columns.indexOf("target"))).contains("'" + DOCUMENT, "'-Nan");
        assertThat(table)
                .extracting(row -> row.get(columns.indexOf("key_name")))
                .contains("'" + FORMULA, "test");
    }

    /** Returns what the entry is about, as the page names it: without the sign that keeps it from being a formula. */
    private static String thing(List<String> row, List<String> columns) {
        var target = row.get(columns.indexOf("target"));
        return (target.isEmpty() ? row.get(columns.indexOf("target_id")) : target).replaceFirst("^'", "");
    }

    private static List<List<String>> csv(String text) {
        var rows = new ArrayList<List<String>>();
        var row = new ArrayList<String>();
        var cells = CELL.matcher(text);
        while (!cells.hitEnd() && cells.lookingAt()) {
            row.add(cells.group(1) == null ? cells.group(2) : cells.group(1).replace("\"\"", "\""));
            if (!cells.group(3).equals(",")) {
                rows.add(List.copyOf(row));
                row.clear();
            }
            cells.region(cells.end(), text.length());
        }
        assertThat(cells.regionStart()).as(text).isEqualTo(text.length());
        return rows;
    }

    @Test
    void aKeyLosesWhatItNeverUsed() {
        var step = steps.only("keys");
        assertThat(texts(step.path("unused")).getFirst()).contains("agent:write", "bank:read");
        assertThat(texts(step.path("kept"))).containsExactly("agent:read");
        call(wide, "AP_List", "{}").ok();
        call(wide, "AP_Create", "{'vx':{'name':'Eve','description':'d'}}").refused(NOT_PERMITTED);
        call(wide, "MB_List", "{}").refused(NOT_PERMITTED);
    }

    /** The Tab key goes through a list as it is shown, and what was chosen has the focus on the page that it leads to. */
    @Test
    void theKeyboardIsEnough() {
        var step = steps.only("keyboard");
        assertThat(step.path("search").asString()).isEqualTo("Find agents");
        assertThat(texts(step.path("list"))).isEqualTo(texts(step.path("shown")));
        assertThat(step.path("kept").asString())
                .isEqualTo(texts(step.path("list")).getLast());
        assertThat(step.path("first").asString())
                .as("after the link that skips to the content")
                .isEqualTo("New space");
    }

    /** Four changes: a persona, a description, and twice the access, which is not restored. */
    @Test
    void anEarlierTextOfAnAgentIsShownAndRestored() {
        var step = steps.only("earlierTexts");
        assertThat(step.path("headings").toString())
                .as("before and after they are shown")
                .isEqualTo("[0,1]");
        assertThat(texts(step.path("summaries")))
                .satisfiesExactly(
                        newest -> assertThat(newest).contains("Revision 4", "access", "owner"),
                        third -> assertThat(third).contains("Revision 3", "access"),
                        second -> assertThat(second).contains("Revision 2", "description"),
                        first -> assertThat(first).contains("Revision 1", "persona"));
        assertThat(step.path("focus").asString()).contains("Revision 4");
        assertThat(step.path("changes").valueStream().map(Steps::texts))
                .containsExactly(
                        List.of("- domain", "+ public"),
                        List.of("- public", "+ domain"),
                        List.of("- Guards.", "+ Sleeps."),
                        List.of("- <b>日本</b>", "+ <i>🐕</i>"));
        assertThat(step.path("restorable").valueStream().map(JsonNode::asInt)).containsExactly(0, 0, 1, 1);
        assertThat(step.path("asked").asString()).contains("It becomes a new revision", "<b>日本</b>");
        assertThat(step.path("persona").asString()).isEqualTo("You are Rex.\n<b>日本</b>\nBark.");
        var now = call(owner, "AP_Read", "{'target':{'agent':'Rex'}}").ok();
        assertThat(now.text("/profile/0/description")).isEqualTo("Guards.");
        assertThat(now.text("/profile/0/access")).isEqualTo("public");
        assertThat(step.at("/member/refused").asBoolean()).isTrue();
        assertThat(step.at("/member/why").asString()).isEqualTo("Only owner and admins may read them");
    }

    @Test
    void aClickSetsAPermission() {
        var step = steps.only("permissions");
        assertThat(texts(step.path("choices"))).containsExactly("none", "read", "append", "write", "manage");
        assertThat(step.path("open").asBoolean()).isFalse();
        var names = step.path("names");
        assertThat(names.path("moved").asInt()).isPositive();
        assertThat(names.path("each")).isNotEmpty().allSatisfy(name -> {
            assertThat(name.path(0).asInt()).isEqualTo(names.path("from").asInt());
            assertThat(name.path(1).asInt()).isLessThan(180);
        });
        assertThat(call(owner, "MB_Permissions", "{'target':{'bank':'notes'}}")
                        .ok()
                        .at("/permissions")
                        .valueStream()
                        .filter(each -> each.path("agent").asString().equals("Mo"))
                        .map(each -> each.path("permission").asString()))
                .containsExactly("append");
    }
}
