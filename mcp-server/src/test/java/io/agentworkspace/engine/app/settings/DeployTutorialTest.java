package io.agentworkspace.engine.app.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.testing.Programs;
import io.agentworkspace.engine.testing.Repository;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial on deployment needs a host name, systemd and a provider, so its commands are not run: its files are read. */
class DeployTutorialTest {
    private static final String TEXT = Repository.text(Repository.file("docs/tutorials/deploy.md"));
    private static final Pattern SETTING = Pattern.compile("(?m)^(ENGINE_\\w+)=(.+)$");
    private static final Pattern PLACEHOLDER = Pattern.compile("<.*>");
    private static final Pattern COMMAND = Pattern.compile("(?m)^ExecStart=/opt/engine/engine (.+)$");
    private static final Pattern REPLICA = Pattern.compile("(?m)^\\$ systemctl enable --now engine@(\\d+)$");
    private static final Pattern PROXY = Pattern.compile("(?m)^\\s+reverse_proxy (.+) \\{$");

    private static final Pattern UNIT = Pattern.compile("(?s)```ini\n(.*?)```");

    private static List<String> found(Pattern pattern) {
        return pattern.matcher(TEXT).results().map(found -> found.group(1)).toList();
    }

    private static String value(MatchResult setting) {
        var key = setting.group(2).contains("./engine key")
                ? ApiKey.generate(new SecureRandom()).reveal()
                : Base64.getEncoder().encodeToString(new byte[32]); // The format of `openssl rand -base64 32`.
        return PLACEHOLDER.matcher(setting.group(2)).replaceAll(key);
    }

    @Test
    void theEngineAcceptsTheSettings() {
        Map<String, String> values = SETTING.matcher(TEXT)
                .results()
                .collect(Collectors.toMap(found -> found.group(1), DeployTutorialTest::value));
        assertThat(UnknownSettings.of(values.keySet())).isEmpty();
        for (var port : found(REPLICA)) {
            var flags = found(COMMAND).getFirst().replace("%i", port).split(" ");
            var settings = Settings.read(values, List.of(flags));
            assertThat(settings.http().port()).hasToString(port);
            assertThat(settings.http().baseUrl()).isEqualTo("https://engine.example.org");
            assertThat(settings.database().url()).startsWith("jdbc:postgresql://");
            assertThat(settings.database().dataDir()).isEqualTo(Path.of("/var/lib/engine", port));
            assertThat(settings.signIn().providers())
                    .singleElement()
                    .satisfies(provider ->
                            assertThat(TEXT).contains("/api/auth/oauth/%s/callback".formatted(provider.name())));
        }
    }

    /** The cluster's own encoding may be another one, and Kubernetes cannot tell from a name that a user is not root. */
    @Test
    void theDatabaseIsUtf8AndTheUserOfTheImageIsANumber() {
        for (var document : List.of("docs/tutorials/deploy.md", "docs/operations.md")) {
            assertThat(Repository.text(Repository.file(document)))
                    .contains("CREATE DATABASE engine OWNER engine ENCODING 'UTF8' TEMPLATE template0;");
        }
        assertThat(Repository.text(Repository.file("Dockerfile")).lines().filter(line -> line.startsWith("USER ")))
                .singleElement()
                .asString()
                .matches("USER [1-9]\\d*:[1-9]\\d*");
        assertThat(TEXT.replaceAll("(?s)```.*?```", "")).contains("Do not add `request_buffers` or `buffer_requests`");
        assertThat(found(Pattern.compile("(?s)(```.*?```)"))).noneMatch(block -> block.contains("buffer"));
    }

    /** Its program is replaced by one that exists here, and systemd's own reader finds nothing to complain about. */
    @Test
    void systemdAcceptsTheUnit(@TempDir Path folder) throws Exception {
        var program = Programs.require("systemd-analyze");
        var unit = UNIT.matcher(TEXT)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
        var file = Files.writeString(
                folder.resolve("engine@.service"), unit.replace("ExecStart=/opt/engine/engine", "ExecStart=/bin/true"));
        var process = new ProcessBuilder(program.toString(), "verify", "--man=no", file.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void theProxyReachesEachReplica() {
        var replicas = found(REPLICA).stream().map("127.0.0.1:"::concat).toList();
        assertThat(replicas).hasSize(2);
        assertThat(found(PROXY)).containsExactly(String.join(" ", replicas));
    }
}
