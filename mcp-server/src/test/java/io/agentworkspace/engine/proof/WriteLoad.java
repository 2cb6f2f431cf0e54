package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
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

/** Four clients that write continuously through both endpoints, and remember which writes the engine acknowledged. */
final class WriteLoad implements AutoCloseable {
    private final String run = UUID.randomUUID().toString().substring(0, 8);
    private final String url;
    private final String key;
    private final Queue<String> agents = new ConcurrentLinkedQueue<>();
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final Queue<Got> unexpected = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unavailable = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean done;

    WriteLoad(EngineProcess engine) throws Exception {
        url = engine.url();
        key = engine.key();
        call(
                CommandAddress.ALIAS,
                "AP_Create",
                "{\"vx\":{\"name\":\"listener %s\",\"description\":\"d\"}}".formatted(run));
        for (var i = 0; i < 4; i++) {
            var writer = i;
            threads.add(Thread.ofPlatform().start(() -> write(writer)));
        }
    }

    private Got call(CommandAddress way, String service, String arguments) {
        return way.call(url, key, service, arguments, Map.of());
    }

    /** Writes until the test ends or the engine is gone. */
    private void write(int writer) {
        try {
            for (var i = 0; !done; i++) {
                var name = "w%d %d %s".formatted(writer, i, run);
                var got = writer % 2 == 0
                        ? call(
                                CommandAddress.ALIAS,
                                "AP_Create",
                                "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name))
                        : call(
                                CommandAddress.MCP,
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

    /** Returns the number of responses that reported an unavailable database. */
    int unavailable() {
        return unavailable.get();
    }

    /** Lets each client finish its current request. */
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

    /** Checks that all acknowledged writes are stored. */
    void checkNothingIsLost(EngineProcess engine) {
        assertThat(storedAgents(engine)).containsAll(agents);
        assertThat(storedMessages(engine)).containsAll(messages);
    }

    /** Checks that every stored write was acknowledged. */
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
            var got = CommandAddress.ALIAS.call(
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
