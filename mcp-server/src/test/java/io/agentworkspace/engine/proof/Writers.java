package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.proof.Way.Got;
import io.agentworkspace.engine.testing.EngineProcess;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Four clients who write without a pause, through both doors, and remember what the engine has acknowledged. */
final class Writers implements AutoCloseable {
    private final String run = UUID.randomUUID().toString().substring(0, 8);
    private final String url;
    private final String key;
    private final Queue<String> agents = new ConcurrentLinkedQueue<>();
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final Queue<Got> unexpected = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unavailable = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean done;

    Writers(EngineProcess engine) throws Exception {
        url = engine.url();
        key = engine.key();
        call(Way.ALIAS, "AP_Create", "{\"vx\":{\"name\":\"listener %s\",\"description\":\"d\"}}".formatted(run));
        for (var i = 0; i < 4; i++) {
            var writer = i;
            threads.add(Thread.ofPlatform().start(() -> write(writer)));
        }
    }

    private Got call(Way way, String service, String arguments) {
        return way.call(url, key, service, arguments, Map.of());
    }

    /** Until it is told to end, or nobody is there any more. */
    private void write(int writer) {
        try {
            for (var i = 0; !done; i++) {
                var name = "w%d %d %s".formatted(writer, i, run);
                var got = writer % 2 == 0
                        ? call(
                                Way.ALIAS,
                                "AP_Create",
                                "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name))
                        : call(
                                Way.MCP,
                                "AP_Chat",
                                "{\"target\":{\"agent\":\"listener %s\"},\"content\":\"%s\"}".formatted(run, name));
                if (got.error().isEmpty()) {
                    (writer % 2 == 0 ? agents : messages).add(name);
                } else if (got.error().equals("unavailable")) {
                    unavailable.incrementAndGet();
                } else {
                    unexpected.add(got);
                }
            }
        } catch (UncheckedIOException e) {
            // The engine is gone; this request was not acknowledged.
        }
    }

    int acknowledged() {
        return agents.size() + messages.size();
    }

    /** How many were told that the database is away. */
    int unavailable() {
        return unavailable.get();
    }

    /** Lets them finish the request that each has in hand. */
    @Override
    public void close() {
        done = true;
        for (var thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        assertThat(unexpected).isEmpty();
    }

    /** All that was acknowledged is there. */
    void checkNothingIsLost(EngineProcess engine) {
        assertThat(storedAgents(engine)).containsAll(agents);
        assertThat(storedMessages(engine)).containsAll(messages);
    }

    /** And nothing that was done has stayed without an answer. */
    void checkAllWasAnswered(EngineProcess engine) {
        assertThat(agents).containsAll(storedAgents(engine));
        assertThat(messages).containsAll(storedMessages(engine));
    }

    private Set<String> storedAgents(EngineProcess engine) {
        return pages(engine, "AP_List", "{\"agent\":\"w\"}", "/profile", "name");
    }

    private Set<String> storedMessages(EngineProcess engine) {
        return pages(engine, "AP_Read", "{\"agent\":\"listener %s\"}".formatted(run), "/content", "content");
    }

    private Set<String> pages(EngineProcess engine, String service, String target, String array, String field) {
        var found = new HashSet<String>();
        var page = "{\"limit\":200}";
        while (true) {
            var got = Way.ALIAS.call(
                    engine.url(), key, service, "{\"target\":%s,\"page\":%s}".formatted(target, page), Map.of());
            assertThat(got.error()).as(got.toString()).isEmpty();
            got.envelope().at(array).forEach(row -> found.add(row.path(field).asString()));
            if (!got.envelope().has("next_cursor")) {
                found.removeIf(text -> !text.endsWith(run));
                return found;
            }
            page = "{\"limit\":200,\"cursor\":%s}"
                    .formatted(Json.text(got.envelope().get("next_cursor")));
        }
    }
}
