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
        DomainSetup.agents(ann, "Ada");
        DomainSetup.agents(bob, "Bo");
        DomainSetup.invite(ann, "hall", "Ada").ok();
        DomainSetup.invite(bob, "hall", "Bo").ok();
        for (var zone = 0; zone < ZONES; zone++) {
            DomainSetup.zone(ann, "hall", "z" + zone);
            DomainSetup.enter(ann, "Ada", "hall", "z" + zone).ok();
            DomainSetup.enter(bob, "Bo", "hall", "z" + zone).ok();
            logOn(ann, "Ada", zone);
            logOn(bob, "Bo", zone);
        }
        var speakers = IntStream.range(0, ZONES)
                .boxed()
                .flatMap(thread -> Stream.of(speaker(ann, thread), speaker(bob, thread)))
                .toList();
        var received = new ArrayList<String>();
        Concurrently.all(speakers).forEach(received::addAll);
        for (var zone = 0; zone < ZONES; zone++) {
            List<String> more;
            do {
                more = received(
                        DomainSetup.say(bob, "Bo", "hall", "z" + zone, "and?").ok());
                received.addAll(more);
            } while (!more.isEmpty());
        }
        assertThat(received.stream().filter(from -> from.startsWith("Ada:")))
                .doesNotHaveDuplicates()
                .hasSize(ZONES * ROUNDS);
    }

    private static void logOn(TestCaller person, String agent, int thread) {
        person.call("AP_LogOn", "{'target':{'agent':'%s','context':'t%d'}}".formatted(agent, thread))
                .ok();
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
