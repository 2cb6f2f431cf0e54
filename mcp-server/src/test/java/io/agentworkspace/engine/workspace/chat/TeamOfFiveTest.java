package io.agentworkspace.engine.workspace.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An hour of a team that nobody watches: five agents answer every message in one zone at once, and a program says "begin"
 * every ten minutes. It shows what stops them. The hour is that of the engine's clock, so it takes seconds:
 * {@code ./engine test -Dtest=TeamOfFiveTest -Dsurefire.failIfNoSpecifiedTests=false} prints its figures.
 */
@Tag("slow")
class TeamOfFiveTest {
    private static final List<String> TEAM = List.of("Ada", "Bob", "Cleo", "Dan", "Eli");
    private static final Duration TURN = Duration.ofSeconds(5);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration BEGIN = Duration.ofMinutes(10);

    /** After a silence of this length, the count of a zone starts again. */
    private static final Duration SILENCE = Duration.ofMinutes(15);

    private final TestClock clock = new TestClock();
    private final TestTenant tenant = new TestTenant();
    private final Set<String> toAnswer = new HashSet<>();
    private final Map<String, Instant> stopped = new HashMap<>();
    private final List<Instant> accepted = new ArrayList<>();
    private int refused;

    private void speak(TestCaller team, String agent) {
        var reply = DomainSetup.say(team, agent, "Hall", "main", "I agree");
        toAnswer.remove(agent);
        if (reply.code() == 0) {
            heard(agent);
        } else {
            refused++;
            stopped.put(agent, retryAt(reply));
        }
    }

    private void heard(String speaker) {
        accepted.add(clock.instant());
        TEAM.stream().filter(other -> !other.equals(speaker)).forEach(toAnswer::add);
    }

    /** Every refusal says when to try again: an agent that does not know it would ask its model in vain. */
    private Instant retryAt(Reply refusal) {
        assertThat(refusal.text("/status/error")).isEqualTo("conflict");
        var retryAt = Instant.parse(refusal.text("/retry_at"));
        assertThat(retryAt).isAfter(clock.instant());
        return retryAt;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void anHourWithoutAPerson(int perMinute) {
        try (var engine = Replica.start(Map.of(), clock)) {
            var key = tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
            TestCaller team = (service, arguments) -> ClientApi.REST.call(engine.url(), key, service, arguments);
            DomainSetup.agents(team, TEAM.toArray(String[]::new));
            team.call(
                            "DM_Create",
                            "{'vx':{'name':'Hall','description':'d','access':'private'},'guard':{'per_minute':%d}}"
                                    .formatted(perMinute))
                    .ok();
            TEAM.forEach(agent -> DomainSetup.invite(team, "Hall", agent).ok());
            run(team);
        }
        var bursts = bursts();
        System.out.printf(
                "per_minute %d: %d messages of five agents were accepted in an hour and %d refused, in %d bursts of at most %d%n",
                perMinute,
                accepted.size(),
                refused,
                bursts.size(),
                bursts.stream().mapToInt(Integer::intValue).max().orElse(0));
        // 30 messages of three, and 20 more for each further one, where ten a minute are allowed. The program is the
        // sixth.
        var most = perMinute * 9;
        assertThat(bursts).isNotEmpty().allMatch(burst -> burst <= most);
        assertThat(refused).isPositive();
        assertThat(bursts).as("one for each silence").hasSizeLessThanOrEqualTo((int) HOUR.dividedBy(SILENCE) + 1);
    }

    private void run(TestCaller team) {
        var end = clock.instant().plus(HOUR);
        for (var begin = clock.instant(); clock.instant().isBefore(end); clock.advance(TURN)) {
            if (!clock.instant().isBefore(begin)) {
                begin = begin.plus(BEGIN);
                if (isAccepted(team)) {
                    heard("");
                }
            }
            for (var agent : TEAM) {
                if (toAnswer.contains(agent) && !clock.instant().isBefore(stopped.getOrDefault(agent, Instant.MIN))) {
                    speak(team, agent);
                }
            }
        }
    }

    private static boolean isAccepted(TestCaller team) {
        return team.call("AP_Chat", "{'target':{'domain':'Hall','zone':'main'},'content':'begin'}")
                        .code()
                == 0;
    }

    /** Returns how many messages were accepted between two silences. */
    private List<Integer> bursts() {
        var sizes = new ArrayList<Integer>();
        var last = Instant.MIN;
        for (var at : accepted) {
            if (last.equals(Instant.MIN) || Duration.between(last, at).compareTo(BEGIN) >= 0) {
                sizes.add(0);
            }
            sizes.add(sizes.removeLast() + 1);
            last = at;
        }
        return sizes;
    }
}
