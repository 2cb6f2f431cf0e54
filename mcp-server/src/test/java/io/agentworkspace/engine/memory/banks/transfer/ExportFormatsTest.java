package io.agentworkspace.engine.memory.banks.transfer;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.rest.files.PageWriter;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Exports in the forms that other products read. */
class ExportFormatsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    /** A bank with a name in a folder, one without a name, a derived, a superseded and an expired memory. */
    private static void fill(TestCaller who) {
        agent(who, "Ada");
        bank(who, "b");
        var old = storeNamed(who, "b", "Ada", "plans/may", "We sail on the 2nd.")
                .ok()
                .text("/memory/id");
        var plain = who.call(
                        "MB_Store",
                        "{'target':{'bank':'b'},'content':'A \\\"quoted\\\", line\\nand more: ü','vx':{'tags':['sea','x y']},'derived_from':['%s']}"
                                .formatted(old))
                .ok()
                .text("/memory/id");
        who.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Ada'},'content':'We sail on the 3rd.','vx':{'name':'june.md'},'supersedes':'%s','derived_from':['%s'],'reason':'wind'}"
                                .formatted(old, plain))
                .ok();
    }

    private static byte[] download(String key, String format) {
        var response = ClientApi.send(HttpRequest.newBuilder(
                        URI.create("%s/api/banks/b/export?limit=1&format=%s".formatted(TestServer.url(), format)))
                .header("X-Api-Key", key)
                .build());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    private String key() {
        var key = tenant.key(ClientApi.REST, "kim", Role.MEMBER, List.of("*"));
        fill(TestCaller.of(ClientApi.REST, key));
        return key;
    }

    @Test
    void aPartOfTheFileIsAPageOverBothEndpoints() {
        fill(ann);
        for (var format : List.of("jsonl", "mem0", "graph", "csv", "markdown")) {
            var whole = ann.call("MB_Export", "{'target':{'bank':'b'},'format':'%s'}".formatted(format))
                    .ok();
            assertThat(whole.at("/content")).isEmpty();
            assertThat(whole.text("/url")).endsWith("/export?format=" + format);
            var parts = new StringBuilder();
            var cursor = "";
            do {
                var page = ann.call(
                                "MB_Export",
                                "{'target':{'bank':'b'},'format':'%s','page':{'limit':1%s}}"
                                        .formatted(format, cursor.isEmpty() ? "" : ",'cursor':'" + cursor + "'"))
                        .ok();
                parts.append(String.join("", page.texts("/parts", "text")));
                cursor = page.text("/next_cursor");
            } while (!cursor.isEmpty());
            assertThat(parts).hasToString(String.join("", whole.texts("/parts", "text")));
        }
        ann.call("MB_Export", "{'target':{'bank':'b'},'format':'csv','revisions':true}")
                .refused(1004, "revisions");
        ann.call("MB_Export", "{'target':{'bank':'b'},'format':'xml'}").refused(1004, "format");
    }

    @Test
    void mem0AndJsonLinesHaveWhatIsCurrent() {
        var key = key();
        var mem0 = Json.read(download(key, "mem0"));
        assertThat(mem0.isArray()).isTrue();
        assertThat(values(mem0, "memory")).containsExactly("A \"quoted\", line\nand more: ü", "We sail on the 3rd.");
        assertThat(values(mem0, "user_id")).containsExactly("kim", "Ada");
        assertThat(mem0.at("/1/metadata/name").asString()).isEqualTo("june.md");
        assertThat(mem0.at("/1/metadata/reason").asString()).isEqualTo("wind");
        assertThat(mem0.at("/0/metadata/tags")).hasSize(2);
        assertThat(mem0.at("/0/created_at").asString()).isNotEmpty();
        var who = TestCaller.of(ClientApi.REST, key);
        bank(who, "empty");
        assertThat(TransferFiles.export(key, "empty", "?format=mem0")).isEqualTo("[\n]\n");
        bank(who, "copy");
        var lines = download(key, "jsonl");
        assertThat(TransferFiles.imported(key, "copy", "jsonl", lines).number("/stored"))
                .isEqualTo(2);
        assertThat(TransferFiles.export(key, "copy", "?format=jsonl")).isEqualTo(new String(lines, UTF_8));
    }

    /** What was superseded is not current again, and nobody's text has become another one. */
    @Test
    void anImportOfAnExportHasWhatIsCurrent() {
        var key = key();
        var kim = TestCaller.of(ClientApi.REST, key);
        for (var text : List.of("=1+1 is two", "'- and a quoted item", "'tis plain")) {
            var store = Json.object().put("content", text).put("expires_at", "2090-01-01T00:00:00Z");
            store.putObject("target").put("bank", "b");
            kim.call("MB_Store", store).ok();
        }
        for (var format : List.of("csv", "mem0", "markdown", "graph", "by-name")) {
            bank(kim, format);
            var isNamed = format.endsWith("name");
            var file = download(key, isNamed ? "markdown" : format);
            var report = TransferFiles.imported(key, format, isNamed ? "markdown" : "auto", file);
            assertThat(report.at("/complete").asBoolean()).as(report.toString()).isTrue();
            var memories = kim.call("MB_Read", "{'target':{'bank':'%s'}}".formatted(format))
                    .ok();
            var texts = memories.texts("/content", "text");
            assertThat(texts)
                    .as(format)
                    .anyMatch(text -> text.endsWith("We sail on the 3rd."))
                    .noneMatch(text -> text.contains("We sail on the 2nd.") || text.contains("agent_workspace_engine"))
                    .anyMatch(text -> text.endsWith("'tis plain"));
            var quoted = memories.at("/content")
                    .valueStream()
                    .filter(memory -> memory.path("text").asString().contains("quoted\", line"))
                    .findFirst()
                    .orElseThrow();
            assertThat(quoted.path("tags").toString()).as(format).isEqualTo("[\"sea\",\"x y\"]");
            if (format.equals("graph")) {
                assertThat(texts).hasSize(5).noneMatch(text -> text.contains("tags:") || text.contains("derived"));
            } else { // Its observations have the name of their entity, and no time.
                assertThat(texts).as(format).contains("=1+1 is two", "'- and a quoted item", "'tis plain");
                assertThat(memories.texts("/content", "expires_at")).as(format).contains("2090-01-01T00:00:00.000Z");
                assertThat(memories.texts("/content", "name")).as(format).anyMatch(name -> name.startsWith("june"));
            }
        }
    }

    /** The same fields without the mark are a person's own: nothing is left out, renamed or deleted. */
    @Test
    void whatOnlyLooksLikeAnExportIsKeptAsItIs() {
        var key = key();
        var kim = TestCaller.of(ClientApi.REST, key);
        bank(kim, "own");
        var note =
                "---\nid: 0191e0b0-0000-7000-8000-000000000001\nstatus: superseded\nexpires: 2090-01-01\nupdated: 2025-01-01\n---\nUse [[Kafka]].\n";
        TransferFiles.imported(key, "own", "auto", TransferFiles.zip(Map.of("adr.md", note)));
        var mem0 = "[{\"memory\":\"likes tea\",\"user_id\":\"ann\",\"metadata\":{\"revision\":3,\"name\":\"Ann\"}}]";
        TransferFiles.imported(key, "own", "auto", mem0.getBytes(UTF_8));
        var graph =
                "{\"type\":\"entity\",\"name\":\"E\",\"entityType\":\"superseded memory\",\"observations\":[\"a\",\"tags: b\"]}";
        TransferFiles.imported(key, "own", "auto", graph.getBytes(UTF_8));
        var memories = kim.call("MB_Read", "{'target':{'bank':'own'}}").ok();
        assertThat(memories.texts("/content", "text"))
                .containsExactlyInAnyOrder("Use [[Kafka]].", "likes tea", "E: a", "E: tags: b");
        assertThat(memories.texts("/content", "name")).doesNotContain("Ann");
        assertThat(memories.at("/content").valueStream()).noneMatch(memory -> memory.has("expires_at"));
    }

    @Test
    void aTableHasEachMemoryInARow() {
        var lines = new String(download(key(), "csv"), UTF_8);
        assertThat(lines).startsWith("id,name,text,tags,author,").endsWith("\r\n");
        assertThat(lines).contains(",,\"A \"\"quoted\"\", line\nand more: ü\",\"sea,x y\",kim,,,");
        assertThat(lines.split("\r\n")).hasSize(4);
    }

    @Test
    void aFolderOfNotesHasPropertiesAndLinks() throws IOException {
        var key = key();
        var zip = download(key, "markdown");
        var files = files(zip);
        assertThat(files).hasSize(3).containsKeys("plans/may.md", "june.md");
        var unnamed = files.keySet().stream()
                .filter(path -> !path.equals("june.md") && !path.equals("plans/may.md"))
                .findFirst()
                .orElseThrow();
        var id = unnamed.replace(".md", "");
        assertThat(files.get("june.md"))
                .startsWith("---\ntitle: \"june\"\ntype: \"note\"\ntags: []\n")
                .contains("reason: \"wind\"\n", "\n---\n\nWe sail on the 3rd.\n")
                .endsWith("\n## Relations\n\n- derived_from [[%s]]\n- supersedes [[plans/may]]\n".formatted(id));
        assertThat(files.get("plans/may.md")).contains("status: \"superseded\"", "- superseded_by [[june]]");
        assertThat(files.get(unnamed)).contains("tags: [\"sea\",\"x y\"]\n", "- derived_from [[plans/may]]");
        bank(TestCaller.of(ClientApi.REST, key), "notes");
        assertThat(TransferFiles.imported(key, "notes", "markdown", zip).number("/stored"))
                .isEqualTo(2);
        assertThat(TransferFiles.export(key, "notes", ""))
                .contains("We sail on the 3rd.", "and more: ü")
                .doesNotContain("[[");
    }

    /** A text may end as the links below an exported note do: those of basic-memory do. */
    @Test
    void linksThatAreAMemorysOwnTextComeBack() {
        var key = tenant.key(ClientApi.REST, "rel", Role.MEMBER, List.of("*"));
        var who = TestCaller.of(ClientApi.REST, key);
        agent(who, "Ada");
        bank(who, "b");
        storeNamed(who, "b", "Ada", "coffee", "Brewed strong.\\n\\n## Relations\\n\\n- relates_to [[Harbour]]")
                .ok();
        bank(who, "back");
        assertThat(TransferFiles.imported(key, "back", "markdown", download(key, "markdown"))
                        .number("/stored"))
                .isEqualTo(2);
        assertThat(TransferFiles.export(key, "back", "")).contains("- relates_to [[Harbour]]");
    }

    /** Restored memories may have lost their names, and a name may be the same as a file of another memory. */
    @Test
    void memoriesWithOneNameOrOnePathAreKeptApart() throws IOException {
        var key = tenant.key(ClientApi.REST, "lee", Role.MEMBER, List.of("*"));
        var who = TestCaller.of(ClientApi.REST, key);
        agent(who, "Ada");
        bank(who, "b");
        var ids = new LinkedHashMap<String, String>();
        for (var name : List.of("twin", "june", "june.md", "a", "a.md/b")) {
            ids.put(
                    name,
                    storeNamed(who, "b", "Ada", name, "=1 of " + name).ok().text("/memory/id"));
        }
        who.call("MB_Delete", "{'target':{'bank':'b'},'memory':'twin'}").ok();
        var second = storeNamed(who, "b", "Ada", "twin", "2 of twin").ok().text("/memory/id");
        who.call("MB_Delete", "{'target':{'bank':'b'},'memory':'twin'}").ok();
        who.call("MB_Restore", "{'target':{'bank':'b'},'memories':['%s','%s']}".formatted(ids.get("twin"), second))
                .ok();
        who.call(
                        "MB_Store",
                        "{'target':{'bank':'b'},'content':'of june','derived_from':['%s']}".formatted(ids.get("june")))
                .ok();
        bank(who, "copy");
        assertThat(TransferFiles.imported(key, "copy", "jsonl", download(key, "jsonl"))
                        .number("/stored"))
                .isEqualTo(7);
        assertThat(new String(download(key, "csv"), UTF_8))
                .contains(ids.get("twin") + ",,'=1 of twin,", second + ",twin,2 of twin,");
        var files = files(download(key, "markdown"));
        assertThat(files)
                .hasSize(7)
                .containsKeys("june.md", ids.get("june") + ".md", "a.md", ids.get("a.md/b") + ".md", "twin.md");
        assertThat(files.get("june.md")).contains("=1 of june.md");
        assertThat(String.join("", files.values())).contains("[[%s]]".formatted(ids.get("june")));
    }

    @Test
    void aZipHasALimit() throws IOException {
        var page = Json.object();
        var parts = page.putArray("parts");
        for (var i = 0; i <= 20_000; i++) {
            parts.addObject().put("path", i + ".md").put("text", "");
        }
        try (var folder = PageWriter.of(PageWriter.ZIP, OutputStream.nullOutputStream())) {
            assertThatThrownBy(() -> folder.write(page)).hasMessage("a zip has at most 20,000 files");
        }
    }

    private static Map<String, String> files(byte[] zip) throws IOException {
        var files = new LinkedHashMap<String, String>();
        try (var in = new ZipInputStream(new ByteArrayInputStream(zip), UTF_8)) {
            for (var entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                files.put(entry.getName(), new String(in.readAllBytes(), UTF_8));
            }
        }
        return files;
    }

    @Test
    void theReferenceMemoryServerReadsItsLines(@TempDir Path folder) throws IOException {
        var file = Files.write(folder.resolve("memory.jsonl"), download(key(), "graph"));
        var graph = Json.readObject(read(file).getBytes(UTF_8)).at("/result/structuredContent");
        var types = graph.path("entities")
                .valueStream()
                .collect(Collectors.toMap(
                        each -> each.path("name").asString(),
                        each -> each.path("entityType").asString()));
        assertThat(types).hasSize(3).contains(Map.entry("plans/may", "superseded memory"), Map.entry("june", "memory"));
        assertThat(values(graph.path("relations"), "relationType"))
                .containsExactly("derived_from", "derived_from", "supersedes");
        assertThat(graph.path("relations")
                        .valueStream()
                        .flatMap(each -> List.of(
                                each.path("from").asString(), each.path("to").asString())
                                .stream()))
                .isSubsetOf(types.keySet());
        assertThat(graph.toString()).contains("tags: sea, x y");
    }

    /** Starts the real server with the file, and returns its answer to read_graph. */
    private static String read(Path file) throws IOException {
        var command = List.of(
                Node.module(".bin/node").toString(),
                Node.module("@modelcontextprotocol/server-memory/dist/index.js").toString());
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("MEMORY_FILE_PATH", file.toString());
        var server = builder.start();
        try (var out = server.outputWriter(UTF_8);
                var in = server.inputReader(UTF_8)) {
            out.write("""
                {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
                {"jsonrpc":"2.0","method":"notifications/initialized"}
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}
                """);
            out.flush();
            return in.lines()
                    .filter(line -> line.contains("\"id\":2"))
                    .findFirst()
                    .orElseThrow();
        } finally {
            server.destroy();
        }
    }

    private static List<String> values(JsonNode list, String field) {
        return list.valueStream().map(each -> each.path(field).asString()).toList();
    }
}
