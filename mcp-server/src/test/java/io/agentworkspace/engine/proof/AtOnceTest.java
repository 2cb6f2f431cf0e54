package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Person;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Scene;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What one principal does in several requests at the same time, as models do that call tools in parallel. */
class AtOnceTest {
    private static final int ZONES = 6;
    private static final int ROUNDS = 6;

    private final TestTenant tenant = new TestTenant();
    private final Person ann = tenant.person(Door.REST, "ann", Role.MEMBER);

    @Test
    void movesInOneContextAtOnceAreAllKept() {
        Scene.agents(ann, "Ada", "Bea");
        Scene.domain(ann, "lab", "private");
        for (var i = 0; i < 8; i++) {
            var context = "c" + i;
            all(List.of(
                    () -> ann.call("AP_LogOn", "{'target':{'agent':'Ada','context':'%s'}}".formatted(context)),
                    () -> ann.call("AP_Select", "{'target':{'agent':'Bea','context':'%s'}}".formatted(context))));
            var self = ann.call("US_Read", "{'target':{'context':'%s'}}".formatted(context))
                    .ok();
            assertThat(self.text("/header/context/self")).isEqualTo("Ada");
            assertThat(self.text("/header/context/agent")).isEqualTo("Bea");
        }
    }

    @Test
    void oneSpeakerInManyZonesAtOnceGetsEverythingOnce() {
        var bob = tenant.person(Door.REST, "bob", Role.MEMBER);
        Scene.domain(ann, "hall", "public");
        Scene.agents(bob, "Bo");
        Scene.invite(bob, "hall", "Bo").ok();
        for (var zone = 0; zone < ZONES; zone++) {
            Scene.zone(ann, "hall", "z" + zone);
            Scene.enter(bob, "default", "hall", "z" + zone).ok();
        }
        var speakers = IntStream.range(0, ZONES)
                .boxed()
                .flatMap(thread -> Stream.of(speaker(ann, thread), speaker(bob, thread)))
                .toList();
        var received = all(speakers).stream()
                .flatMap(List::stream)
                .filter(from -> from.startsWith("ann:"))
                .toList();
        assertThat(received).doesNotHaveDuplicates();
        var rest = bob.call("AP_Chat", "{'target':{'domain':'hall'},'content':'and?','page':{'limit':200}}")
                .ok();
        var all = Stream.concat(received.stream(), heard(rest).stream()).toList();
        assertThat(all).doesNotHaveDuplicates().hasSize(ZONES * ROUNDS);
    }

    /** Speaks in one zone after the other, beginning with another one than the next speaker; what it has heard meanwhile. */
    private static Callable<List<String>> speaker(Person person, int thread) {
        return () -> {
            var heard = new ArrayList<String>();
            for (var round = 0; round < ROUNDS; round++) {
                var zone = "z" + (thread + round) % ZONES;
                var said = Scene.say(person, "t" + thread, "hall", zone, "%d in round %d".formatted(thread, round));
                heard.addAll(heard(said.ok()));
            }
            return heard;
        };
    }

    /** Each message of somebody else, as speaker and id. */
    private static List<String> heard(Reply chat) {
        return chat.at("/content")
                .valueStream()
                .skip(1)
                .map(message -> message.path("from").asString() + ":"
                        + message.path("id").asString())
                .toList();
    }

    private static <T> List<T> all(List<Callable<T>> work) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<T>();
            for (var task : work.stream().map(threads::submit).toList()) {
                results.add(task.get());
            }
            return results;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
