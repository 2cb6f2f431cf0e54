package io.agentworkspace.engine.integrations.upstreams;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Every button of the console that destroys, takes away, hides or restores, which {@code console-dangers.mjs} presses in real Chromium: what
 * it says before and after is what the service then has.
 */
@Tag("slow")
class ConsoleDangersTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static final String SAVE =
            "{'name':'save','description':'Saves a text.','inputSchema':{'type':'object','properties':{}}}";
    private static final String EVIL = "{'name':'evil','description':'Does evil.','inputSchema':{'type':'object'}}";

    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        var tenant = new TestTenant();
        var root = tenant.key(ClientApi.REST, "root", Role.OWNER, List.of("*"));
        var bob = tenant.key(ClientApi.REST, "bob", Role.MEMBER, List.of("*"));
        try (var upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO, SAVE, EVIL)) {
            steps = Chromium.play(
                    Map.of("OWNER_KEY", root, "BOB_KEY", bob),
                    "console-dangers.mjs",
                    TestServer.url(),
                    SCREENSHOTS.toString(),
                    upstream.url());
        }
    }

    private static JsonNode button(String name) {
        var found = steps.of("button").stream()
                .filter(each -> each.path("name").asString().equals(name))
                .toList();
        assertThat(found).as(name).hasSize(1);
        assertThat(found.getFirst().path("done").isMissingNode()).isFalse();
        return found.getFirst();
    }

    private static void says(String name, String toast) {
        assertThat(button(name).path("toast").asString()).as(name).isEqualTo(toast);
    }

    private static void asks(String name, String... words) {
        assertThat(button(name).path("dialog").asString()).as(name).contains(words);
    }

    private static void sends(String name, String arguments) {
        var expected = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        var sent = button(name).path("sent");
        assertThat(sent.has("memory") ? sent.path("memory").asString() : "")
                .as(name)
                .matches(expected.path("memory").asString(""));
        assertThat(sent.path("target")).as(name).isEqualTo(expected.path("target"));
    }

    private static void has(String name, String expected) {
        assertThat(button(name).path("has"))
                .as(name)
                .isEqualTo(Json.read(expected.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    private static final String ID = "[0-9a-f-]{36}";
    private static final String ALL = "{'live':['An unnamed thought.','plan','tide'],'trash':[]}";
    private static final String WITHOUT_PLAN = "{'live':['An unnamed thought.','tide'],'trash':['plan']}";

    @Test
    void oneMemoryIsDeletedAndRestored() {
        says("delete a memory", "The memory plan of notes is in the trash for 30 days. Undo");
        sends("delete a memory", "{'target':{'bank':'notes'},'memory':'" + ID + "'}");
        has("delete a memory", WITHOUT_PLAN);
        assertThat(steps.only("trash").path("text").asString()).contains("plan We sail at eight.", "a memory of notes");
        for (var name : List.of(
                "undo the deletion of a memory",
                "restore a memory",
                "restore a memory in its bank",
                "restore a memory by name")) {
            says(name, "The memory plan of notes is restored.");
            sends(name, "{'target':{'bank':'notes'},'memory':'" + ID + "|plan'}");
            has(name, ALL);
        }
        assertThat(steps.only("empty trash").path("text").asString()).contains("The trash is empty");
        says("restore what is not in the trash", "Nothing is restored: it was not in the trash.");
        has("restore what is not in the trash", ALL);
    }

    @Test
    void whatNobodyFoundIsCleanedUpInOneGoAndComesBack() {
        var all = "{'live':['crane','ferries','quay'],'trash':[]}";
        assertThat(steps.only("unused").path("text").asString())
                .contains("quay The old quay is closed.", "never found")
                .doesNotContain("ferries");
        for (var name : List.of("clean up", "clean up again")) {
            asks(name, "Move 2 memories to the trash?", "in 90 days");
            says(name, "2 memories of old are in the trash for 30 days. Undo");
            has(name, "{'live':['ferries'],'trash':['crane','quay']}");
        }
        for (var name : List.of("undo the cleaning up", "restore what went together")) {
            says(name, "2 memories of old are restored.");
            has(name, all);
        }
        assertThat(texts(steps.only("exports").path("links")))
                .containsExactly(
                        "/api/banks/old/export?revisions=true",
                        "/api/banks/old/export?format=markdown",
                        "/api/banks/old/export?format=csv");
        assertThat(steps.only("use").path("text").asString())
                .contains("1 time, last", "root 1 time", "before the correction", "replaced by root, who had found it");
    }

    @Test
    void whatStillSaysWhatWasReplacedAndWhatContradictsIsCorrected() {
        assertThat(steps.only("still said").path("text").asString())
                .contains("copy", "5432, as Bo says", "Read it in harbour");
        says("replace a copy", "1 memory replaced by the correction. Undo");
        has("replace a copy", "['The port of the tide database is 5433.','mooring fee']");
        says("undo the replacing", "1 memory as before.");
        has("undo the replacing", "['The port of the tide database is 5433.','copy','mooring fee']");
        says("remove a copy", "1 memory moved to the trash for 30 days. Undo");
        has(
                "remove a copy",
                "{'live':['The port of the tide database is 5434.','copy','mooring fee'],'trash':['The port of the tide database is 5433.','other copy']}");
        has(
                "undo the removal of a copy",
                "{'live':['The port of the tide database is 5434.','copy','mooring fee','other copy'],'trash':['The port of the tide database is 5433.']}");
        assertThat(steps.only("contradictions").path("text").asString())
                .contains("12 euros", "15 euros", "newer", "older");
        says("remove what contradicts", "mooring fee is in the trash for 30 days. Undo");
        has(
                "remove what contradicts",
                "{'live':['The port of the tide database is 5434.','copy','fee','other copy'],'trash':['The port of the tide database is 5433.','mooring fee']}");
        says("undo the removal of what contradicts", "The memory mooring fee of harbour is restored.");
        has(
                "undo the removal of what contradicts",
                "{'live':['The port of the tide database is 5434.','copy','fee','mooring fee','other copy'],'trash':['The port of the tide database is 5433.']}");
    }

    @Test
    void oneMemoryIsDeletedForeverAndNothingElse() {
        asks("delete a memory forever", "Delete the memory plan forever?", "one memory of notes", "We sail at eight.");
        says("delete a memory forever", "The memory plan of notes is deleted forever.");
        sends("delete a memory forever", "{'target':{'bank':'notes'},'memory':'" + ID + "'}");
        has("delete a memory forever", "{'live':['An unnamed thought.','tide'],'trash':[]}");
    }

    @Test
    void anEarlierTextBecomesTheTextAgain() {
        asks("restore an earlier text", "Restore revision 1?", "Low water at six.");
        says("restore an earlier text", "The earlier text is restored.");
        has("restore an earlier text", "'Low water at six.'");
        has("restore an earlier description", "'Ada works here.'");
    }

    @Test
    void whatAnAgentWroteIsRestored() {
        assertThat(steps.only("trash of an agent").path("text").asString())
                .contains("what Bo wrote in the bank notes", "An unnamed thought.");
        asks("restore what an agent wrote", "Restore what Bo wrote in notes?");
        says("restore what an agent wrote", "What Bo wrote in notes is restored: 2 memories.");
        sends("restore what an agent wrote", "{'target':{'bank':'notes','agent':'Bo'}}");
        has("restore what an agent wrote", ALL);
    }

    @Test
    void whatIsHiddenIsWhatTheToastNames() {
        says("hide a memory", "The memory tide of notes is hidden. Undo");
        has("hide a memory", "['An unnamed thought.','plan']");
        says("show a hidden memory", "The memory tide of notes is visible again.");
        has("show a hidden memory", "['An unnamed thought.','plan','tide']");
        asks("censor what an agent wrote", "Censor notes", "Hides 2 memories.");
        says("censor what an agent wrote", "What Bo wrote in notes is hidden: 2 memories.");
        has("censor what an agent wrote", "['tide']");
    }

    @Test
    void aBankIsDeletedAndRestored() {
        asks("delete a bank", "Delete the bank notes?");
        says("delete a bank", "The bank notes is in the trash for 30 days. Undo");
        has("delete a bank", "[]");
        assertThat(steps.only("trash of a bank").path("text").asString())
                .startsWith("the bank notes")
                .doesNotContain("tide");
        asks("restore a bank", "Restore the bank notes?");
        for (var name : List.of("undo the deletion of a bank", "restore a bank")) {
            says(name, "The bank notes is restored.");
            sends(name, "{'target':{'bank':'notes'}}");
            has(name, "{'banks':['notes'],'live':['An unnamed thought.','tide'],'trash':[]}");
        }
    }

    @Test
    void aPermissionIsTakenAway() {
        says("share a bank", "Cy may read notes. Undo");
        has("share a bank", "'read'");
        says("undo the sharing", "Cy may no longer read notes.");
        has("undo the sharing", "'none'");
        says("take a permission away", "Cy on notes: none.");
        has("take a permission away", "'none'");
    }

    @Test
    void theActivitySpeaksOfTheMemory() {
        var activity = steps.only("activity");
        var sentences = activity.path("sentences");
        assertThat(texts(sentences.path("MB_Delete")))
                .containsExactlyInAnyOrder(
                        "root moved a memory of the bank notes to the trash",
                        "root moved what Bo wrote in the bank notes to the trash",
                        "root moved the bank notes to the trash");
        assertThat(texts(sentences.path("MB_Restore")))
                .containsExactlyInAnyOrder(
                        "root restored a memory of the bank notes",
                        "root restored what Bo wrote in the bank notes",
                        "root restored the bank notes");
        assertThat(texts(sentences.path("MB_Destroy")))
                .containsExactly("root deleted a memory of the bank notes permanently");
        assertThat(texts(sentences.path("MB_Censor")))
                .contains("root censored a memory of the bank notes", "root censored what Bo wrote in the bank notes")
                .doesNotContain("root censored the bank notes");
        assertThat(texts(sentences.path("MB_Uncensor")))
                .containsExactlyInAnyOrder(
                        "root lifted the censorship of a memory of the bank notes",
                        "root lifted the censorship of what Bo wrote in the bank notes");
        assertThat(activity.path("entry").asString())
                .contains("a memory of the bank notes", "in the trash of the bank");
    }

    @Test
    void agentsAndMembersGo() {
        asks("Remove Bo", "no longer a member of den");
        says("Remove Bo", "Bo is no longer in den.");
        has("Remove Bo", "['Ada member','Cy member']");
        says("Unban Bo", "Bo is no longer banned from den.");
        has("Unban Bo", "['Ada member','Cy member']");
        says("Decline: bob", "Declined.");
        has("Decline: bob", "['Ben']");
        asks("delete an agent", "Its keys are revoked", "Its messages and memories stay under its name.");
        says("delete an agent", "The agent Cy is deleted.");
        has("delete an agent", "{'read':'not_found','members':['Ada member'],'key':'revoked','said':1}");
    }

    @Test
    void tasksAndFilesAreFree() {
        says("Cancel the task", "The task is cancelled.");
        has("Cancel the task", "{'state':'cancelled','holder':null}");
        says("cancel a task that waits", "The task is cancelled.");
        has("cancel a task that waits", "{'state':'cancelled','holder':null}");
        asks("Take away", "Take the task away from Ada?");
        says("Take away", "The task is open again.");
        has("Take away", "{'state':'open','holder':null}");
        says("Release src/**", "The files are free.");
        has("Release src/**", "0");
    }

    @Test
    void keysEnd() {
        asks("Rotate", "The same key gets a new secret");
        has("Rotate", "401");
        asks("Revoke", "Revoke parent?", "1 child key: child");
        says("Revoke", "The key parent is revoked, and 1 below it.");
        var keys = button("Revoke").path("has");
        assertThat(keys.path("parent").asString()).isEqualTo("revoked");
        assertThat(keys.path("child").asString()).isEqualTo("revoked");
        assertThat(keys.path("ada").asString()).isEqualTo("active");
    }

    @Test
    void rulesEndpointsDocumentsServersAndTheDemoGo() {
        says("delete a rule", "The rule no parties is deleted.");
        has("delete a rule", "0");
        asks("Rotate secret", "each delivery has two signatures");
        has("Rotate secret", "true");
        says("delete an endpoint", "The endpoint http://127.0.0.1:9/hooks is deleted.");
        has("delete an endpoint", "0");
        asks("delete a document", "1 version are deleted permanently.");
        says("delete a document", "Deleted.");
        has("delete a document", "0");
        says("refuse a held tool", "Refused: demo_evil");
        assertThat(button("refuse a held tool").at("/has/refused").asInt()).isEqualTo(1);
        says("refuse an approved tool", "Refused: demo_save");
        assertThat(button("refuse an approved tool").at("/has/approved").asInt())
                .isEqualTo(1);
        says("disable a server", "The server demo is disabled.");
        assertThat(button("disable a server").at("/has/approved").asInt()).isZero();
        says("remove a server", "The server demo is removed.");
        has("remove a server", "0");
        says("remove the demo", "The demo and everything it created is removed.");
        has("remove the demo", "['Ada','Bo']");
    }

    private static final Pattern TOOL = Pattern.compile("\\b(?:tool: |(?:call|back|sure)\\()'([A-Z]{2}_\\w+)'");
    private static final Pattern DANGEROUS = Pattern.compile(
            "_(Destroy|Delete|Remove|Uninstall|Revoke|Rotate|RotateSecret|Ban|Unban|Kick|Censor|Uncensor|Restore|Release|Uninvite)$");
    private static final Pattern OTHER = Pattern.compile(
            "danger: true,\\s+tool: '(\\w+)'|restore\\(\\{[^}]*?tool: '(\\w+)'|\\b(refuse): true|access: '(none)'|request\\([^)\\n]*'(DELETE)'");
    private static final Map<String, String> WORDS = Map.of("refuse", "UP_Approve", "none", "MB_Permissions");

    /** It needs a server that has accounts. */
    private static final String DISCONNECT = "upstream-account.js DELETE";

    /** A new button that destroys or restores fails here until {@code console-dangers.mjs} presses it. */
    @Test
    void everyButtonIsPressed() throws IOException {
        var pressed = new TreeMap<String, Integer>();
        for (var each : steps.of("button")) {
            pressed.merge(
                    each.path("module").asString() + " " + each.path("tool").asString(), 1, Integer::sum);
        }
        var sites = sites();
        assertThat(sites).hasSizeGreaterThan(20);
        assertThat(sites.remove(DISCONNECT)).isEqualTo(1);
        assertThat(Repository.file("mcp-server/src/test/node/console-account.mjs"))
                .content()
                .contains("button(mia, 'Disconnect').click()");
        assertThat(sites)
                .allSatisfy((site, count) -> assertThat(pressed.getOrDefault(site, 0))
                        .as("%s is in the module %s times, and pressed", site, count)
                        .isGreaterThanOrEqualTo(count));
    }

    private static TreeMap<String, Integer> sites() throws IOException {
        var found = new TreeMap<String, Integer>();
        try (var modules = Files.list(Repository.file("hubs-web/src/main/resources/hubs/assets/console"))) {
            for (var module :
                    modules.filter(one -> one.toString().endsWith(".js")).toList()) {
                var text = Files.readString(module);
                var name = module.getFileName() + " ";
                assertThat(text.split("danger: true", -1).length)
                        .as("a dialog names its tool right after danger: true, in %s", name)
                        .isEqualTo(text.split("danger: true,\\s+tool: '", -1).length);
                var places = new TreeMap<Integer, String>();
                OTHER.matcher(text).results().forEach(match -> {
                    for (var group = 1; group <= match.groupCount(); group++) {
                        if (match.group(group) != null) {
                            places.put(match.start(group), WORDS.getOrDefault(match.group(group), match.group(group)));
                        }
                    }
                });
                TOOL.matcher(text).results().forEach(match -> {
                    var line =
                            text.substring(text.lastIndexOf('\n', match.start()) + 1, text.indexOf('\n', match.end()));
                    // A preview changes nothing, a button's own tool only says whether it may be pressed, and a path
                    // leads to a page.
                    if (DANGEROUS.matcher(match.group(1)).find()
                            && !line.contains("dry_run")
                            && !line.contains("button(")
                            && !line.contains("path:")) {
                        places.put(match.start(1), match.group(1));
                    }
                });
                places.values().forEach(tool -> found.merge(name + tool, 1, Integer::sum));
            }
        }
        return found;
    }

    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(texts(steps.only("faults").path("faults"))).isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }
}
