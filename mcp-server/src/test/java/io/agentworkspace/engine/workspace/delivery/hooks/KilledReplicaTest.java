package io.agentworkspace.engine.workspace.delivery.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.Lines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two replicas, of which one is killed while many calls wait and listeners listen: all hear everything, and once. */
@Tag("slow")
class KilledReplicaTest {
    private static final int KEYS = 11;
    private static final int CALLS_OF_KEY = 20;
    private static final int LISTENERS = 30;

    private final TestTenant tenant = new TestTenant();
    private final List<Ear> ears = new ArrayList<>();

    @TempDir
    Path folder;

    /** What one agent's program hears. */
    private record Ear(String key, String agent, List<String> heard) {
        Ear(String key, String agent) {
            this(key, agent, new CopyOnWriteArrayList<>());
        }
    }

    private static Reply call(String key, String service, String arguments) {
        return ClientApi.REST.call(TestServer.url(), key, service, HookFixture.object(arguments));
    }

    private String member(int number, int agents) {
        var key = tenant.key(ClientApi.REST, "user" + number, Role.MEMBER, List.of("*"));
        for (var i = 0; i < agents; i++) {
            var agent = "agent-%d-%d".formatted(number, i);
            call(key, "AP_Create", "{'vx':{'name':'%s','description':'d','access':'public'}}".formatted(agent))
                    .ok();
            call(key, "AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(agent))
                    .ok();
            ears.add(new Ear(key, agent));
        }
        return key;
    }

    @Test
    void allHearEverythingOnce() {
        for (var number = 0; number < KEYS; number++) {
            member(number, CALLS_OF_KEY);
        }
        var waiting = List.copyOf(ears);
        var owner = member(KEYS, LISTENERS);
        var listening = ears.subList(waiting.size(), ears.size());
        var survivor = TestServer.url();
        try (var doomed = EngineProcess.replica(folder);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var urls = List.of(doomed.url(), survivor);
            var ends = new ArrayList<CompletableFuture<Void>>();
            for (var i = 0; i < waiting.size(); i++) {
                ends.add(hear(waiting.get(i), urls.get(i % 2), survivor, threads));
            }
            for (var i = 0; i < listening.size(); i++) {
                ends.add(listen(listening.get(i), owner, urls.get(i % 2), survivor, threads));
            }
            await().until(() -> registered("wait") == waiting.size() && registered("stream") == listening.size());
            sayToAll(owner, "before");
            await().until(() -> ears.stream().allMatch(ear -> ear.heard().size() == 1));
            doomed.kill();
            sayToAll(owner, "after");
            ends.forEach(CompletableFuture::join);
        }
        assertThat(waiting).allSatisfy(ear -> assertThat(ear.heard()).containsExactly("before", "after"));
        assertThat(listening)
                .allSatisfy(ear -> assertThat(ear.heard()).containsExactly("1 new message", "1 new message"));
    }

    private void sayToAll(String key, String text) {
        for (var ear : ears) {
            call(key, "AP_Chat", "{'target':{'agent':'%s'},'content':'%s'}".formatted(ear.agent(), text))
                    .ok();
        }
    }

    private long registered(String kind) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM wake WHERE tenant_id = :tenant AND kind = :kind")
                .set("tenant", tenant.id(ClientApi.REST))
                .set("kind", kind)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Waits until two messages have come. A call that its replica did not answer is sent to the other one. */
    private static CompletableFuture<Void> hear(Ear ear, String first, String then, ExecutorService threads) {
        return CompletableFuture.runAsync(
                () -> {
                    var url = first;
                    while (ear.heard().size() < 2) {
                        try {
                            var arguments = "{'target':{'context':'%s'},'wait_seconds':300}".formatted(ear.agent());
                            var reply = ClientApi.REST.call(url, ear.key(), "AP_Wait", HookFixture.object(arguments));
                            ear.heard().addAll(reply.ok().texts("/content", "content"));
                        } catch (RuntimeException gone) {
                            assertThat(url).as(gone.toString()).isNotEqualTo(then);
                            url = then;
                        }
                    }
                },
                threads);
    }

    /** Follows the wake-ups of a session until two have come, and resumes at the other replica. */
    private static CompletableFuture<Void> listen(
            Ear ear, String owner, String first, String then, ExecutorService threads) {
        var key = call(owner, "AK_Create", "{'name':'%1$s','capabilities':['*'],'agent':'%1$s'}".formatted(ear.agent()))
                .ok()
                .text("/api_key");
        return CompletableFuture.runAsync(
                () -> {
                    var lines = Lines.of(first, key, "s");
                    while (ear.heard().size() < 2) {
                        var line = lines.next();
                        if (line.equals(HookFixture.END)) {
                            lines = Lines.of(then, key, "s&after=" + lines.id());
                        } else {
                            ear.heard().add(line.replaceFirst("^\\d+ (\\d+ new messages?).*", "$1"));
                        }
                    }
                    lines.close();
                },
                threads);
    }
}
