package io.agentworkspace.engine.workspace.guard;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.SignedIn;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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
    private static final TestClock CLOCK = new TestClock();
    private static final List<Replica> REPLICAS = new ArrayList<>();
    private static Replica other;

    private final TestTenant tenant = new TestTenant();

    @BeforeAll
    static void start() {
        for (var i = 0; i < 2; i++) {
            REPLICAS.add(Replica.start(Map.of(), CLOCK));
        }
        other = Replica.start(Map.of());
    }

    @AfterAll
    static void stop() {
        REPLICAS.forEach(Replica::close);
        other.close();
    }

    /** A user whose program has a key, and who speaks in the default context signed in. */
    private record User(TestCaller program, String key) implements TestCaller {
        static User of(TestTenant tenant, ClientApi api, String name) {
            var key = tenant.key(api, name, Role.MEMBER, List.of("*"));
            TestCaller program = (service, arguments) -> api.call(TestServer.url(), key, service, arguments);
            return new User(program, key);
        }

        /** Signs in for each message: the replicas whose clock is ahead remove sessions that seem idle to them. */
        private TestCaller person() {
            return SignedIn.at(TestServer.url(), key);
        }

        @Override
        public Reply call(String service, ObjectNode arguments) {
            return isByPerson(service, arguments)
                    ? person().call(service, arguments)
                    : program.call(service, arguments);
        }
    }

    private static boolean isByPerson(String service, ObjectNode arguments) {
        return service.equals("AP_Chat")
                && arguments.at("/target/context").asString("").equals(PERSON);
    }

    private static Reply direct(TestCaller owner, String from, String to) {
        return owner.call(
                "AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'your turn'}".formatted(to, from));
    }

    private static Reply inZone(TestCaller owner, String from) {
        return say(owner, from, "Hall", "main", "I agree");
    }

    /** Creates a domain with the given number of members, named from P0. */
    private static TestCaller hall(TestCaller owner, int members) {
        tight(owner, names(members));
        hosted(owner, "Hall", "private", "P0");
        owner.call("DM_Update", "{'target':{'domain':'Hall'},'guard':{'hops':8,'per_minute':10}}")
                .ok();
        for (var i = 1; i < members; i++) {
            invite(owner, "Hall", "P" + i).ok();
        }
        return owner;
    }

    /** Creates agents with limits that are soon reached. */
    private static void tight(TestCaller owner, String... names) {
        agents(owner, names);
        for (var name : names) {
            dial(owner, name, "'hops':8,'per_minute':10");
        }
    }

    private static String[] names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "P" + i).toArray(String[]::new);
    }

    @Test
    void threeAgentsThatMessageEachOtherInACircleStopAfterThirty() {
        var ann = tenant.member("ann");
        tight(ann, names(3));
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
        var slow = new Slow(tenant, api);
        tight(slow, names(3));
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

    @ParameterizedTest
    @EnumSource
    void aPersonInAZoneSetsItsAgentsBackAlsoWhereTheyTalkDirectly(ClientApi api) {
        var slow = new Slow(tenant, api);
        hall(slow, 3);
        for (var i = 0; i < 30; i++) {
            direct(slow, "P" + i % 3, "P" + (i + 1) % 3).ok();
        }
        direct(slow, "P0", "P1").refused(3003, "loop guard", "10 direct messages");
        inZone(slow, PERSON).ok();
        direct(slow, "P0", "P1").ok();
        direct(slow, "P1", "P2").ok();
    }

    @ParameterizedTest
    @EnumSource
    void agentsWhoseOwnerGoesOnSpeakingToOneAreNotStopped(ClientApi api) {
        var slow = new Slow(tenant, api);
        tight(slow, names(3));
        for (var i = 0; i < 20; i++) {
            if (i % 4 == 0) {
                direct(slow, PERSON, "P0").ok();
            }
            direct(slow, "P0", "P1").ok();
            direct(slow, "P1", "P0").ok();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAgentMayReportWithoutEndToOneThatDoesNotAnswer(ClientApi api) {
        var slow = new Slow(tenant, api);
        hall(slow, 3);
        for (var i = 0; i < 31; i++) {
            direct(slow, "P0", "P1").ok();
            inZone(slow, "P2").ok();
        }
        direct(slow, "P1", "P0").ok();
        direct(slow, "P0", "P1").ok();
        inZone(slow, "P0").ok();
        inZone(slow, "P2").ok();
    }

    @ParameterizedTest
    @EnumSource
    void twoOrThreeAgentsStopAfterThirtyInAZoneUntilAPersonSpeaks(ClientApi api) {
        var ann = hall(User.of(tenant, api, "ann"), 3);
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
                            "30 messages in a row in this zone",
                            "for %d agents".formatted(agents),
                            "person");
        }
        inZone(ann, PERSON).ok();
        inZone(ann, "P0").ok();
    }

    @ParameterizedTest
    @EnumSource
    void tenAgentsInABusyZoneWithAPersonAreNotStopped(ClientApi api) {
        var ann = hall(User.of(tenant, api, "ann"), 10);
        inZone(ann, PERSON).ok();
        for (var i = 0; i < 90; i++) {
            inZone(ann, "P" + (i % 7 + i % 4)).ok();
        }
    }

    @ParameterizedTest
    @EnumSource
    void programsWithUsersKeysAreNotPersons(ClientApi api) {
        var ann = User.of(tenant, api, "ann");
        var bob = tenant.person(api, "bob", Role.MEMBER);
        agents(ann, "P0");
        hosted(ann, "Hall", "public", "P0");
        ann.call("DM_Update", "{'target':{'domain':'Hall'},'guard':{'per_minute':10}}")
                .ok();
        agents(bob, "B0");
        invite(bob, "Hall", "B0").ok();
        for (var i = 0; i < 30; i++) {
            var said = say(i % 2 == 0 ? ann.program() : bob, PERSON, "Hall", "main", "I agree")
                    .ok();
            assertThat(said.at("/content/0/person").isMissingNode()).isTrue();
        }
        var refused = say(ann.program(), PERSON, "Hall", "main", "I agree").refused(3003, "loop guard", "30 messages");
        assertThat(refused.text("/retry_at")).isNotEmpty();
        assertThat(ann.call("DM_Read", "{'target':{'domain':'Hall'}}").ok().text("/messages/0/by_key"))
                .isEqualTo("test");
        var person = say(ann, PERSON, "Hall", "main", "Go on").ok();
        assertThat(person.at("/content/0/person").asBoolean()).isTrue();
        say(bob, PERSON, "Hall", "main", "I agree").ok();
    }

    @ParameterizedTest
    @EnumSource
    void theOwnerSetsHowFarAgentsMayGo(ClientApi api) {
        var ann = User.of(tenant, api, "ann");
        hall(ann, 2);
        var changed = ann.call("AP_Modify", "{'target':{'agent':'P0'},'guard':{'per_minute':12}}")
                .ok();
        assertThat(changed.at("/changed").asBoolean()).isTrue();
        assertThat(changed.number("/guard/hops")).isEqualTo(8);
        dial(ann, "P1", "'per_minute':12");
        for (var i = 0; i < 12; i++) {
            direct(ann, "P0", "P1").ok();
        }
        direct(ann, "P0", "P1").refused(3003, "loop guard", "at most 12");
        ann.call(
                        "DM_Update",
                        "{'target':{'domain':'Hall'},'vx':{'name':'Hall','description':'d'},'guard':{'per_minute':1}}")
                .ok();
        for (var i = 0; i < 3; i++) {
            inZone(ann, "P" + i % 2).ok();
        }
        inZone(ann, "P1").refused(3003, "loop guard", "at most 3");
        ann.call("AP_Modify", "{'target':{'agent':'P0'},'guard':{'hops':65}}").refused(1004, "hops");
        tenant.person(api, "bob", Role.MEMBER)
                .call("AP_Modify", "{'target':{'agent':'P0'},'guard':{'hops':2}}")
                .refused(3001);
    }

    @ParameterizedTest
    @EnumSource
    void paceIsCountedUpToTheHighestDial(ClientApi api) {
        var ann = tenant.person(api, "ann", Role.MEMBER);
        tight(ann, names(2));
        for (var agent : names(2)) {
            dial(ann, agent, "'hops':64,'per_minute':60");
        }
        var first = direct(ann, "P0", "P1").ok();
        for (var i = 1; i < 60; i++) {
            direct(ann, "P" + i % 2, "P" + (i + 1) % 2).ok();
        }
        var refused = direct(ann, "P0", "P1").refused(3003, "loop guard", "60 messages in the last minute");
        if (api == ClientApi.REST) { // Over MCP, one's own message comes back without its time.
            assertThat(Instant.parse(refused.text("/retry_at")))
                    .isEqualTo(
                            Instant.parse(first.text("/content/0/created_at")).plusSeconds(60));
        }
        for (var agent : names(2)) {
            dial(ann, agent, "'per_minute':600");
        }
        direct(ann, "P0", "P1").ok();
    }

    private static void dial(TestCaller owner, String agent, String guard) {
        owner.call("AP_Modify", "{'target':{'agent':'%s'},'guard':{%s}}".formatted(agent, guard))
                .ok();
    }

    @ParameterizedTest
    @EnumSource
    void aLowDialCountsAsTheDefaultDoes(ClientApi api) {
        var slow = new Slow(tenant, api);
        hall(slow, 3);
        for (var agent : names(3)) {
            dial(slow, agent, "'per_minute':5");
        }
        slow.call(
                        "DM_Update",
                        "{'target':{'domain':'Hall'},'vx':{'name':'Hall','description':'d'},'guard':{'per_minute':4}}")
                .ok();
        for (var i = 0; i < 20; i++) {
            inZone(slow, "P2").ok(); // Alone, without answers.
        }
        for (var i = 0; i < 15; i++) {
            direct(slow, "P" + i % 3, "P" + (i + 1) % 3).ok();
        }
        direct(slow, "P0", "P1").refused(3003, "loop guard", "5 direct messages");
        inZone(slow, PERSON).ok();
        direct(slow, "P0", "P1").ok();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsSaidAtOnceOnSeveralReplicasIsCountedOnce(ClientApi api) {
        var key = tenant.key(api, "ann", Role.MEMBER, List.of("*"));
        TestCaller here = (service, arguments) -> api.call(TestServer.url(), key, service, arguments);
        TestCaller there = (service, arguments) -> api.call(other.url(), key, service, arguments);
        hall(here, 3);
        IntStream.range(0, 3).forEach(i -> inZone(here, "P" + i).ok());
        var said = new AtomicInteger(3);
        Concurrently.of(6, i -> {
            for (var n = 0; n < 10; n++) {
                if (inZone(i % 2 == 0 ? here : there, "P" + i % 3).code() == 0) {
                    said.incrementAndGet();
                }
            }
            return i;
        });
        assertThat(said).hasValue(30);
    }

    /** Calls both replicas in turn. Their clock advances 20 seconds with every call, so no rate limit applies. */
    private static final class Slow implements TestCaller {
        private final ClientApi api;
        private final String key;
        private final List<TestCaller> persons;
        private int calls;

        Slow(TestTenant tenant, ClientApi api) {
            this.api = api;
            this.key = tenant.key(api, "ann", Role.MEMBER, List.of("*"));
            this.persons = REPLICAS.stream()
                    .<TestCaller>map(replica -> SignedIn.at(replica.url(), key))
                    .toList();
        }

        void pass(Duration time) {
            CLOCK.advance(time);
        }

        @Override
        public Reply call(String service, ObjectNode arguments) {
            pass(Duration.ofSeconds(20));
            var turn = calls++ % 2;
            return isByPerson(service, arguments)
                    ? persons.get(turn).call(service, arguments)
                    : api.call(REPLICAS.get(turn).url(), key, service, arguments);
        }
    }
}
