package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of {@code ./engine bundle} has what a bug report needs, and none of the secrets that are planted here. */
@Tag("slow")
class BundleCommandTest {
    private static final String METRICS_TOKEN = "scrape me-not".replace(' ', '-') + "-4711";

    /** Each is in the environment, in a file of the data directory, or in a log. */
    private static final Map<String, String> SECRETS = secrets();

    @TempDir
    private Path folder;

    private static Map<String, String> secrets() {
        var random = new SecureRandom();
        var secrets = new LinkedHashMap<String, String>();
        secrets.put("API key", ApiKey.generate(random).reveal());
        secrets.put("first API key", ApiKey.generate(random).reveal());
        secrets.put("access token", ApiKey.token("abcdefghijkl", random).reveal());
        secrets.put("JWT", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJtYXJpYSJ9.c2lnbmF0dXJl");
        secrets.put("database password", "correct horse battery".replace(' ', '.'));
        secrets.put("password in a URL", "wordpass");
        secrets.put("webhook secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        secrets.put("cookie", "oh-this-is-a-session");
        secrets.put("provider's client secret", "google-oauth-client-value");
        secrets.put("upstream token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a");
        secrets.put("embeddings key", "sk-proj-abcdefgh12345678");
        secrets.put("private key", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC");
        secrets.put("key for secrets", TestDatabase.SECRETS_KEY);
        secrets.put("metrics token", METRICS_TOKEN);
        secrets.put("tracing header", "honeycomb-team-value");
        secrets.put("former key for secrets", "b3V0LW9mLXVzZS1idXQtc3RpbGwtYS1rZXkhISEhISE=");
        secrets.put("name of a tenant", "Miller and Sons");
        secrets.put("name of an agent", "tax-adviser");
        secrets.put("address of a client", "203.0.113.77");
        secrets.put("e-mail address", "maria@example.org");
        secrets.put("word in quotes", "oldmill");
        secrets.put("message text", "meet me at the old mill");
        secrets.put("text in a statement", "the vault is behind the painting");
        secrets.put("value of a row", "row-of-somebody");
        return secrets;
    }

    private static String secret(String name) {
        return SECRETS.getOrDefault(name, "");
    }

    private Map<String, String> environment(Path log, String port) {
        var environment = new HashMap<String, String>();
        environment.put("ENGINE_DATABASE_URL", TestDatabase.url());
        environment.put("ENGINE_DATABASE_NOTIFY_URL", TestDatabase.url() + "&x=" + secret("database password"));
        environment.put("ENGINE_DATA_DIR", folder.toString());
        environment.put("ENGINE_PORT", port);
        environment.put("ENGINE_LOG_FILE", log.toString());
        environment.put("ENGINE_BOOTSTRAP_KEY", secret("API key"));
        environment.put("ENGINE_SECRETS_KEY", secret("key for secrets"));
        environment.put("ENGINE_METRICS_TOKEN", METRICS_TOKEN);
        environment.put(
                "ENGINE_EMBEDDING",
                "http://me:%s@127.0.0.1:9/v1?key=%s".formatted(secret("password in a URL"), secret("embeddings key")));
        environment.put("ENGINE_EMBEDDING_KEY", secret("embeddings key"));
        environment.put("ENGINE_OAUTH_GOOGLE_CLIENT_SECRET", secret("provider's client secret"));
        environment.put("ENGINE_OAUTH_GOOGLE_ISSUER", "https://accounts.google.com");
        environment.put("ENGINE_OAUTH_GOOGLE_CLIENT_ID", "client");
        environment.put("OTEL_EXPORTER_OTLP_HEADERS", "x-set=other,x-team=" + secret("tracing header"));
        environment.put("ENGINE_SECRETS_OTHER_KEYS", secret("former key for secrets") + "," + "A".repeat(43) + "=");
        return environment;
    }

    private Path logs() throws IOException {
        Files.writeString(folder.resolve("first-api-key"), secret("first API key") + "\n");
        Files.writeString(folder.resolve("postgres.log"), """
                2026-11-30 10:00:00.000 UTC [12] ERROR:  invalid input syntax for type json: "%s"
                2026-11-30 10:00:00.000 UTC [12] DETAIL:  Failing row contains (%s).
                2026-11-30 10:00:00.000 UTC [12] STATEMENT:  INSERT INTO message (text)
                \tVALUES ('%s')
                2026-11-30 10:00:01.000 UTC [12] PANIC:  could not write to file: No space left on device
                """.formatted(
                        secret("message text"), secret("value of a row"), secret("text in a statement")));
        return Files.writeString(folder.resolve("engine.log"), """
                2026-11-30T10:00:00.000Z WARN  Upstream - refused: Authorization: Bearer %s
                2026-11-30T10:00:01.000Z WARN  Client - GET https://me:%s@host.example/path?code=%s failed
                2026-11-30T10:00:02.000Z WARN  Client - the key %s, the key %s and the token %s are unknown
                2026-11-30T10:00:03.000Z WARN  Client - Cookie: a=b; session=%s
                2026-11-30T10:00:04.000Z ERROR Runner - a defect: the receiver has %s and %s
                java.lang.IllegalStateException: %s
                \tat io.agentworkspace.engine.Kept.line(Kept.java:12)
                2026-11-30T10:00:05.000Z INFO  RequestLog - request request_id=a1 method=GET path=/api/agents/%s/skills status=200 duration_ms=1.5 bytes=12 remote=%s tenant=%s principal=key:%s trace_id=0123
                2026-11-30T10:00:06.000Z INFO  RequestLog - requests method=POST path=/demo/v1/Engine/tps/agent/create status=429 remote=%s requests=7
                2026-11-30T10:00:07.000Z WARN  SignIn - %s may not sign in as "%s" or '%s'
                2026-11-30T10:00:08.000Z WARN  Exporter - the header %s is refused, and the key %s
                -----BEGIN PRIVATE KEY-----
                %s
                -----END PRIVATE KEY-----
                {"timestamp":1,"level":"INFO","loggerName":"Json","formattedMessage":"it said \\"%s\\""}
                {"timestamp":1,"level":"ERROR","loggerName":"Json","kvpList":[{"tenant":"%s"},{"status":"500"}],"formattedMessage":"failed\\n%s","throwable":{"className":"a.OuterFailure","message":"%s","stepArray":[{"className":"a.Kept","methodName":"json","fileName":"Kept.java","lineNumber":34}],"cause":{"className":"a.InnerFailure","message":"%s","stepArray":[]}}}
                """.formatted(
                        secret("JWT"),
                        secret("password in a URL"),
                        secret("cookie"),
                        secret("API key"),
                        secret("first API key"),
                        secret("access token"),
                        secret("cookie"),
                        secret("webhook secret"),
                        secret("upstream token"),
                        secret("message text"),
                        secret("name of an agent"),
                        secret("address of a client"),
                        secret("name of a tenant"),
                        secret("name of an agent"),
                        secret("address of a client"),
                        secret("e-mail address"),
                        secret("word in quotes"),
                        secret("word in quotes"),
                        secret("tracing header"),
                        secret("former key for secrets"),
                        secret("private key"),
                        secret("message text"),
                        secret("name of a tenant"),
                        secret("message text"),
                        secret("message text"),
                        secret("message text")));
    }

    private static Map<String, String> entries(Path archive) throws IOException {
        var entries = new LinkedHashMap<String, String>();
        try (var zip = new ZipFile(archive.toFile())) {
            for (var entry : zip.stream().toList()) {
                entries.put(
                        entry.getName(), new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return entries;
    }

    private String bundle(Map<String, String> environment, String... words) {
        return new BundleCommand(environment, List.of(), Clock.systemUTC()).run(List.of(words));
    }

    @Test
    void theArchiveHasWhatAReportNeedsAndNoSecret() throws Exception {
        var archive = folder.resolve("report.zip");
        try (var engine = EngineProcess.start(
                Files.createDirectory(folder.resolve("of-engine")),
                Map.of(
                        "ENGINE_DATABASE_URL",
                        TestDatabase.url(),
                        "ENGINE_SECRETS_KEY",
                        TestDatabase.SECRETS_KEY,
                        "ENGINE_METRICS_TOKEN",
                        METRICS_TOKEN))) {
            var port = Integer.toString(URI.create(engine.url()).getPort());
            assertThat(bundle(environment(logs(), port), archive.toString())).contains("Read it before you send it");
        }
        var entries = entries(archive);
        SECRETS.forEach((what, secret) -> entries.forEach(
                (name, text) -> assertThat(text).as("%s in %s", what, name).doesNotContain(secret)));
        assertThat(Files.getPosixFilePermissions(archive)).isEqualTo(PosixFilePermissions.fromString("rw-------"));

        assertThat(entries.get("versions.txt")).contains("engine 0.1.0", "Java 25");
        assertThat(entries.get("settings.txt"))
                .contains("ENGINE_DATABASE_URL = (set)", "ENGINE_DATABASE_POOL_SIZE = 12 (default)")
                .contains("OTEL_EXPORTER_OTLP_HEADERS is set");
        assertThat(entries.get("doctor.txt")).contains("ok    notifications", "ok    schema");
        assertThat(entries.get("health.json")).contains("\"database\":\"reachable\"");
        assertThat(entries.get("database.txt")).contains("schema version 1", "max_connections", "relname agent ");
        assertThat(entries.get("metrics.txt")).contains("engine_db_connections_max 12");
        assertThat(entries.get("threads.txt")).contains("\"main\"", " virtual ");
        assertThat(entries.get("engine.log"))
                .contains("WARN  Upstream - refused", "Kept.line(Kept.java:12)", "java.lang.IllegalStateException")
                .contains("path=/api/agents/… status=200", "path=/demo/v1/… status=429")
                .contains("status=500\na.OuterFailure\n\tat a.Kept.json(Kept.java:34)\nCaused by: a.InnerFailure\n");
        assertThat(entries.get("postgres.log"))
                .contains("No space left on device", "invalid input syntax for type json");
    }

    @Test
    void withoutAnEngineAndItsDatabaseItSaysWhatIsMissing() throws Exception {
        var archive = folder.resolve("broken.zip").toString();
        var environment = environment(logs(), "1");
        environment.put(
                "ENGINE_DATABASE_URL",
                "jdbc:postgresql://127.0.0.1:1/none?user=u&password=" + secret("database password"));
        environment.remove("ENGINE_DATABASE_NOTIFY_URL");
        bundle(environment, archive);
        var entries = entries(Path.of(archive));
        assertThat(entries.get("database.txt")).startsWith("cannot be read");
        assertThat(entries.get("health.json")).startsWith("cannot be read");
        assertThat(entries.get("doctor.txt")).contains("fail  database");
        assertThat(String.join("\n", entries.values())).doesNotContain(secret("database password"));
        environment.put("ENGINE_PORT", "none");
        var invalid = folder.resolve("invalid.zip");
        bundle(environment, invalid.toString());
        assertThat(entries(invalid).get("settings.txt")).contains("ENGINE_PORT = none");
        assertThat(entries(invalid).get("doctor.txt"))
                .startsWith("cannot be read")
                .contains("ENGINE_PORT");

        assertThatThrownBy(() -> bundle(environment, archive))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("exists: name another file");
        assertThatThrownBy(() -> bundle(environment, "a", "b"))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("usage: bundle");
    }
}
