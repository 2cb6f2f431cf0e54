package io.agentworkspace.engine.proof;

import static io.agentworkspace.engine.proof.KeyFixture.call;
import static io.agentworkspace.engine.proof.KeyFixture.done;
import static io.agentworkspace.engine.proof.KeyFixture.make;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.proof.KeyFixture.Made;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A key that is bound to an agent acts as that agent from the first call, and never as its user. */
class BoundKeyTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made ann = fixture.user("ann", Role.MEMBER, "*");
    private final Made scout;

    BoundKeyTest() {
        for (var agent : new String[] {"Scout", "Other"}) {
            done(call(ann, "AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(agent)));
        }
        scout = make(ann, "'capabilities':['*'],'agent':'Scout'");
    }

    @Test
    void itsFirstMessageIsItsAgents() {
        var said = done(call(scout, "AP_Chat", "{'target':{'agent':'Other'},'content':'Hello.'}"));
        assertThat(said.envelope().at("/content/0/from").asString()).isEqualTo("Scout");
        assertThat(said.envelope().at("/content/0/from_kind").asString()).isEqualTo("agent");
        assertThat(said.envelope().at("/header/context/self").asString()).isEqualTo("Scout");
        done(call(ann, "AP_Chat", "{'target':{'agent':'Scout'},'content':'Good.'}"));
        var read = done(call(scout, "AP_Read", "{'target':{'context':'another'}}"));
        assertThat(read.envelope().at("/profile/0/name").asString()).isEqualTo("Scout");
        assertThat(read.envelope().at("/content/1/content").asString()).isEqualTo("Good.");
        assertThat(read.envelope().at("/header/unread").asLong()).isZero();
    }

    @Test
    void itIsOnlineWhileItsKeyIsUsedAndUntilItLogsOff() {
        assertThat(online()).isFalse();
        assertThat(done(call(scout, "US_Read", "{}"))
                        .envelope()
                        .at("/profile/0/self")
                        .asString())
                .isEqualTo("Scout");
        await().atMost(Duration.ofMinutes(2)).until(this::online);
        assertThat(done(call(scout, "AP_LogOff", "{}"))
                        .envelope()
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        assertThat(online()).isFalse();
        assertThat(done(call(scout, "AP_LogOn", "{}")).envelope().at("/changed").asBoolean())
                .isFalse();
        assertThat(online()).isTrue();
        done(call(scout, "AP_LogOff", "{}"));
        assertThat(done(call(scout, "AP_Chat", "{'target':{'agent':'Other'},'content':'Still me.'}"))
                        .envelope()
                        .at("/content/0/from")
                        .asString())
                .isEqualTo("Scout");
        done(call(scout, "AP_Remove", "{}"));
        assertThat(done(call(scout, "US_Read", "{}"))
                        .envelope()
                        .at("/header/context/self")
                        .asString())
                .isEqualTo("Scout");
    }

    private boolean online() {
        return done(call(ann, "AP_Read", "{'target':{'agent':'Scout'}}"))
                .envelope()
                .at("/profile/0/online")
                .asBoolean();
    }
}
