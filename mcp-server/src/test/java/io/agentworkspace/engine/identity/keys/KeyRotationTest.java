package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rotation of the secrets of keys. */
class KeyRotationTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");
    private final Made old = make(root, "'capabilities':['*']");

    private Made rotated(String more) {
        var got = done(call(root, "AK_Rotate", "{'id':'%s'%s}".formatted(old.id(), more)));
        return new Made(got.envelope().path("api_key").asString());
    }

    private static void lists(Made key, String program) {
        done(CommandAddress.INVOKE.call(TestServer.url(), key.key(), "AP_List", "{}", Map.of("User-Agent", program)));
    }

    private static boolean works(Made key) {
        return call(key, "AP_List", "{}").error().isEmpty();
    }

    @Test
    void withoutOverlapTheOldSecretStopsAtOnce() {
        assertThat(works(old)).isTrue();
        var fresh = rotated("");
        assertThat(fresh.id()).isEqualTo(old.id());
        assertThat(works(fresh)).isTrue();
        await().until(() -> !works(old));
        var record = record(root, old);
        assertThat(record.has("previous_works_until")).isFalse();
        assertThat(record.has("rotated_at")).isTrue();
        assertThat(record.path("revision").asLong()).isEqualTo(2);
    }

    @Test
    void duringTheOverlapBothWorkAndTheRecordTellsWhoStillUsesTheOld() {
        var before = rotated(",'overlap_seconds':600");
        assertThat(record(root, old).has("previous_last_used_at")).isFalse();
        lists(old, "backup/1");
        await().until(() -> record(root, old).has("previous_last_used_at"));
        lists(before, "report/2");
        await().until(() -> record(root, old).path("last_client").asString("").equals("report/2"));
        var record = record(root, old);
        assertThat(record.path("previous_last_client").asString()).isEqualTo("backup/1");
        assertThat(Instant.parse(record.path("previous_last_used_at").asString()))
                .isAfter(Instant.now().minus(Duration.ofMinutes(3)));
        assertThat(Instant.parse(record.path("previous_works_until").asString()))
                .isBetween(Instant.now(), Instant.now().plusSeconds(600));
        var newest = rotated(",'overlap_seconds':2");
        assertThat(works(newest)).isTrue();
        await().until(() -> !works(old));
        await().until(() -> !works(before));
        assertThat(works(newest)).isTrue();
        assertThat(record(root, old).has("previous_works_until")).isFalse();
    }

    @Test
    void whenTheOldSecretWasLastUsedIsKnownFromBeforeTheRotationToo() {
        lists(old, "backup/1");
        await().until(() -> record(root, old).path("last_client").asString("").equals("backup/1"));
        rotated("");
        assertThat(record(root, old).path("previous_last_used_at"))
                .isEqualTo(record(root, old).path("last_used_at"));
        assertThat(record(root, old).path("previous_last_client").asString()).isEqualTo("backup/1");
    }

    @Test
    void anOverlapLastsAWeekAtMost() {
        assertThat(call(root, "AK_Rotate", "{'id':'%s','overlap_seconds':604801}".formatted(old.id()))
                        .note())
                .contains("overlap_seconds", "604800");
        assertThat(call(root, "AK_Rotate", "{'id':'%s','overlap_seconds':-1}".formatted(old.id()))
                        .error())
                .isEqualTo("invalid_field");
        done(call(root, "AK_Rotate", "{'id':'%s','overlap_seconds':604800}".formatted(old.id())));
    }

    @Test
    void twoRotationsAtOnceLeaveTwoSecrets() {
        var both = Concurrently.of(2, _ -> rotated(",'overlap_seconds':600"));
        await().until(() -> !works(old));
        assertThat(both).allMatch(KeyRotationTest::works);
        assertThat(record(root, old).path("revision").asLong()).isEqualTo(3);
        var guarded =
                Concurrently.of(8, _ -> call(root, "AK_Rotate", "{'id':'%s','if_revision':3}".formatted(old.id())));
        assertThat(guarded.stream().map(Got::error).filter(String::isEmpty)).hasSize(1);
        assertThat(guarded.stream().map(Got::error).filter("conflict"::equals)).hasSize(7);
    }

    @Test
    void aKeyRotatesItself() {
        var got = Concurrently.of(
                4, _ -> call(old, "AK_Rotate", "{'id':'%s','overlap_seconds':600}".formatted(old.id())));
        assertThat(got.stream().map(Got::error)).contains("").isSubsetOf("", "unauthenticated", "not_permitted");
        var newest = got.stream()
                .filter(one -> one.error().isEmpty())
                .max(java.util.Comparator.comparing(
                        one -> one.envelope().at("/key/revision").asLong()))
                .orElseThrow();
        assertThat(works(new Made(newest.envelope().path("api_key").asString())))
                .isTrue();
    }

    @Test
    void aRevokedKeyStopsWithBothItsSecrets() {
        var fresh = rotated(",'overlap_seconds':600");
        done(call(root, "AK_Revoke", "{'id':'%s'}".formatted(old.id())));
        await().until(() -> !works(old) && !works(fresh));
        assertThat(List.of(
                                call(old, "AP_List", "{}").note(),
                                call(fresh, "AP_List", "{}").note())
                        .stream()
                        .distinct())
                .hasSize(1);
    }
}
