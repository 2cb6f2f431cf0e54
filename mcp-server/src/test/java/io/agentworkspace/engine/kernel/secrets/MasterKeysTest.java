package io.agentworkspace.engine.kernel.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MasterKeysTest {
    private static final byte[] SECRET = "a secret".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private static MasterKey fresh() {
        return MasterKey.generate(new SecureRandom());
    }

    @Test
    void whatWasSealedOpensForItsPlaceOnly() {
        var key = fresh();
        var sealed = key.seal("webhook/7/secret", SECRET);
        assertThat(sealed).startsWith("v1." + key.id() + ".").doesNotContain("secret");
        assertThat(key.open("webhook/7/secret", sealed)).contains(SECRET);
        assertThat(key.open("webhook/8/secret", sealed)).isEmpty();
        assertThat(fresh().open("webhook/7/secret", sealed)).isEmpty();
    }

    @Test
    void aKeyThatOthersCanReadIsWarnedOfOnce() throws Exception {
        new MasterKeys(null, folder).current();
        var file = folder.resolve(MasterKeys.FILE);
        try (var log = new CapturedLog()) {
            new MasterKeys(null, folder).current();
            assertThat(log.text()).doesNotContain("chmod 600");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            var keys = new MasterKeys(null, folder);
            var key = keys.current();
            assertThat(keys.current().id()).isEqualTo(key.id());
            assertThat(log.text())
                    .containsOnlyOnce("can be read or changed by others: %s has mode rw-r--r--".formatted(file))
                    .contains("chmod 600")
                    .doesNotContain(key.reveal());
        }
    }

    @Test
    void noSealIsLikeAnother() {
        var key = fresh();
        var seals = new HashSet<String>();
        for (var i = 0; i < 1_000; i++) {
            seals.add(key.seal("place", SECRET));
        }
        assertThat(seals).hasSize(1_000);
    }

    @Test
    void whatWasChangedDoesNotOpen() {
        var key = fresh();
        var sealed = key.seal("place", SECRET);
        var head = sealed.substring(0, sealed.lastIndexOf('.') + 1);
        var bytes = Base64.getDecoder().decode(sealed.substring(head.length()));
        for (var i = 0; i < bytes.length; i++) {
            var changed = bytes.clone();
            changed[i] ^= 1;
            assertThat(key.open("place", head + Base64.getEncoder().encodeToString(changed)))
                    .isEmpty();
        }
        for (var other : new String[] {"", "v1", head, head + "AAAA", head + "!", "v2" + sealed.substring(2)}) {
            assertThat(key.open("place", other)).isEmpty();
        }
    }

    @Test
    void aKeyIsThirtyTwoBytesInBase64() {
        var text = fresh().reveal();
        assertThat(MasterKey.parse(text).reveal()).isEqualTo(text);
        assertThat(MasterKey.parse(text.replace("=", "").replace('+', '-').replace('/', '_'))
                        .id())
                .isEqualTo(MasterKey.parse(text).id());
        for (var bad : new String[] {"", "secret", text + text, text.substring(4), "ä".repeat(44)}) {
            assertThatThrownBy(() -> MasterKey.parse(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theFileIsMadeWhenItIsNeededForItsOwnerOnly() throws Exception {
        var keys = new MasterKeys(null, folder.resolve("data"));
        assertThat(keys.open("place", fresh().seal("place", SECRET))).isEmpty();
        assertThat(folder.resolve("data")).doesNotExist();
        var key = keys.current();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("data/secrets-key"))))
                .isEqualTo("rw-------");
        assertThat(new MasterKeys(null, folder.resolve("data")).current().id()).isEqualTo(key.id());
        try (var files = Files.list(folder.resolve("data"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void ofManyThatMakeItTogetherAllGetTheSame() {
        var ids =
                Concurrently.of(12, _ -> new MasterKeys(null, folder).current().id());
        assertThat(new HashSet<>(ids)).hasSize(1);
    }

    @Test
    void aGivenKeyNeedsNoFileAndPreviousOnesStillOpen() {
        var old = fresh();
        var sealed = old.seal("place", SECRET);
        var keys = new MasterKeys(fresh(), folder, old);
        assertThat(keys.open("place", sealed)).contains(SECRET);
        assertThat(keys.current().hasSealed(sealed)).isFalse();
        assertThat(keys.current().hasSealed(keys.current().seal("place", SECRET)))
                .isTrue();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFileThatIsNoKeyIsToldInOneLine() throws Exception {
        Files.writeString(folder.resolve("secrets-key"), "nonsense");
        assertThatThrownBy(() -> new MasterKeys(null, folder).current())
                .isInstanceOf(SecretsFailure.class)
                .hasMessageContaining("secrets-key")
                .hasMessageNotContaining("nonsense");
    }
}
