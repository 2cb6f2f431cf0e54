package io.agentworkspace.engine.workspace.chat.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message that one replica acknowledged is found by the other at once, also if the first was killed. */
@Tag("slow")
class SearchReplicasTest {
    private static final int MESSAGES = 20;

    private final String key = new TestTenant().key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));

    @TempDir
    Path folder;

    SearchReplicasTest() {
        call(TestServer.url(), "AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
    }

    private Reply call(String url, String tool, String arguments) {
        var fields = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(url, key, tool, fields).ok();
    }

    private String say(String url, String content) {
        return call(url, "AP_Chat", "{'target':{'agent':'Ada'},'content':'%s'}".formatted(content))
                .text("/content/0/id");
    }

    private List<String> found(String url, String fields) {
        var all = new ArrayList<String>();
        var cursor = "";
        do {
            var page = call(url, "AP_Search", "{%s,'page':{'limit':50%s}}".formatted(fields, cursor));
            all.addAll(page.texts("/content", "id"));
            cursor = page.envelope().has("next_cursor") ? ",'cursor':'%s'".formatted(page.text("/next_cursor")) : "";
        } while (!cursor.isEmpty());
        return all;
    }

    @Test
    void whatOneReplicaAcknowledgedTheOtherFindsAtOnce() {
        try (var other = TestServer.replica()) {
            var urls = List.of(TestServer.url(), other.url());
            for (var i = 0; i < MESSAGES; i++) {
                var said = say(urls.get(i % 2), "buoy number" + i);
                var there = urls.get((i + 1) % 2);
                assertThat(found(there, "'content':'number%d'".formatted(i))).containsExactly(said);
                assertThat(found(there, "'since':'2000-01-01T00:00:00Z'"))
                        .startsWith(said)
                        .hasSize(i + 1);
            }
        }
    }

    @Test
    void whatAKilledReplicaAcknowledgedIsFound() {
        var acknowledged = new CopyOnWriteArrayList<String>();
        try (var doomed = EngineProcess.replica(folder)) {
            var ended = CompletableFuture.runAsync(() -> sayUntilItIsGone(doomed.url(), acknowledged));
            await().until(() -> acknowledged.size() >= MESSAGES || ended.isDone());
            doomed.kill();
            ended.join();
        }
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(MESSAGES);
        assertThat(found(TestServer.url(), "'content':'buoy'")).containsAll(acknowledged);
        assertThat(found(TestServer.url(), "'since':'2000-01-01T00:00:00Z'")).containsAll(acknowledged);
    }

    private void sayUntilItIsGone(String url, List<String> acknowledged) {
        try {
            while (true) {
                acknowledged.add(say(url, "buoy " + acknowledged.size()));
            }
        } catch (RuntimeException gone) {
            assertThat(acknowledged).as(gone.toString()).hasSizeGreaterThanOrEqualTo(MESSAGES);
        }
    }
}
