package io.agentworkspace.engine.memory.banks.files;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** The memory tool on a bank. The expected texts are those of its documentation and of the official SDK. */
class FileToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    @BeforeEach
    void thereIsABank() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
    }

    private static ObjectNode command(String command, String... fields) {
        var input = Json.object().put("command", command);
        input.putObject("target").put("bank", "b");
        for (var i = 0; i < fields.length; i += 2) {
            input.put(fields[i], fields[i + 1]);
        }
        return input;
    }

    private Reply run(ObjectNode command) {
        return ann.call("MB_Files", command);
    }

    private Reply view(String path) {
        return run(command("view", "path", path));
    }

    private Reply create(String path, String text) {
        return run(command("create", "path", path, "file_text", text));
    }

    private Reply replace(String path, String old, String replacement) {
        return run(command("str_replace", "path", path, "old_str", old, "new_str", replacement));
    }

    private Reply insert(String path, long line, String text) {
        var input = command("insert", "path", path, "insert_text", text);
        return run(input.put("insert_line", line));
    }

    private Reply rename(String from, String to) {
        return run(command("rename", "old_path", from, "new_path", to));
    }

    private Reply delete(String path) {
        return run(command("delete", "path", path));
    }

    private Reply range(String path, long first, long last) {
        var input = command("view", "path", path);
        input.putArray("view_range").add(first).add(last);
        return run(input);
    }

    private static String text(Reply reply) {
        return reply.ok().text("/text");
    }

    /** Checks that the model gets the text itself. */
    private static void refused(Reply reply, int code, String text) {
        reply.refused(code, text);
        assertThat(reply.text("/text")).isEqualTo(text);
    }

    @Test
    void aFileIsCreatedAndViewed() {
        assertThat(text(create("/memories/notes.txt", "Hello World\nThis is line two\n")))
                .isEqualTo("File created successfully at: /memories/notes.txt");
        assertThat(text(view("/memories/notes.txt"))).isEqualTo("""
                Here's the content of /memories/notes.txt with line numbers:
                     1\tHello World
                     2\tThis is line two
                     3\t""");
        refused(create("/memories/notes.txt", "x"), 3002, "Error: File /memories/notes.txt already exists");
        refused(
                view("/memories/other.txt"),
                3001,
                "The path /memories/other.txt does not exist. Please provide a valid path.");
        var memory = ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'notes.txt'}}")
                .ok();
        assertThat(memory.text("/content/0/text")).isEqualTo("Hello World\nThis is line two\n");
        assertThat(memory.text("/content/0/source/name")).isEqualTo("ann");
    }

    @Test
    void aDirectoryIsListedTwoLevelsDeep() {
        assertThat(text(view("/memories"))).isEqualTo("""
                Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
                0B\t/memories""");
        create("/memories/b.txt", "x".repeat(5_632)).ok();
        create("/memories/plans/may.md", "12345").ok();
        create("/memories/plans/2026/june.md", "1234567890").ok();
        create("/memories/.hidden", "x").ok();
        create("/memories/plans/node_modules", "x").ok();
        assertThat(text(view("/memories"))).isEqualTo("""
                Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
                5.5K\t/memories
                5.5K\t/memories/b.txt
                15B\t/memories/plans/
                10B\t/memories/plans/2026/
                5B\t/memories/plans/may.md""");
        assertThat(text(view("/memories/plans/"))).isEqualTo("""
                Here're the files and directories up to 2 levels deep in /memories/plans/, excluding hidden items and node_modules:
                15B\t/memories/plans
                10B\t/memories/plans/2026/
                10B\t/memories/plans/2026/june.md
                5B\t/memories/plans/may.md""");
        refused(view("/memories/pla"), 3001, "The path /memories/pla does not exist. Please provide a valid path.");
    }

    @Test
    void aRangeOfLinesIsViewed() {
        create("/memories/a", "one\ntwo\nthree").ok();
        var head = "Here's the content of /memories/a with line numbers:\n";
        assertThat(text(range("/memories/a", 2, 3))).isEqualTo(head + "     2\ttwo\n     3\tthree");
        assertThat(text(range("/memories/a", 2, -1))).isEqualTo(head + "     2\ttwo\n     3\tthree");
        assertThat(text(range("/memories/a", -5, 1))).isEqualTo(head + "     1\tone");
        assertThat(text(range("/memories/a", 3, Long.MAX_VALUE))).isEqualTo(head + "     3\tthree");
        assertThat(text(range("/memories/a", 4, 9))).isEqualTo(head);
        assertThat(text(range("/memories/a", 3, 2))).isEqualTo(head);
        assertThat(text(range("/memories/a", Long.MAX_VALUE, Long.MIN_VALUE))).isEqualTo(head);
        var three = command("view", "path", "/memories/a");
        three.putArray("view_range").add(1).add(2).add(3);
        run(three).refused(1004, "view_range");
    }

    @Test
    void aTextIsReplacedWhereItIsUnique() {
        create("/memories/a", "one\ntwo\nthree\nfour\nfive\nsix").ok();
        assertThat(text(replace("/memories/a", "four", "4"))).isEqualTo("""
                The memory file has been edited. Here is the snippet showing the change (with line numbers):
                     2\ttwo
                     3\tthree
                     4\t4
                     5\tfive
                     6\tsix""");
        refused(
                replace("/memories/a", "four", "x"),
                3003,
                "No replacement was performed, old_str `four` did not appear verbatim in /memories/a.");
        refused(
                replace("/memories/a", "t", "x"),
                3003,
                "No replacement was performed. Multiple occurrences of old_str `t` in lines: 2, 3. Please ensure it is unique");
        refused(
                replace("/memories/b", "t", "x"),
                3001,
                "Error: The path /memories/b does not exist. Please provide a valid path.");
        refused(
                replace("/memories", "t", "x"),
                3001,
                "Error: The path /memories does not exist. Please provide a valid path.");
        replace("/memories/a", "two\nthree", "2\n3").ok();
        replace("/memories/a", "\n4", "").ok();
        assertThat(text(view("/memories/a"))).endsWith("     2\t2\n     3\t3\n     4\tfive\n     5\tsix");
        replace("/memories/a", "one", "$1\\1 %s").ok();
        assertThat(text(range("/memories/a", 1, 1))).endsWith("     1\t$1\\1 %s");
        replace("/memories/a", "", "x").refused(1003, "old_str is required");
    }

    @Test
    void aBlankTextIsATextLikeOthers() {
        create("/memories/a", "").ok();
        assertThat(text(view("/memories/a"))).endsWith("with line numbers:\n     1\t");
        insert("/memories/a", 0, "  ").ok();
        replace("/memories/a", "  ", " x").ok();
        assertThat(text(view("/memories/a"))).endsWith("     1\t x\n     2\t");
    }

    @Test
    void linesAreInserted() {
        create("/memories/a", "one\ntwo").ok();
        assertThat(text(insert("/memories/a", 1, "between\n"))).isEqualTo("The file /memories/a has been edited.");
        insert("/memories/a", 0, "first").ok();
        insert("/memories/a", 4, "last").ok();
        assertThat(text(view("/memories/a")))
                .endsWith("     1\tfirst\n     2\tone\n     3\tbetween\n     4\ttwo\n     5\tlast");
        for (var line : List.of(-1L, 6L, Long.MAX_VALUE)) {
            refused(
                    insert("/memories/a", line, "x"),
                    1004,
                    "Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, 5]"
                            .formatted(line));
        }
    }

    @Test
    void filesAndDirectoriesAreDeletedIntoTheTrash() {
        create("/memories/a/one", "1").ok();
        create("/memories/a/two", "2").ok();
        create("/memories/ab", "3").ok();
        assertThat(text(delete("/memories/ab"))).isEqualTo("Successfully deleted /memories/ab");
        assertThat(text(delete("/memories/a"))).isEqualTo("Successfully deleted /memories/a");
        refused(delete("/memories/a"), 3001, "Error: The path /memories/a does not exist");
        refused(delete("/memories"), 1004, "Error: Cannot delete the /memories directory itself");
        assertThat(text(view("/memories"))).endsWith("\n0B\t/memories");
        create("/memories/a", "now a file").ok();
    }

    @Test
    void filesAndDirectoriesAreRenamed() {
        create("/memories/a/one", "1").ok();
        create("/memories/a/b/two", "2").ok();
        create("/memories/c", "3").ok();
        assertThat(text(rename("/memories/a", "/memories/new/A")))
                .isEqualTo("Successfully renamed /memories/a to /memories/new/A");
        assertThat(text(view("/memories/new/a/b/two"))).endsWith("\t2");
        refused(rename("/memories/a", "/memories/x"), 3001, "Error: The path /memories/a does not exist");
        refused(rename("/memories/c", "/memories/new"), 3002, "Error: The destination /memories/new already exists");
        refused(
                rename("/memories/new", "/memories/new/in"),
                3002,
                "Error: The destination /memories/new/in already exists");
        refused(rename("/memories/new", "/memories/c"), 3002, "Error: The destination /memories/c already exists");
        refused(rename("/memories/new", "/memories"), 3002, "Error: The destination /memories already exists");
        refused(rename("/memories", "/memories/x"), 1004, "Error: Cannot rename the /memories directory itself");
        rename("/memories/c", "/memories/new/a/one/x")
                .refused(3003, "Error: /memories/new/a/one is a file, so nothing can be below it");
        rename("/memories/c", "/memories/C").ok();
        assertThat(text(view("/memories"))).contains("1B\t/memories/C");
        var renamed =
                ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'C'}}").ok();
        assertThat(renamed.number("/content/0/revision")).isEqualTo(2);
    }

    @Test
    void aFileIsNoDirectory() {
        create("/memories/a", "x").ok();
        create("/memories/a/b", "x").refused(3003, "Error: /memories/a is a file, so nothing can be below it");
        create("/memories/dir/file", "x").ok();
        create("/memories/DIR", "x").refused(3002, "Error: File /memories/DIR already exists");
    }

    @Test
    void noPathLeavesTheMemories() {
        for (var path : List.of(
                "/memories/../etc/passwd",
                "/memories/..",
                "/memories/a/../../b",
                "/memories/./a",
                "/memories//a",
                "/memories/a//",
                "/memories/%2e%2e/a",
                "/memories/..%2fa",
                "/memories/a\\..\\b",
                "/memories/\u202ea",
                "/memories/a\u200b",
                "/memories/" + "x".repeat(256),
                "/memories/💥",
                "/memoriesx",
                "/etc/passwd",
                "memories/a",
                "..",
                "/",
                "~")) {
            for (var refused : List.of(view(path), create(path, "x"), rename("/memories/a", path), delete(path))) {
                refused.refused(1004, "Error: ");
                assertThat(refused.text("/text")).startsWith("Error: ");
            }
        }
        assertThat(text(create("/memories/плани/Überblick 日本.md", "x")))
                .isEqualTo("File created successfully at: /memories/плани/Überblick 日本.md");
        view("/memories/ПЛАНИ/u\u0308BERBLICK 日本.md").ok();
    }

    @Test
    void whatIsHugeIsRefusedOrCut() {
        create("/memories/a", "x".repeat(64_001)).refused(1005, "file_text");
        create("/memories/a", "x".repeat(64_000)).ok();
        insert("/memories/a", 0, "y").refused(1005, "64,002 characters", "64,000");
        assertThat(text(view("/memories/a"))).hasSizeGreaterThan(64_000);
        create("/memories/lines", "\n".repeat(64_000)).ok();
        for (var api : ClientApi.values()) { // An MCP result contains it twice, so less of it fits.
            var viewed = api.call(TestServer.url(), admin(api), "MB_Files", command("view", "path", "/memories/lines"))
                    .ok();
            assertThat(viewed.text("/text")).startsWith("Here's the content of /memories/lines");
            assertThat(viewed.at("/truncated").asBoolean(false)).isEqualTo(api == ClientApi.MCP);
        }
        replace("/memories/lines", "\n", "x").refused(3003, "Multiple occurrences");
        replace("/memories/lines", "z".repeat(64_000), "x").refused(3003, "did not appear verbatim");
    }

    @Test
    void everyCommandNeedsItsFields() {
        run(command("view")).refused(1003, "path is required");
        run(command("create", "path", "/memories/a")).refused(1003, "file_text is required");
        run(command("str_replace", "path", "/memories/a")).refused(1003, "old_str is required");
        run(command("insert", "path", "/memories/a")).refused(1003, "insert_line is required");
        run(command("rename", "old_path", "/memories/a")).refused(1003, "new_path is required");
        run(command("truncate")).refused(1004, "command must be one of view, create");
    }

    @Test
    void whoMayReadViewsAndWhoMayAppendChangesItsOwn() {
        create("/memories/hers", "x").ok();
        grant(ann, "b", "Bo", "read").ok();
        assertThat(bob.call("MB_Files", command("view", "path", "/memories/hers"))
                        .ok()
                        .text("/text"))
                .endsWith("\tx");
        var make = command("create", "path", "/memories/his", "file_text", "one");
        bob.call("MB_Files", make).refused(2003, "'append'");
        grant(ann, "b", "Bo", "append").ok();
        bob.call("MB_Files", make).ok();
        bob.call("MB_Files", command("str_replace", "path", "/memories/his", "old_str", "one", "new_str", "two"))
                .ok();
        for (var command : List.of(
                command("str_replace", "path", "/memories/hers", "old_str", "x", "new_str", "y"),
                command("delete", "path", "/memories/hers"),
                command("rename", "old_path", "/memories/hers", "new_path", "/memories/mine"))) {
            bob.call("MB_Files", command).refused(2003, "'write'");
        }
        grant(ann, "b", "Bo", "write").ok();
        bob.call("MB_Files", command("delete", "path", "/memories/hers")).ok();
    }

    @Test
    void aCensoredAuthorTouchesNothingThatIsShown() {
        grant(ann, "b", "Bo", "write").ok();
        create("/memories/a", "good").ok();
        ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Bo'}}").ok();
        var his = command("str_replace", "path", "/memories/a", "old_str", "good", "new_str", "bad");
        ((ObjectNode) his.get("target")).put("context", "Bo");
        bob.call("MB_Files", his).ok();
        var gone = command("delete", "path", "/memories/a");
        ((ObjectNode) gone.get("target")).put("context", "Bo");
        bob.call("MB_Files", gone).refused(2003, "quarantine");
        assertThat(text(view("/memories/a"))).endsWith("\tgood");
        storeNamed(ann, "b", "Ada", "b", "fine").ok();
        assertThat(text(view("/memories/b"))).endsWith("\tfine");
    }

    private String admin(ClientApi api) {
        return tenant.key(api, "root", Role.ADMIN, List.of("*"));
    }

    @Test
    void concurrentEditsLoseNothing() throws Exception {
        var writers = 8;
        var edits = 10;
        create(
                        "/memories/a",
                        String.join(
                                "\n",
                                IntStream.range(0, writers)
                                        .mapToObj(i -> i + ":0|")
                                        .toList()))
                .ok();
        var key = admin(ClientApi.REST);
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = IntStream.range(0, writers)
                    .mapToObj(writer -> (Callable<Void>) () -> {
                        for (var i = 0; i < edits; i++) {
                            var edit = command(
                                    "str_replace",
                                    "path",
                                    "/memories/a",
                                    "old_str",
                                    "%d:%d|".formatted(writer, i),
                                    "new_str",
                                    "%d:%d|".formatted(writer, i + 1));
                            ClientApi.REST
                                    .call(TestServer.url(), key, "MB_Files", edit)
                                    .ok();
                        }
                        return null;
                    })
                    .toList();
            for (var done : pool.invokeAll(tasks)) {
                done.get();
            }
        }
        var read = Json.readObject("{\"target\":{\"bank\":\"b\"},\"vx\":{\"name\":\"a\"}}".getBytes(UTF_8));
        var text = ClientApi.REST.call(TestServer.url(), key, "MB_Read", read).ok();
        assertThat(text.text("/content/0/text"))
                .isEqualTo(String.join(
                        "\n",
                        IntStream.range(0, writers)
                                .mapToObj(i -> i + ":" + edits + "|")
                                .toList()));
        assertThat(text.number("/content/0/revision")).isEqualTo(1 + (long) writers * edits);
    }

    /** Each place was compared in full, with the memory's row locked. */
    @Test
    void aLongTextIsReplacedWhereverItIs() {
        create("/memories/long", "a".repeat(31_999) + "b" + "a".repeat(31_999)).ok();
        replace("/memories/long", "a".repeat(20_000), "x").refused(3003, "Multiple occurrences");
        replace("/memories/long", "a".repeat(16_000) + "c" + "a".repeat(15_000), "x")
                .refused(3003, "did not appear verbatim");
        replace("/memories/long", "a".repeat(16_000) + "b" + "a".repeat(15_000), "x")
                .ok();
        replace("/memories/long", "axa", "y").ok();
    }
}
