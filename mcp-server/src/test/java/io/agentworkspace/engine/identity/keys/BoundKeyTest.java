package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.workspace.delivery.live.Feed;
import java.time.Duration;
import java.util.List;
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

    @Test
    void itReadsOnlyTheDirectMessagesOfItsAgent() {
        var owner = fixture.user("olivia", Role.OWNER, "*");
        for (var agent : new String[] {"Mine", "Second"}) {
            done(call(owner, "AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(agent)));
        }
        var mine = make(owner, "'capabilities':['*'],'agent':'Mine'");
        for (var pair : List.of(List.of(ann, scout, "Other"), List.of(owner, mine, "Second"))) {
            var user = (Made) pair.getFirst();
            var bound = (Made) pair.get(1);
            var other = (String) pair.getLast();
            var target = "{'target':{'agent':'%s'}}".formatted(other);
            done(call(user, "AP_Chat", "{'target':{'agent':'%s'},'content':'For you alone.'}".formatted(other)));
            assertThat(texts(call(user, "AP_Read", target))).containsExactly("For you alone.");
            assertThat(texts(call(bound, "AP_Read", target))).isEmpty();
            assertThat(found(user, other)).containsExactly("For you alone.");
            assertThat(found(bound, other)).isEmpty();
            var entry = done(call(bound, "AP_List", target)).envelope().at("/content/0");
            assertThat(entry.path("unread").asLong()).isZero();
            assertThat(entry.has("last_message_at")).isFalse();
            done(call(bound, "AP_Select", target));
            assertThat(texts(call(bound, "AP_Read", "{}"))).isEmpty();
            done(call(bound, "AP_Chat", "{'target':{'agent':'%s'},'content':'From a bound key.'}".formatted(other)));
            assertThat(texts(call(bound, "AP_Read", target))).containsExactly("From a bound key.");
            assertThat(texts(call(user, "AP_Read", target))).containsExactly("For you alone.", "From a bound key.");
            assertThat(found(user, other)).containsExactly("From a bound key.", "For you alone.");
            assertThat(found(bound, other)).containsExactly("From a bound key.");
        }
    }

    /** Returns what a list by time finds that was said to the agent; a search finds the same. */
    private static List<String> found(Made key, String to) {
        var listed = hits(call(key, "AP_Search", "{'since':'2000-01-01T00:00:00Z','page':{'limit':50}}"), to);
        assertThat(hits(call(key, "AP_Search", "{'content':'alone bound','page':{'limit':50}}"), to))
                .isEqualTo(listed);
        return listed;
    }

    private static List<String> hits(Got got, String to) {
        return done(got)
                .envelope()
                .path("content")
                .valueStream()
                .filter(hit -> hit.path("to").asString("").equals(to))
                .map(hit -> hit.path("text").asString())
                .toList();
    }

    @Test
    void itsStreamReportsOnlyTheDirectMessagesOfItsAgent() {
        try (var feed = Feed.connect(TestServer.url(), "?topics=messages", "X-Api-Key", scout.key())) {
            for (var agent : new String[] {"Other", "Scout"}) {
                done(call(ann, "AP_Chat", "{'target':{'agent':'%s'},'content':'to %1$s'}".formatted(agent)));
            }
            assertThat(feed.next().data().path("content").asString()).isEqualTo("to Scout");
        }
    }

    @Test
    void aKeyIsBoundLaterAndForGood() {
        var key = make(ann, "'capabilities':['*']");
        var child = make(key, "'capabilities':['*'],'parent':'%s'".formatted(key.id()));
        var stranger = fixture.user("bob", Role.MEMBER, "*");
        done(call(stranger, "AP_Create", "{'vx':{'name':'Foreign','description':'d','access':'public'}}"));
        var bind = "{'id':'" + key.id() + "','agent':'%s'}";
        assertThat(call(ann, "AK_Update", bind.formatted("Foreign")).note())
                .contains("an agent of the key's user, ann");
        assertThat(call(ann, "AK_Update", bind.formatted("Scout")).note())
                .contains("keys below it are not bound to 'Scout' (1 of them)");
        assertThat(done(call(key, "AP_Chat", "{'target':{'agent':'Other'},'content':'As ann.'}"))
                        .envelope()
                        .at("/content/0/from")
                        .asString())
                .isEqualTo("ann");
        done(call(ann, "AK_Revoke", "{'id':'%s'}".formatted(child.id())));
        var bound = done(call(ann, "AK_Update", bind.formatted("scout")));
        assertThat(bound.envelope().at("/key/agent").asString()).isEqualTo("Scout");
        assertThat(bound.envelope().at("/changed").asBoolean()).isTrue();
        await().until(() -> done(call(key, "US_Read", "{}"))
                .envelope()
                .at("/header/context/self")
                .asString("")
                .equals("Scout"));
        assertThat(done(call(ann, "AK_Update", bind.formatted("Scout")))
                        .envelope()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        assertThat(call(ann, "AK_Update", bind.formatted("Other")).note()).contains("bound to 'Scout' for good");
    }

    private static List<String> texts(Got got) {
        return done(got)
                .envelope()
                .path("content")
                .valueStream()
                .map(message -> message.path("content").asString())
                .toList();
    }

    private boolean online() {
        return done(call(ann, "AP_Read", "{'target':{'agent':'Scout'}}"))
                .envelope()
                .at("/profile/0/online")
                .asBoolean();
    }
}
