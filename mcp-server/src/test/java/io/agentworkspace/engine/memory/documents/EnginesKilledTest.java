package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Engines are killed with {@code kill -9} while they validate documents, and while they load them into banks. */
@Tag("slow")
class EnginesKilledTest {
    private static final String TASKS = "{'elicitation': {}, 'extensions': {'io.modelcontextprotocol/tasks': {}}}";
    private static final int DOCUMENTS = 120;
    private static final int PAGES = DOCUMENTS / 10;

    @TempDir
    private static Path folder;

    private static EngineFixture fixture;

    @BeforeAll
    static void start() {
        fixture = new EngineFixture("engines_killed", folder);
    }

    @AfterAll
    static void end() {
        fixture.close();
    }

    /** One of ten is broken, and one of ten has the content of another. */
    private static ObjectNode document(int n) {
        return switch (n % 10) {
            case 3 -> text("broken %03d.json".formatted(n), "{\"number\": %d".formatted(n));
            case 7 -> text("copy %03d.md".formatted(n), "# Common\n\nThe same words each time.");
            default ->
                text("page %03d.md".formatted(n), "# Page %d\n\nWords of page %d, and of no other.".formatted(n, n));
        };
    }

    private static boolean submit(int from, int to) throws Exception {
        try (var threads = Executors.newFixedThreadPool(4)) {
            var calls = IntStream.range(from, to)
                    .mapToObj(n -> (Callable<Object>)
                            () -> fixture.call(0, "DC_Submit", document(n)).ok())
                    .toList();
            for (var call : threads.invokeAll(calls)) {
                call.get();
            }
        }
        return true;
    }

    /** The documents of this test, in one of these states. */
    private static long documents(String condition) {
        return fixture.count("document WHERE name ~ '^(page|broken|copy) ' AND " + condition);
    }

    /** Two of three replicas are killed while they write what they found, and come back. */
    @Test
    void everyDocumentEndsOnce() throws Exception {
        fixture.startAll();
        try (var others = Executors.newSingleThreadExecutor()) {
            var submitted = others.submit(() -> submit(0, DOCUMENTS));
            await().until(() -> documents("state IN ('accepted', 'rejected')") >= 25);
            try (var gate = fixture.new Gate("document_part")) {
                gate.awaitArrival(3);
                fixture.kill(1);
                fixture.kill(2);
            }
            fixture.startAll();
            submitted.get();
        }
        await().until(() -> documents("state IN ('accepted', 'rejected')") == DOCUMENTS);
        assertThat(documents("attempts > 1")).as("what the two had").isGreaterThanOrEqualTo(2);
        checkEachEndedOnce();
        checkEachIsLoadedOnce();
    }

    private static void checkEachEndedOnce() {
        assertThat(documents("state = 'accepted'")).isEqualTo(DOCUMENTS * 8 / 10 + 1);
        assertThat(documents("state = 'rejected' AND reasons::text LIKE '%duplicate%'"))
                .isEqualTo(DOCUMENTS / 10 - 1);
        assertThat(documents("state = 'rejected' AND name LIKE 'broken%'")).isEqualTo(DOCUMENTS / 10);
        var events =
                "event WHERE type IN ('document.accepted', 'document.rejected') AND data->>'document' ~ '^(page|broken|copy) '";
        assertThat(fixture.count(events)).isEqualTo(DOCUMENTS);
        assertThat(fixture.count("(SELECT DISTINCT data->>'document' FROM %s) e".formatted(events)))
                .isEqualTo(DOCUMENTS);
        assertThat(
                        fixture.count(
                                "document_part p JOIN document d ON d.tenant_id = p.tenant_id AND d.id = p.document_id AND d.name ~ '^(page|copy) '"))
                .isEqualTo(DOCUMENTS * 8 / 10 + 1);
    }

    /** All replicas load the same ones at once. */
    private static void checkEachIsLoadedOnce() throws Exception {
        fixture.call(0, "MB_Create", "{'vx':{'name':'Pages'}}").ok();
        try (var threads = Executors.newFixedThreadPool(6)) {
            var loads = IntStream.range(0, 3 * PAGES)
                    .mapToObj(n -> (Callable<Long>) () -> fixture.call(n % 3, "MB_Load", load("Pages", page(n / 3)))
                            .ok()
                            .number("/document/added"))
                    .toList();
            var added = 0L;
            for (var load : threads.invokeAll(loads)) {
                added += load.get();
            }
            assertThat(added).isEqualTo(PAGES);
        }
        assertThat(memories("Pages")).isEqualTo(PAGES);
    }

    private static String page(int n) {
        return "page %03d.md".formatted(n * 10);
    }

    private static ObjectNode load(String bank, String document) {
        return Json.readObject("{\"target\":{\"bank\":\"%s\"},\"vx\":{\"name\":\"%s\"}}"
                .formatted(bank, document)
                .getBytes(StandardCharsets.UTF_8));
    }

    private static long memories(String bank) {
        return fixture.count("memory m JOIN bank b ON b.tenant_id = m.tenant_id AND b.id = m.bank_id AND b.name = '%s'"
                .formatted(bank));
    }

    /** Makes a bank, and a document of the same name with many pieces. */
    private static void prepare(String name) {
        var text = new StringBuilder("# Handbook %s\n".formatted(name));
        for (var i = 0; i < 200; i++) {
            text.append(
                    "\nParagraph %d explains a matter of its own at some length, so that there is something to load.\n"
                            .formatted(i));
        }
        fixture.call(0, "DC_Submit", text(name, text.toString())).ok();
        fixture.call(0, "MB_Create", "{'vx':{'name':'%s'}}".formatted(name)).ok();
        await().until(() -> fixture.count("document WHERE state = 'accepted' AND name = '%s'".formatted(name)) == 1);
    }

    private static JsonNode task(int engine, String id) {
        return new RawMcpClient(fixture.engine(engine).url() + "/mcp", fixture.key)
                .modern("tasks/get", "{'taskId': '%s'}".formatted(id), TASKS)
                .get("result");
    }

    /** Nothing is there twice, and the same call changes nothing any more. */
    private static void checkItIsLoadedOnce(int engine, String name, long added) {
        assertThat(added).isGreaterThan(5);
        assertThat(memories(name)).isEqualTo(added);
        var again = fixture.call(engine, "MB_Load", load(name, name)).ok();
        assertThat(again.at("/changed").asBoolean()).isFalse();
        assertThat(again.number("/document/kept")).isEqualTo(added);
        assertThat(memories(name)).isEqualTo(added);
    }

    /** The engine is killed when the memories are inserted, and not committed. */
    @Test
    void anotherReplicaFinishesTheTask() throws Exception {
        prepare("by task");
        fixture.kill(1);
        fixture.kill(2);
        String id;
        try (var gate = fixture.new Gate("document_memory")) {
            var task = new RawMcpClient(fixture.engine(0).url() + "/mcp", fixture.key)
                    .modern(
                            "tools/call",
                            "{'name': 'MB_Load', 'arguments': {'target': {'bank': 'by task'}, 'vx': {'name': 'by task'}}}",
                            TASKS);
            id = task.at("/result/taskId").asString();
            gate.awaitArrival(1);
            await().until(() -> task(0, id).path("statusMessage").asString("").contains("loading "));
            assertThat(task(0, id).path("status").asString()).isEqualTo("working");
            fixture.kill(0);
        }
        assertThat(memories("by task")).isZero();
        await().until(() -> task(1, id).path("status").asString().equals("completed"));
        var result = task(1, id).at("/result/structuredContent");
        assertThat(result.path("changed").asBoolean()).isTrue();
        checkItIsLoadedOnce(1, "by task", result.at("/document/added").asLong());
    }

    @Test
    void theCallCanBeSentAgain() throws Exception {
        prepare("by call");
        fixture.engine(2);
        try (var gate = fixture.new Gate("document_memory");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var lost = threads.submit(() -> sent(2));
            gate.awaitArrival(1);
            fixture.kill(2);
            assertThat(lost.get()).as("the connection is lost").isEmpty();
        }
        assertThat(memories("by call")).isZero();
        var added = Json.readObject(sent(0).getBytes(StandardCharsets.UTF_8))
                .at("/document/added")
                .asLong();
        var replayed = Json.readObject(sent(0).getBytes(StandardCharsets.UTF_8));
        assertThat(replayed.at("/document/added").asLong()).isEqualTo(added);
        checkItIsLoadedOnce(0, "by call", added);
    }

    /** The same call each time; empty where no answer comes. */
    private static String sent(int engine) {
        try {
            var answer = ClientApi.post(
                    fixture.engine(engine).url() + "/demo/v1/Engine/tps/bank/load",
                    fixture.key,
                    Json.bytes(load("by call", "by call")),
                    Map.of("Idempotency-Key", "load once"));
            return new String(answer.body(), StandardCharsets.UTF_8);
        } catch (UncheckedIOException gone) {
            return "";
        }
    }
}
