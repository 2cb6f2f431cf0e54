package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Concurrent requests of one principal, as from models that call tools in parallel. */
@Tag("race")
class ConcurrentCallsTest {
    private static final int ZONES = 6;
    private static final int ROUNDS = 6;

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.MEMBER);

    @Test
    void movesInOneContextAtOnceAreAllKept() {
        DomainSetup.agents(ann, "Ada", "Bea");
        DomainSetup.domain(ann, "lab", "private");
        for (var i = 0; i < 8; i++) {
            var context = "c" + i;
            Concurrently.all(List.of(
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
        var bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);
        DomainSetup.domain(ann, "hall", "public");
        DomainSetup.agents(bob, "Bo");
        DomainSetup.invite(bob, "hall", "Bo").ok();
        for (var zone = 0; zone < ZONES; zone++) {
            DomainSetup.zone(ann, "hall", "z" + zone);
            DomainSetup.enter(bob, "default", "hall", "z" + zone).ok();
        }
        var speakers = IntStream.range(0, ZONES)
                .boxed()
                .flatMap(thread -> Stream.of(speaker(ann, thread), speaker(bob, thread)))
                .toList();
        var received = Concurrently.all(speakers).stream()
                .flatMap(List::stream)
                .filter(from -> from.startsWith("ann:"))
                .toList();
        assertThat(received).doesNotHaveDuplicates();
        var rest = bob.call("AP_Chat", "{'target':{'domain':'hall'},'content':'and?','page':{'limit':200}}")
                .ok();
        var all = Stream.concat(received.stream(), received(rest).stream()).toList();
        assertThat(all).doesNotHaveDuplicates().hasSize(ZONES * ROUNDS);
    }

    /** Speaks in one zone after the other, each speaker from another start. Returns what it received meanwhile. */
    private static Callable<List<String>> speaker(TestCaller person, int thread) {
        return () -> {
            var heard = new ArrayList<String>();
            for (var round = 0; round < ROUNDS; round++) {
                var zone = "z" + (thread + round) % ZONES;
                var said =
                        DomainSetup.say(person, "t" + thread, "hall", zone, "%d in round %d".formatted(thread, round));
                heard.addAll(received(said.ok()));
            }
            return heard;
        };
    }

    /** Returns each message of others as speaker and id. */
    private static List<String> received(Reply chat) {
        return chat.at("/content")
                .valueStream()
                .skip(1)
                .map(message -> message.path("from").asString() + ":"
                        + message.path("id").asString())
                .toList();
    }
}
