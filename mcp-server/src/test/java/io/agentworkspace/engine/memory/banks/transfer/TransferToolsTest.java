package io.agentworkspace.engine.memory.banks.transfer;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Moving memories from one bank to another, and from files into one. */
class TransferToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    @BeforeEach
    void thereAreBanks() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
    }

    private static Reply importing(TestCaller who, String bank, String format, String data) {
        return who.call("MB_Import", arguments(bank, format, data));
    }

    private static tools.jackson.databind.node.ObjectNode arguments(String bank, String format, String data) {
        var input = Json.object().put("format", format).put("data", data);
        input.putObject("target").put("bank", bank);
        return input;
    }

    private static String lines(Reply export) {
        return export.at("/content").valueStream().map(Json::text).collect(Collectors.joining("\n"));
    }

    private Reply export(TestCaller who, String bank) {
        return who.call("MB_Export", "{'target':{'bank':'%s'},'revisions':true}".formatted(bank))
                .ok();
    }

    @Test
    void anExportIsImportedWithAllThatItSays() {
        grant(ann, "b", "Bo", "write").ok();
        storeNamed(ann, "b", "Ada", "tides/may", "Low water at 06:12. «Größe» 潮 \uD83C\uDF0A")
                .ok();
        storeNamed(bob, "b", "Bo", "tides/may", "Low water at 06:30.\\n\\\\ end")
                .ok();
        var old = ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Ada'},'content':'old','vx':{'tags':['x','Y']},'pinned':true}")
                .ok();
        ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Ada'},'content':'new','supersedes':'%1$s','reason':'r','derived_from':['%1$s'],'expires_at':'2999-01-01T00:00:00Z'}"
                                .formatted(old.text("/memory/id")))
                .ok();
        var first = export(ann, "b");
        assertThat(first.at("/content")).hasSize(4);
        assertThat(first.texts("/content", "author")).containsExactly("Ada", "Ada", "Ada", "Ada");
        assertThat(first.texts("/content", "editor")).containsExactly("Bo", "", "", "");
        assertThat(first.text("/content/1/replaced_at")).isNotEmpty();
        assertThat(first.text("/content/2/superseded_by")).isEqualTo(first.text("/content/3/id"));
        bank(ann, "copy");
        var report = importing(ann, "copy", "engine", lines(first)).ok();
        assertThat(report.number("/lines")).isEqualTo(4);
        assertThat(report.number("/stored")).isEqualTo(3);
        assertThat(report.number("/revisions")).isEqualTo(1);
        assertThat(report.at("/changed").asBoolean()).isTrue();
        var second = export(ann, "copy");
        assertThat(lines(second)).isEqualTo(lines(first));
        var twice = importing(ann, "copy", "engine", lines(first)).ok();
        assertThat(twice.number("/unchanged")).isEqualTo(4);
        assertThat(twice.at("/changed").asBoolean()).isFalse();
        assertThat(lines(export(ann, "copy"))).isEqualTo(lines(first));
        var read = ann.call("MB_Read", "{'target':{'bank':'copy'}}").ok();
        assertThat(read.texts("/content", "text")).containsExactly("new", "Low water at 06:30.\n\\ end");
        assertThat(read.text("/content/1/source/kind"))
                .as("Bo edited it, as whom Ann may not act")
                .isEqualTo("import");
    }

    @Test
    void anAuthorWhomTheCallerMayNotActAsIsKeptAsTheSource() {
        var data = """
                {"text":"a","author":"Ada"}
                {"text":"b","author":"Bo"}
                {"text":"c","author":"Dr. Who <who@example.com>"}
                {"text":"d"}""";
        importing(ann, "b", "jsonl", data).ok();
        var read = ann.call("MB_Read", "{'target':{'bank':'b'}}").ok();
        var authors = read.at("/content")
                .valueStream()
                .collect(Collectors.toMap(
                        memory -> memory.path("text").asString(),
                        memory -> "%s %s %s"
                                .formatted(
                                        memory.path("author").asString(),
                                        memory.at("/source/kind").asString(),
                                        memory.at("/source/name").asString())));
        assertThat(authors)
                .isEqualTo(Map.of(
                        "a", "Ada agent Ada",
                        "b", "ann import Bo",
                        "c", "ann import Dr. Who <who@example.com>",
                        "d", "ann user ann"));
        importing(ann, "b", "jsonl", data).ok();
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'}}").at("/content"))
                .hasSize(4);
    }

    @Test
    void eachRefusedLineIsReportedAndTheOthersAreStored() {
        var data = String.join(
                "\n",
                "{\"text\":\"good\"}",
                "not json",
                "",
                "{\"text\":\"  \"}",
                "{\"text\":\"x\",\"created_at\":\"2999-01-01T00:00:00Z\"}",
                "{\"text\":\"x\",\"created_at\":\"yesterday\"}",
                "{\"text\":\"x\",\"tags\":\"t\"}",
                "{\"text\":\"x\",\"name\":\"a//b\"}",
                "{\"text\":\"" + "y".repeat(64_001) + "\"}",
                "{\"text\":\"nul \\u0000\"}",
                "[1]",
                "{\"text\":\"also good\",\"created_at\":\"2020-02-03T04:05:06Z\",\"other\":1}");
        var report = importing(ann, "b", "jsonl", data).ok();
        assertThat(report.number("/lines")).isEqualTo(11);
        assertThat(report.number("/stored")).isEqualTo(2);
        assertThat(report.number("/refused")).isEqualTo(9);
        assertThat(report.texts("/refusals", "line")).hasSize(9);
        assertThat(report.at("/refusals")
                        .valueStream()
                        .map(line -> line.path("line").asInt()))
                .containsExactly(2, 4, 5, 6, 7, 8, 9, 10, 11);
        assertThat(report.texts("/refusals", "note"))
                .anyMatch(note -> note.startsWith("the line is not valid JSON"))
                .contains("text is required")
                .anyMatch(note -> note.startsWith("created_at must not be in the future"))
                .anyMatch(note -> note.contains("tags must be an array"));
        var read = ann.call("MB_Read", "{'target':{'bank':'b'}}").ok();
        assertThat(read.texts("/content", "created_at")).contains("2020-02-03T04:05:06.000Z");
        var many = IntStream.range(0, 1_200).mapToObj(i -> "{}").collect(Collectors.joining("\n"));
        var refused = importing(ann, "b", "jsonl", many).ok();
        assertThat(refused.number("/refused")).isEqualTo(1_200);
        assertThat(refused.at("/refusals")).hasSize(100);
    }

    @Test
    void linesOfAnExportCannotChangeWhatTheBankHas() {
        grant(ann, "b", "Bo", "append").ok();
        storeNamed(ann, "b", "Ada", "rule", "true").ok();
        var line = lines(export(ann, "b"));
        var bo = "{'target':{'bank':'b','agent':'Bo'},'format':'engine'}";
        var changed = Json.readObject(bo.replace('\'', '"').getBytes(UTF_8))
                .put("data", line.replace("\"true\"", "\"false\""));
        assertThat(bob.call("MB_Import", changed).ok().text("/refusals/0/note")).contains("has another text");
        var named = changed.deepCopy()
                .put("data", line.replace("\"true\"", "\"false\"").replaceFirst("\"id\":\"....", "\"id\":\"0000"));
        assertThat(bob.call("MB_Import", named).ok().text("/refusals/0/note")).contains("has the name 'rule'");
        var former = changed.deepCopy()
                .put(
                        "data",
                        line.replace("\"revision\":1", "\"revision\":0")
                                .replaceFirst("}$", ",\"replaced_at\":\"2020-01-01T00:00:00Z\"}"));
        assertThat(bob.call("MB_Import", former).ok().number("/refused")).isEqualTo(1);
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'}}").texts("/content", "text"))
                .containsExactly("true");
    }

    @Test
    void accessIsThatOfReadingAndStoring() {
        storeNamed(ann, "b", "Ada", "n", "seen").ok();
        bob.call("MB_Export", "{'target':{'bank':'b'}}").refused(3001);
        importing(bob, "b", "jsonl", "{\"text\":\"x\"}").refused(3001);
        grant(ann, "b", "Bo", "read").ok();
        bob.call("MB_Export", "{'target':{'bank':'b'}}").ok();
        importing(bob, "b", "jsonl", "{\"text\":\"x\"}").refused(2003, "append");
        new TestTenant()
                .member("eve")
                .call("MB_Export", "{'target':{'bank':'b'}}")
                .refused(3001);
        tenant.person("vic", Role.VIEWER)
                .call("MB_Import", arguments("b", "jsonl", "{}"))
                .refused(2003);
    }

    @Test
    void hiddenAndDeletedMemoriesAreNotExported() {
        grant(ann, "b", "Bo", "write").ok();
        storeNamed(ann, "b", "Ada", "one", "shown").ok();
        storeNamed(bob, "b", "Bo", "two", "censored").ok();
        storeNamed(ann, "b", "Ada", "three", "deleted").ok();
        var all = lines(export(ann, "b"));
        ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Bo'}}").ok();
        ann.call("MB_Delete", "{'target':{'bank':'b'},'memory':'three'}").ok();
        assertThat(export(ann, "b").texts("/content", "text")).containsExactly("shown");
        var again = importing(ann, "b", "engine", all).ok();
        assertThat(again.number("/unchanged")).isEqualTo(1);
        assertThat(again.texts("/refusals", "note"))
                .hasSize(2)
                .allMatch(note -> note.contains("in the trash or hidden"));
        assertThat(export(ann, "b").texts("/content", "text")).containsExactly("shown");
    }

    @Test
    void aPreviewStoresNothing() {
        var data = IntStream.range(0, 20)
                .mapToObj("{\"text\":\"text %d\"}"::formatted)
                .collect(Collectors.joining("\n"));
        var report = ann.call("MB_Import", arguments("b", "jsonl", data).put("dry_run", true))
                .ok();
        assertThat(report.number("/stored")).isEqualTo(20);
        assertThat(report.at("/preview")).hasSize(10);
        assertThat(report.at("/changed").asBoolean()).isFalse();
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'}}").at("/content"))
                .isEmpty();
    }

    @Test
    void rulesOfStoringHoldForEachLine() {
        var owner = tenant.owner();
        owner.call(
                        "RL_Create",
                        "{'name':'no passwords','applies_to':['MB_Store'],'when':'content.contains(\\\"password\\\")','effect':'deny','message':'no passwords here'}"
                                .replace("\\\"", "\\\\'")
                                .replace("\\\\'", "\\\""))
                .ok();
        var report = importing(ann, "b", "jsonl", "{\"text\":\"my password\"}\n{\"text\":\"fine\"}")
                .ok();
        assertThat(report.number("/stored")).isEqualTo(1);
        assertThat(report.text("/refusals/0/note")).contains("no passwords here");
    }

    @Test
    void aMarkdownTextBecomesAMemoryForEachSection() {
        var text = """
                before
                # Build
                ## Run
                `make`
                ```
                # not a heading
                ```
                ## Test
                `make test`
                """;
        var report = importing(ann, "b", "markdown", text).ok();
        assertThat(report.number("/stored")).isEqualTo(3);
        var read = ann.call("MB_Read", "{'target':{'bank':'b'}}").ok();
        assertThat(read.texts("/content", "name")).containsExactlyInAnyOrder("notes", "Build/Run", "Build/Test");
        assertThat(importing(ann, "b", "markdown", text).ok().number("/unchanged"))
                .isEqualTo(3);
        var changed = importing(ann, "b", "markdown", text.replace("make test", "make check"))
                .ok();
        assertThat(changed.number("/replaced")).isEqualTo(1);
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'Build/Test'}}")
                        .number("/content/0/revision"))
                .isEqualTo(2);
    }

    @Test
    void aFolderIsImportedWithItsDates() {
        var key = tenant.key(ClientApi.REST, "zoe", Role.MEMBER, List.of("*"));
        var zoe = TestCaller.of(ClientApi.REST, key);
        bank(zoe, "z");
        var files = new LinkedHashMap<String, String>();
        files.put("CLAUDE.md", "# Style\nTabs.");
        files.put("notes/été 潮.md", "no heading");
        files.put("notes/logo.png", "binary");
        files.put("__MACOSX/notes/._x.md", "clutter");
        var trial = Map.of("format", "markdown", "dry_run", "true", "first_line", "1");
        var tried = new Reply(Json.readObject(TransferFiles.sent(key, "z", trial, TransferFiles.zip(files))
                        .body()))
                .ok();
        assertThat(tried.at("/changed").asBoolean()).isFalse();
        assertThat(tried.texts("/preview", "text")).isNotEmpty();
        var report = TransferFiles.imported(key, "z", "markdown", TransferFiles.zip(files));
        assertThat(report.number("/stored")).isEqualTo(2);
        assertThat(report.text("/refusals/0/file")).isEqualTo("notes/logo.png");
        var read = zoe.call("MB_Read", "{'target':{'bank':'z'}}").ok();
        assertThat(read.texts("/content", "name")).containsExactlyInAnyOrder("CLAUDE.md/Style", "notes/été 潮.md");
        assertThat(read.texts("/content", "created_at")).allMatch(at -> at.startsWith("2023-11-1"));
        for (var hostile : List.of(
                Map.of("../x.md", "a"),
                Map.of("/etc/x.md", "a"),
                Map.of("C:/x.md", "a"),
                Map.of("a\\..\\x.md", "a"),
                Map.of("link.md", "-> /etc/passwd"),
                Map.of("inner.zip", "PK"),
                Map.of("bomb.md", "0".repeat(33 << 20)),
                IntStream.range(0, 2_001).boxed().collect(Collectors.toMap("%d.md"::formatted, _ -> "a")))) {
            var response = TransferFiles.sent(key, "z", "markdown", TransferFiles.zip(hostile));
            assertThat(response.statusCode())
                    .as(hostile.keySet().iterator().next())
                    .isIn(413, 422);
        }
        assertThat(TransferFiles.sent(key, "z", "markdown", new byte[] {'P', 'K', 3, 4, 0})
                        .statusCode())
                .isEqualTo(422);
        assertThat(zoe.call("MB_Read", "{'target':{'bank':'z'}}").at("/content"))
                .hasSize(2);
    }

    @Test
    void whatAFailureLeavesUndoneIsDoneWhenTheFileIsSentAgain() {
        var key = tenant.key(ClientApi.REST, "zoe", Role.MEMBER, List.of("*"));
        var zoe = TestCaller.of(ClientApi.REST, key);
        bank(zoe, "z");
        var owner = tenant.person(ClientApi.REST, "owner", Role.OWNER);
        var lines = new ArrayList<String>();
        IntStream.range(0, 10_200).forEach(i -> lines.add("{\"text\":\"text %d\"}".formatted(i)));
        var file = String.join("\n", lines).getBytes(UTF_8);
        owner.call("AC_ChangePlan", "{'plan':'free'}").ok();
        var refused =
                Json.readObject(TransferFiles.sent(key, "z", "jsonl", file).body());
        assertThat(refused.path("error").asString()).isEqualTo("quota_exceeded");
        assertThat(refused.at("/report/stored").asLong()).isEqualTo(10_000);
        owner.call("AC_ChangePlan", "{'plan':'unlimited'}").ok();
        var report = TransferFiles.imported(key, "z", "jsonl", file);
        assertThat(report.number("/unchanged")).isEqualTo(10_000);
        assertThat(report.number("/stored")).isEqualTo(200);
        var bytes = "{\"text\":\"ok\"}\n\u00ff".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(TransferFiles.imported(key, "z", "jsonl", bytes).text("/refusals/0/note"))
                .isEqualTo("the line is not valid UTF-8");
        var export = TransferFiles.export(key, "z", "");
        assertThat(export.lines().count()).isEqualTo(10_201);
        assertThat(export.lines()).allMatch(line -> line.startsWith("{\"id\":\""));
    }

    /** A zip that cannot be read shows what is looked at first. */
    @Test
    void whoMayNotImportIsRefusedBeforeAnythingIsUnpacked() {
        ann.call("MB_Create", "{'vx':{'name':'mine','access':'private'}}").ok();
        var broken = "UEsDBA==";
        importing(ann, "mine", "markdown", broken).refused(1004, "the zip");
        importing(ann, "none", "markdown", broken).refused(3001, "none");
        importing(tenant.member("eve"), "mine", "markdown", broken).refused(3001, "mine");
        var viewer = tenant.person("vic", Role.VIEWER);
        importing(viewer, "mine", "markdown", broken).refused(2003, "viewer");
    }

    /** A seventeenth file is told to come again, and is taken as soon as one of the sixteen has ended. */
    @Test
    void sixteenFilesArriveAtOnce() throws IOException {
        var key = tenant.key(ClientApi.REST, "cat", Role.MEMBER, List.of("*"));
        bank(TestCaller.of(ClientApi.REST, key), "files");
        Supplier<Reply> more = () -> importing(ann, "b", "auto", "{\"text\":\"One more.\"}");
        var files = new ArrayList<Socket>();
        try {
            for (var i = 0; i < 15; i++) {
                files.add(TransferFiles.begun(key, "files"));
            }
            await().untilAsserted(() -> {
                files.add(TransferFiles.begun(key, "files")); // One that arrives beside the seventeenth may be refused.
                more.get().refused(5002, "other imports", "again shortly");
            });
            files.removeFirst().close();
            await().untilAsserted(() -> more.get().ok());
        } finally {
            for (var file : files) {
                file.close();
            }
        }
    }
}
