package io.agentworkspace.engine.chat;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * Agents that answer each other without naming the message that they answer. Each speaks in a context with its own name.
 */
@Tag("slow")
class LoopGuardTest {
    private static final String PERSON = "default";

    private final TestTenant tenant = new TestTenant();

    private static Reply direct(TestCaller owner, String from, String to) {
        return owner.call(
                "AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'your turn'}".formatted(to, from));
    }

    private static Reply inZone(TestCaller owner, String from) {
        return say(owner, from, "Hall", "main", "I agree");
    }

    /** Creates a domain with the given number of members, named from P0. */
    private static TestCaller hall(TestCaller owner, int members) {
        agents(owner, names(members));
        hosted(owner, "Hall", "private", "P0");
        for (var i = 1; i < members; i++) {
            invite(owner, "Hall", "P" + i).ok();
        }
        return owner;
    }

    private static String[] names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "P" + i).toArray(String[]::new);
    }

    @Test
    void threeAgentsThatMessageEachOtherInACircleStopAfterThirty() {
        var ann = tenant.member("ann");
        agents(ann, names(3));
        for (var i = 0; i < 30; i++) {
            direct(ann, "P" + i % 3, "P" + (i + 1) % 3).ok();
        }
        for (var i = 0; i < 3; i++) {
            direct(ann, "P" + i, "P" + (i + 1) % 3)
                    .refused(3003, "loop guard", "10 direct messages", "until a person speaks");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPersonsWordReachesTheAgentsBehindTheOneThatHearsIt(ClientApi api) {
        try (var slow = new Slow(tenant, api)) {
            agents(slow, names(3));
            for (var i = 0; i < 30; i++) {
                direct(slow, "P" + i % 3, "P" + (i + 1) % 3).ok();
            }
            direct(slow, "P0", "P1").refused(3003, "loop guard", "10 direct messages");
            direct(slow, PERSON, "P0").ok();
            for (var i = 0; i < 30; i++) {
                direct(slow, "P" + i % 3, "P" + (i + 1) % 3).ok();
            }
            direct(slow, "P0", "P1").refused(3003, "loop guard", "10 direct messages");
            slow.pass(Duration.ofMinutes(16));
            direct(slow, "P0", "P1").ok();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPersonInAZoneSetsItsAgentsBackAlsoWhereTheyTalkDirectly(ClientApi api) {
        try (var slow = new Slow(tenant, api)) {
            hall(slow, 3);
            for (var i = 0; i < 30; i++) {
                direct(slow, "P" + i % 3, "P" + (i + 1) % 3).ok();
            }
            direct(slow, "P0", "P1").refused(3003, "loop guard", "10 direct messages");
            inZone(slow, PERSON).ok();
            direct(slow, "P0", "P1").ok();
            direct(slow, "P1", "P2").ok();
        }
    }

    @ParameterizedTest
    @EnumSource
    void agentsWhoseOwnerGoesOnSpeakingToOneAreNotStopped(ClientApi api) {
        try (var slow = new Slow(tenant, api)) {
            agents(slow, names(3));
            for (var i = 0; i < 20; i++) {
                if (i % 4 == 0) {
                    direct(slow, PERSON, "P0").ok();
                }
                direct(slow, "P0", "P1").ok();
                direct(slow, "P1", "P0").ok();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAgentMayReportWithoutEndToOneThatDoesNotAnswer(ClientApi api) {
        try (var slow = new Slow(tenant, api)) {
            hall(slow, 3);
            for (var i = 0; i < 40; i++) {
                direct(slow, "P0", "P1").ok();
                inZone(slow, "P2").ok();
            }
            direct(slow, "P1", "P0").ok();
            direct(slow, "P0", "P1").ok();
            inZone(slow, "P0").ok();
            inZone(slow, "P2").ok();
        }
    }

    @Test
    void twoOrThreeAgentsStopAfterThirtyInAZoneUntilAPersonSpeaks() {
        var ann = hall(tenant.member("ann"), 3);
        for (var agents = 2; agents <= 3; agents++) {
            inZone(ann, PERSON).ok();
            for (var i = 0; i < 30; i++) {
                assertThat(inZone(ann, "P" + i % agents)
                                .ok()
                                .at("/content/0/chain")
                                .size())
                        .isZero();
            }
            inZone(ann, "P0")
                    .refused(
                            3003,
                            "loop guard",
                            "30 messages in this zone",
                            "for %d agents".formatted(agents),
                            "person");
        }
        inZone(ann, PERSON).ok();
        inZone(ann, "P0").ok();
    }

    @Test
    void tenAgentsInABusyZoneWithAPersonAreNotStopped() {
        var ann = hall(tenant.member("ann"), 10);
        for (var i = 0; i < 150; i++) {
            if (i == 0 || i == 60) {
                inZone(ann, PERSON).ok();
            }
            inZone(ann, "P" + (i % 7 + i % 4)).ok();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsSaidAtOnceOnSeveralReplicasIsCountedOnce(ClientApi api) throws Exception {
        try (var other = Replica.start(Map.of())) {
            var key = tenant.key(api, "ann", Role.MEMBER, List.of("*"));
            TestCaller here = (service, arguments) -> api.call(TestServer.url(), key, service, arguments);
            TestCaller there = (service, arguments) -> api.call(other.url(), key, service, arguments);
            hall(here, 3);
            IntStream.range(0, 3).forEach(i -> inZone(here, "P" + i).ok());
            var said = new AtomicInteger(3);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var work = IntStream.range(0, 6)
                        .mapToObj(i -> (Callable<Object>) () -> {
                            for (var n = 0; n < 10; n++) {
                                if (inZone(i % 2 == 0 ? here : there, "P" + i % 3)
                                                .number("/status/internal_code")
                                        == 0) {
                                    said.incrementAndGet();
                                }
                            }
                            return i;
                        })
                        .toList();
                for (var done : threads.invokeAll(work)) {
                    done.get();
                }
            }
            assertThat(said).hasValue(30);
        }
    }

    /** Two replicas, used in turn. Their clock advances 20 seconds with every call, so no rate limit applies. */
    private static final class Slow implements TestCaller, AutoCloseable {
        private final TestClock clock = new TestClock();
        private final List<Replica> replicas = List.of(Replica.start(Map.of(), clock), Replica.start(Map.of(), clock));
        private final ClientApi api;
        private final String key;
        private int calls;

        Slow(TestTenant tenant, ClientApi api) {
            this.api = api;
            this.key = tenant.key(api, "ann", Role.MEMBER, List.of("*"));
        }

        void pass(Duration time) {
            clock.advance(time);
        }

        @Override
        public Reply call(String service, ObjectNode arguments) {
            pass(Duration.ofSeconds(20));
            return api.call(replicas.get(calls++ % 2).url(), key, service, arguments);
        }

        @Override
        public void close() {
            replicas.forEach(Replica::close);
        }
    }
}
