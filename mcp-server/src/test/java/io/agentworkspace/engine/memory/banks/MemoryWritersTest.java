package io.agentworkspace.engine.memory.banks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sixteen writers change the same memories on three replicas, one of which is killed. Each change requires that nobody
 * else has changed the memory, and is then searched for on every replica. {@code -Dwrites=10000} sets their number.
 */
@Tag("slow")
class MemoryWritersTest {
    private static final int WRITERS = 16;
    private static final int WRITES = Integer.getInteger("writes", 320);
    private static final int MEMORIES = 8;

    /** One of this many writes is searched for. */
    private static final int SEARCHED = 5;

    @TempDir
    private Path directory;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "root", Role.ADMIN, List.of("*"));
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();

    private ObjectNode call(String url, String service, ObjectNode arguments) {
        return Json.readObject(ClientApi.post(url + ClientApi.path(service), key, Json.bytes(arguments), Map.of())
                .body());
    }

    private static ObjectNode arguments(String name) {
        var arguments = Json.object();
        arguments.putObject("target").put("bank", "b");
        arguments.putObject("vx").put("name", name);
        return arguments;
    }

    private ObjectNode read(String url, String name) {
        return (ObjectNode) call(url, "MB_Read", arguments(name)).at("/content/0");
    }

    /** Appends the token to the memory, whatever others write in the meantime. */
    private void add(Queue<String> urls, String name, String token) {
        ObjectNode memory = null;
        while (true) {
            var url = urls.peek();
            try {
                memory = memory == null ? read(url, name) : memory;
                if (memory.path("text").asString().contains(token)) {
                    break; // The replica was killed after the write.
                }
                var change = arguments(name)
                        .put("content", memory.path("text").asString() + token)
                        .put("if_revision", memory.path("revision").asLong());
                var answer = call(url, "MB_Store", change);
                if (answer.at("/status/success").asBoolean()) {
                    break;
                }
                assertThat(answer.at("/status/internal_code").asInt())
                        .as(answer.toString())
                        .isIn(3003, 5002, 4001);
                memory = (ObjectNode) answer.get("memory");
            } catch (UncheckedIOException killed) {
                urls.remove(url);
                memory = null;
            }
        }
        acknowledged.add(name + token);
    }

    /** Searches for the token on every replica that is still there: what is acknowledged is found. */
    private void findEverywhere(List<String> urls, String doomed, String name, String token) {
        for (var url : urls) {
            try {
                assertThat(namesFound(url, token.replace("|", ""))).as(url).containsExactly(name);
            } catch (UncheckedIOException killed) {
                assertThat(url).isEqualTo(doomed);
            }
        }
    }

    private List<String> namesFound(String url, String word) {
        var query = Json.object().put("content", word).put("mode", "text");
        query.putObject("target").put("bank", "b");
        while (true) {
            var answer = call(url, "MB_Search", query);
            if (answer.at("/status/success").asBoolean()) {
                return answer.path("content")
                        .valueStream()
                        .map(hit -> hit.path("name").asString())
                        .toList();
            }
            assertThat(answer.at("/status/internal_code").asInt())
                    .as(answer.toString())
                    .isIn(5002, 4001);
        }
    }

    @Test
    void noUpdateIsLostAndEachIsFoundAtOnceOnEveryReplica() throws Exception {
        var doomed = EngineProcess.replica(directory);
        var killed = new AtomicBoolean();
        try (var other = Replica.start(Map.of());
                var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            call(
                    TestServer.url(),
                    "MB_Create",
                    Json.object().set("vx", Json.object().put("name", "b")));
            for (var i = 0; i < MEMORIES; i++) {
                call(TestServer.url(), "MB_Store", arguments("m" + i).put("content", "|"));
            }
            var all = List.of(doomed.url(), TestServer.url(), other.url());
            var tasks = IntStream.range(0, WRITERS)
                    .mapToObj(writer -> (Callable<Void>) () -> {
                        var urls = new ConcurrentLinkedQueue<>(
                                writer % 3 == 0
                                        ? List.of(doomed.url(), TestServer.url())
                                        : writer % 3 == 1 ? List.of(TestServer.url()) : List.of(other.url()));
                        for (var i = 0; i < WRITES / WRITERS; i++) {
                            var name = "m" + (writer + i) % MEMORIES;
                            var token = "w%dx%d|".formatted(writer, i);
                            add(urls, name, token);
                            if (i % SEARCHED == 0) {
                                findEverywhere(all, doomed.url(), name, token);
                            }
                            if (acknowledged.size() >= WRITES / 2 && killed.compareAndSet(false, true)) {
                                doomed.kill();
                            }
                        }
                        return null;
                    })
                    .toList();
            for (var done : pool.invokeAll(tasks)) {
                done.get();
            }
            assertThat(killed).isTrue();
        } finally {
            doomed.close();
        }
        var texts = IntStream.range(0, MEMORIES)
                .mapToObj(i -> read(TestServer.url(), "m" + i))
                .toList();
        assertThat(texts.stream()
                        .flatMap(
                                memory -> List.of(memory.path("text").asString().split("(?<=\\|)")).stream()
                                        .skip(1)
                                        .map(token -> memory.path("name").asString() + token)))
                .containsExactlyInAnyOrderElementsOf(acknowledged)
                .hasSize(WRITES);
        var kept = TestDatabase.db()
                .sql("SELECT count(*) AS kept FROM memory_revision WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("kept"))
                .orElseThrow();
        assertThat(kept).isEqualTo(WRITES);
    }
}
