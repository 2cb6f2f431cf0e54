package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.SecretsFailure;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stolen database or log contains nothing that can be used to sign in. */
class SecretsAtRestTest {
    @TempDir
    Path folder;

    private static String dump() {
        var text = new StringBuilder();
        var tables = TestDatabase.db().sql("""
                SELECT table_name FROM information_schema.tables
                 WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
                """).list(row -> row.text("table_name"));
        for (var table : tables) {
            TestDatabase.db()
                    .sql("SELECT t::text AS line FROM %s t".formatted(table))
                    .list(row -> row.text("line"))
                    .forEach(line -> text.append(line).append('\n'));
        }
        return text.toString();
    }

    @Test
    void neitherLogNorTablesHoldASecret() {
        try (var log = new CapturedLog()) {
            var key = new TestTenant().key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
            var browser = Browser.signIn(TestServer.url(), key);
            var token = browser.token();
            Browser.bearer(TestServer.url(), token);
            Browser.bearer(TestServer.url(), token + "x");
            browser.raw("POST", Browser.TOKEN, "");
            browser.get("/api/nowhere/" + browser.cookie().substring(0, 8));
            browser.change("DELETE", Browser.SESSION, "");
            browser.change("POST", Browser.LIST, "{}");
            var second = Browser.signIn(TestServer.url(), key);
            var vault = new Vault(TestDatabase.db(), new MasterKeys(MasterKey.parse(TestDatabase.SECRETS_KEY), folder));
            var signer = new SigningKeyStore(TestDatabase.db(), vault, Clock.systemUTC())
                    .signer()
                    .key()
                    .getEncoded();
            var written = log.text() + dump();
            assertThat(written).contains("session:");
            for (var secret : List.of(
                    browser.cookie(),
                    browser.csrf(),
                    second.cookie(),
                    second.csrf(),
                    token,
                    token.substring(token.lastIndexOf('.')),
                    HexFormat.of().formatHex(secret(second)),
                    Base64.getEncoder().encodeToString(signer),
                    HexFormat.of().formatHex(signer),
                    TestDatabase.SECRETS_KEY,
                    key.substring(16))) {
                assertThat(written.contains(secret))
                        .as("a secret of %d characters", secret.length())
                        .isFalse();
            }
        }
    }

    private static byte[] secret(Browser browser) {
        return Arrays.copyOf(Base64.getUrlDecoder().decode(browser.cookie()), 32);
    }

    @Test
    void aDatabaseSealedUnderAnotherKeyStopsTheStart() {
        var key = new TestTenant().key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        Browser.signIn(TestServer.url(), key).token();
        var other = new byte[32];
        new SecureRandom().nextBytes(other);
        var settings = Map.of("ENGINE_SECRETS_KEY", Base64.getEncoder().encodeToString(other));
        assertThatThrownBy(() -> Replica.start(settings))
                .isInstanceOf(SecretsFailure.class)
                .hasMessageContaining("ENGINE_SECRETS_KEY")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aSecretThatWasMovedToAnotherRowDoesNotOpen() {
        try (var db = TestDatabase.fresh("moved_secret")) {
            var vault = new Vault(db, new MasterKeys(null, folder));
            var keys = new SigningKeyStore(db, vault, Clock.systemUTC());
            keys.signer();
            db.sql("UPDATE signing_key SET id = 'another'").run();
            assertThatThrownBy(() -> new SigningKeyStore(db, vault, Clock.systemUTC()).signer())
                    .isInstanceOf(SecretsFailure.class);
        }
    }
}
