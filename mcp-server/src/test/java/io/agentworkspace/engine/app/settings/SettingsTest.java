package io.agentworkspace.engine.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.plan.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    private static final String CERTIFICATE = """
            -----BEGIN CERTIFICATE-----
            MIIBizCCARGgAwIBAgIIGziyak89nmYwCgYIKoZIzj0EAwMwEjEQMA4GA1UEAxMH
            VGVzdCBDQTAgFw0yNjExMjAxNzUxMzdaGA8yMTI2MTAyNzE3NTEzN1owEjEQMA4G
            A1UEAxMHVGVzdCBDQTB2MBAGByqGSM49AgEGBSuBBAAiA2IABPnhuQN2J+KpoJiI
            cHZf8nammFBuRKCIlEav5W3S77inlq+XyNFo7LSLRx2umMZT6PG+VKsB+QgWlngj
            /oYf+NpxyQxkCOmn0Av1fGxXa6Lo81gQBXhG7RatUOz5HY9XoqMyMDAwHQYDVR0O
            BBYEFDY7GNrS8mNKqMCCoUtdxKaPZYJQMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
            zj0EAwMDaAAwZQIxAIsHx3FXtUAUh3XuMhorZFopgPZsYuh6hsgdao7N4plSUQ2e
            0IsdUR78swlxfyQXyAIwcSh7Z+T4AlGUPfaPapdUSRFExaNnT1z5N1dQrvXAkfYA
            BCk083hcqf+4qR91f+KX
            -----END CERTIFICATE-----
            """;
    private static final String KEY = ApiKey.generate(new SecureRandom()).reveal();

    @Test
    void nothingGivenIsALocalEngineWithItsOwnDatabase() {
        Settings settings = Settings.read(Map.of(), List.of());
        assertThat(settings.http().host()).isEqualTo("127.0.0.1");
        assertThat(settings.http().port()).isEqualTo(8080);
        assertThat(settings.database().url()).isNull();
        assertThat(settings.http().baseUrl()).isNull();
        assertThat(settings.tenants().bootstrapKey()).isNull();
        assertThat(settings.database().dataDir()).isEqualTo(Path.of(".engine").toAbsolutePath());
        assertThat(settings.database().poolSize()).isEqualTo(12);
        assertThat(settings.http().allowedOrigins()).isEmpty();
        assertThat(settings.http().rateLimit()).isEqualTo(new RateLimit(200, 400));
        assertThat(settings.tenants().plan()).isEqualTo(Plan.UNLIMITED);
        assertThat(settings.logFormat()).isEqualTo(Settings.LogFormat.TEXT);
        assertThat(settings.logFile()).isNull();
        assertThat(settings.webhooks().allowPrivate()).isFalse();
        assertThat(settings.webhooks().authorities()).isEmpty();
    }

    /** Only behind a load balancer somebody has to notice that the engine stops. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            -         | -                        | -  | 0
            127.0.0.2 | -                        | -  | 0
            localhost | -                        | -  | 0
            ::1       | -                        | -  | 0
            0.0.0.0   | -                        | -  | 3
            10.0.0.7  | -                        | -  | 3
            -         | https://engine.example.com | -  | 3
            -         | https://engine.example.com | 0  | 0
            -         | -                        | 15 | 15
            """, delimiter = '|')
    void aStopIsDelayedOnlyWhereSomebodyMustNoticeIt(
            @Nullable String host, @Nullable String url, @Nullable String set, int seconds) {
        var values = new HashMap<String, String>();
        values.put("ENGINE_HOST", host == null ? "" : host);
        values.put("ENGINE_BASE_URL", url == null ? "" : url);
        values.put("ENGINE_DRAIN_SECONDS", set == null ? "" : set);
        assertThat(Settings.read(values, List.of()).http().drain()).hasSeconds(seconds);
    }

    @Test
    void aFlagWinsOverTheEnvironment() {
        Settings settings = Settings.read(
                Map.of("ENGINE_PORT", "1", "ENGINE_HOST", "::1"), List.of("--port", "2", "--data-dir=/var/lib/engine"));
        assertThat(settings.http().port()).isEqualTo(2);
        assertThat(settings.http().host()).isEqualTo("::1");
        assertThat(settings.database().dataDir()).isEqualTo(Path.of("/var/lib/engine"));
    }

    @Test
    void blankInTheEnvironmentIsNotGiven() {
        Settings settings = Settings.read(Map.of("ENGINE_PORT", " ", "ENGINE_BASE_URL", ""), List.of());
        assertThat(settings.http().port()).isEqualTo(8080);
        assertThat(settings.http().baseUrl()).isNull();
    }

    @Test
    void listsAreSplitAtCommas() {
        Settings settings = Settings.read(
                Map.of(
                        "ENGINE_ALLOWED_ORIGINS",
                        "https://App.example.com/, http://localhost:5173",
                        "ENGINE_ALLOWED_HOSTS",
                        "a,b"),
                List.of());
        assertThat(settings.http().allowedOrigins())
                .containsExactly("https://app.example.com", "http://localhost:5173");
        assertThat(settings.http().allowedHosts()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @CsvSource({"50/s, 50, 100", "50/s burst 60, 50, 60", "off, 0, 0"})
    void ratesAreWrittenThreeWays(String text, int permits, int burst) {
        assertThat(Settings.read(Map.of("ENGINE_RATE_LIMIT", text), List.of())
                        .http()
                        .rateLimit())
                .isEqualTo(new RateLimit(permits, burst));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ENGINE_PORT               | eighty
            ENGINE_PORT               | 65536
            ENGINE_HOST               | two words
            ENGINE_BASE_URL           | engine.example.com
            ENGINE_BASE_URL           | ftp://engine.example.com
            ENGINE_MCP_URL            | https://mcp.example.com/mcp
            ENGINE_DATABASE_URL       | mysql://db
            ENGINE_DATABASE_POOL_SIZE | 0
            ENGINE_BOOTSTRAP_KEY      | secret
            ENGINE_ALLOWED_ORIGINS    | https://a.example,b
            ENGINE_ALLOWED_HOSTS      | http://a
            ENGINE_RATE_LIMIT         | 0/s
            ENGINE_RATE_LIMIT         | fast
            ENGINE_PLAN               | gold
            ENGINE_EVENTS_DAYS        | 3
            ENGINE_LOG_FORMAT         | XML
            ENGINE_LOG_FILE           | /
            ENGINE_LOG_FILE           | /no/such/folder/engine.log
            ENGINE_METRICS_TOKEN      | short
            ENGINE_METRICS_TOKEN      | sixteen but with spaces
            ENGINE_METRICS_LISTEN     | 9464
            ENGINE_METRICS_LISTEN     | 127.0.0.1:http
            ENGINE_WEBHOOKS_ALLOW_PRIVATE | yes
            ENGINE_WEBHOOKS_ALLOW_PRIVATE | TRUE
            ENGINE_WEBHOOKS_CA_FILE   | /nowhere/ca.pem
            ENGINE_WEBHOOKS_CA_FILE   | .
            ENGINE_WEBHOOKS_CA_FILE   | pom.xml
            ENGINE_WEBHOOKS_RETRY_SCHEDULE | 0s,soon
            ENGINE_WEBHOOKS_RETRY_SCHEDULE | 0s,8d
            ENGINE_SECRETS_KEY        | c2hvcnQ=
            ENGINE_SECRETS_KEY        | not base64
            ENGINE_OAUTH_SURFACES     | Hub
            ENGINE_MCP_OAUTH          | nobody
            ENGINE_MCP_OAUTH          | no word
            ENGINE_OAUTH_X_ISSUR      | https://accounts.example.com
            ENGINE_OAUTH_X_ISSUER     | http://accounts.example.com
            ENGINE_OAUTH_X_ISSUER     | accounts.example.com
            ENGINE_OAUTH_X_ISSUER     | https://a@accounts.example.com
            ENGINE_OAUTH_X_ISSUER     | https://accounts.example.com?a=b
            """)
    void whatCannotBeUnderstoodIsNamedWithWhatWouldBeRight(String name, String text) {
        assertThatThrownBy(() -> Settings.read(Map.of(name, text), List.of()))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageStartingWith(name + " must be ")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aSignInProviderIsFiveSettings() {
        var environment = Map.of(
                "ENGINE_OAUTH_GOOGLE_ISSUER", "https://accounts.example.com/Path/",
                "ENGINE_OAUTH_GOOGLE_CLIENT_ID", "id",
                "ENGINE_OAUTH_GOOGLE_CLIENT_SECRET", "hush",
                "ENGINE_OAUTH_GOOGLE_TENANT", "default",
                "ENGINE_OAUTH_GOOGLE_EMAIL_DOMAINS", "Example.com, example.org",
                "ENGINE_OAUTH_OFF_ISSUER", "");
        var provider =
                Settings.read(environment, List.of()).signIn().providers().getFirst();
        assertThat(Settings.read(environment, List.of()).signIn().providers()).hasSize(1);
        assertThat(provider.name()).isEqualTo("google");
        assertThat(provider.issuer()).hasToString("https://accounts.example.com/Path/");
        assertThat(provider.clientSecret()).isEqualTo("hush");
        assertThat(provider.tenant()).isEqualTo("default");
        assertThat(provider.emailDomains()).containsExactlyInAnyOrder("example.com", "example.org");
        assertThat(provider.toString()).doesNotContain("hush");
        assertThat(Settings.read(Map.of(), List.of()).signIn().providers()).isEmpty();
        assertThat(Settings.read(Map.of(), List.of()).signIn().surfaces()).containsExactly("hub", "cli");
        assertThatThrownBy(() -> Settings.read(Map.of("ENGINE_OAUTH_X_CLIENT_ID", "id"), List.of()))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageStartingWith("ENGINE_OAUTH_X_ISSUER must be");
    }

    @Test
    void webhooksTrustWhatTheFileHolds(@TempDir Path folder) throws IOException {
        var pem = Files.writeString(folder.resolve("ca.pem"), "For tests.\n" + CERTIFICATE + CERTIFICATE);
        var settings = Settings.read(
                Map.of("ENGINE_WEBHOOKS_CA_FILE", pem.toString(), "ENGINE_WEBHOOKS_ALLOW_PRIVATE", "true"), List.of());
        assertThat(settings.webhooks().allowPrivate()).isTrue();
        assertThat(settings.webhooks().authorities())
                .hasSize(2)
                .allSatisfy(authority -> assertThat(
                                authority.getSubjectX500Principal().getName())
                        .isEqualTo("CN=Test CA"));
        for (var text : List.of("", "For tests.\n", CERTIFICATE + "-----BEGIN CERTIFICATE-----\nAAAA\n")) {
            Files.writeString(pem, text);
            assertThatThrownBy(() -> Settings.read(Map.of("ENGINE_WEBHOOKS_CA_FILE", pem.toString()), List.of()))
                    .isInstanceOf(InvalidSetting.class)
                    .hasMessageStartingWith("ENGINE_WEBHOOKS_CA_FILE must be a readable file that contains only PEM");
        }
    }

    @Test
    void secretsAreNotRepeated() {
        for (String name : List.of("ENGINE_BOOTSTRAP_KEY", "ENGINE_DATABASE_URL", "ENGINE_SECRETS_KEY")) {
            assertThatThrownBy(() -> Settings.read(Map.of(name, "hush"), List.of()))
                    .hasMessageNotContaining("hush");
        }
        assertThat(Settings.read(Map.of("ENGINE_BOOTSTRAP_KEY", KEY), List.of())
                        .tenants()
                        .bootstrapKey())
                .isEqualTo(KEY);
    }

    @ParameterizedTest
    @CsvSource({
        "--prot=1, --prot is not a flag",
        "--port, --port needs a value",
        "--port=, --port needs a value",
        "8080, 8080 is not a flag"
    })
    void anUnknownOrEmptyFlagIsNamed(String flag, String message) {
        assertThatThrownBy(() -> Settings.read(Map.of(), List.of(flag)))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void whatLooksLikeASettingAndIsNoneIsNamedWithWhatMayBeMeant() {
        assertThat(UnknownSettings.of(List.of(
                        "ENGINE_PROT",
                        "ENGINE_MCP_URLS",
                        "ENGINE_SERVICE_HOST",
                        "ENGINE_PORT",
                        "ENGINE_MAX_HEAP",
                        "ENGINE_OAUTH_X_ISSUER",
                        "PATH")))
                .containsExactly(
                        "ENGINE_MCP_URLS is not a setting and has no effect; did you mean ENGINE_MCP_URL?",
                        "ENGINE_PROT is not a setting and has no effect; did you mean ENGINE_PORT?",
                        "ENGINE_SERVICE_HOST is not a setting and has no effect");
    }

    @Test
    void helpListsEverySetting() {
        assertThat(Settings.help().lines().filter(line -> line.contains("ENGINE_")))
                .hasSize(Settings.ALL.size());
        assertThat(Settings.help()).contains("--database-pool-size", "[200/s burst 400]");
    }
}
