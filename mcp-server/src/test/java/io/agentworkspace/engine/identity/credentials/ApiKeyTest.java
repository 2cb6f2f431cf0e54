package io.agentworkspace.engine.identity.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeyTest {
    private static final SecureRandom SECURE = new SecureRandom();

    @Test
    void generatedKeysHaveTheFormAndNeverRepeat() {
        var seen = new HashSet<String>();
        for (var i = 0; i < 10_000; i++) {
            var text = ApiKey.generate(SECURE).reveal();
            assertThat(text).matches("ek_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}");
            assertThat(ApiKey.parse(text).reveal()).isEqualTo(text);
            assertThat(seen.add(text)).isTrue();
        }
    }

    /** Computed with another implementation of CRC-32. The last checksum needs padding. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ek_000000000000_0000000000000000000000000000004PP1VR",
                "ek_AbCdEf012345_zyxwvutsrqponmlkjihgfedcbaZYXW3XYJd5",
                "ek_yzcIDfQiygmG_6QpnV4BuNYIvQUXbwZJOI4zTXg3hYQ00VnyJ",
            })
    void keysWrittenElsewhereAreRead(String text) {
        assertThat(ApiKey.parse(text).reveal()).isEqualTo(text);
    }

    @Test
    void aMistypedKeyIsToldApartFromWhatIsNoKey() {
        var key = ApiKey.generate(SECURE).reveal();
        assertThat(refused(key.substring(1))).contains("not in key format");
        assertThat(refused("")).contains("not in key format");
        assertThat(refused("eyJhbGciOiJIUzI1NiJ9.e30.x")).contains("not in key format");
        assertThat(refused(key.substring(0, 51))).contains("mistyped key").contains("51 characters");
        assertThat(refused(key.replace('_', '-').replaceFirst("-", "_")))
                .contains("mistyped key")
                .contains("form");
        var last = key.charAt(51) == 'a' ? 'b' : 'a';
        assertThat(refused(key.substring(0, 51) + last))
                .contains("mistyped key")
                .contains("checksum");
    }

    private static String refused(String text) {
        try {
            throw new AssertionError(ApiKey.parse(text) + " was accepted");
        } catch (Problem problem) {
            assertThat(problem.failure()).isEqualTo(Failure.UNAUTHENTICATED);
            return problem.note();
        }
    }

    @Test
    void theStoredHashIsOfTheSecretAlone() throws Exception {
        var key = ApiKey.generate(SECURE);
        var secret = key.reveal().substring(16, 46);
        var expected = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
        assertThat(key.secretHash()).isEqualTo(expected);
        assertThat(key.fits(expected)).isTrue();
        assertThat(ApiKey.withId(key.id(), SECURE).fits(expected)).isFalse();
    }

    @Test
    void aKeyNeverPrintsItsSecret() {
        var key = ApiKey.generate(SECURE);
        assertThat(key.toString())
                .contains(key.id())
                .doesNotContain(key.reveal().substring(16, 46));
        assertThat(KeyFormat.masked("/api/keys/" + key.reveal() + "/x")).isEqualTo("/api/keys/ek_…/x");
        assertThat(KeyFormat.masked("/api/week_overview/x")).isEqualTo("/api/week_overview/x");
    }
}
