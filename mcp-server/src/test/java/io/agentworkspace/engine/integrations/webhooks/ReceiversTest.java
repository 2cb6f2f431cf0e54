package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.integrations.webhooks.sender.Signature;
import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Repository;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The sample receivers of {@code examples/receivers}, each run if its tool is installed: what they accept,
 * and what they refuse with 400.
 */
@Tag("slow")
class ReceiversTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Path SAMPLES = Repository.file("examples/receivers");
    private static final UUID ID = UUID.fromString("7c9f1e1a-8a55-4b7e-9d3f-0c1d2e3f4a5b");
    private static final byte[] BODY =
            "{\"id\":\"%s\",\"type\":\"webhook.test\",\"created_at\":\"2026-11-20T12:00:00.000Z\",\"data\":{\"ü\":\"😀\"}}"
                    .formatted(ID)
                    .getBytes(StandardCharsets.UTF_8);

    private final String secret = Signature.newSecret(RANDOM);
    private final String other = Signature.newSecret(RANDOM);

    @TempDir
    private Path folder;

    enum Language {
        JAVA("Receiver.java"),
        TYPESCRIPT("receiver.mts"),
        PYTHON("receiver.py"),
        GO("receiver.go");

        private final String file;

        Language(String file) {
            this.file = file;
        }
    }

    /** Returns the command that runs a sample, which is built first if necessary. */
    private List<String> command(Language language) throws IOException, InterruptedException {
        var sample = SAMPLES.resolve(language.file).toString();
        return switch (language) {
            case JAVA ->
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), sample);
            case TYPESCRIPT -> {
                Node.require();
                yield List.of(Node.script("node_modules/.bin/node"), sample);
            }
            case PYTHON -> List.of(present("python3"), sample);
            case GO -> {
                var built = folder.resolve("receiver").toString();
                var go = new ProcessBuilder(present("go"), "build", "-o", built, sample)
                        .inheritIO()
                        .start();
                assertThat(go.waitFor()).as("go build").isZero();
                yield List.of(built);
            }
        };
    }

    private static String present(String tool) {
        var found = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> Path.of(directory, tool))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(found.isPresent(), tool + " is not here");
        return found.orElseThrow().toString();
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void aReceiverTakesWhatIsSignedAndNothingElse(Language language) throws Exception {
        var builder = new ProcessBuilder(command(language)).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(Map.of("WEBHOOK_SECRET", secret, "PORT", "0"));
        var receiver = builder.start();
        try (var output = receiver.inputReader(StandardCharsets.UTF_8)) {
            var url = "http://127.0.0.1:%s/".formatted(port(output));
            tryOut(url);
            var seen = output.readLine();
            assertThat(seen).contains("webhook.test");
            receiver.toHandle().destroy(); // Unlike the process's own, this leaves the stream open.
            assertThat(output.readLine()).as("each event is handled once").isNull();
        } finally {
            receiver.descendants().forEach(ProcessHandle::destroyForcibly);
            receiver.destroyForcibly().waitFor(HangLimit.TIME);
        }
    }

    private static String port(BufferedReader output) throws IOException {
        var line = output.readLine();
        assertThat(line).startsWith("listening on port ");
        return line.substring("listening on port ".length());
    }

    private void tryOut(String url) {
        var now = Instant.now();
        assertThat(sent(url, signed(now, secret), BODY)).as("valid").isEqualTo(200);
        assertThat(sent(url, signed(now, secret), BODY)).as("again").isEqualTo(200);
        assertThat(sent(url, signed(now, other, secret), BODY))
                .as("during the overlap of secrets")
                .isEqualTo(200);
        assertThat(sent(url, signed(now.minusSeconds(290), secret), BODY))
                .as("a slow one")
                .isEqualTo(200);
        assertThat(sent(url, signed(now.minusSeconds(600), secret), BODY))
                .as("stale")
                .isEqualTo(400);
        assertThat(sent(url, signed(now.plusSeconds(600), secret), BODY))
                .as("a timestamp in the future")
                .isEqualTo(400);
        assertThat(sent(url, signed(now, other), BODY)).as("wrong secret").isEqualTo(400);
        assertThat(sent(url, "", BODY)).as("not signed").isEqualTo(400);
        for (var broken : List.of("t=,v1=", "v1=00", "t=1", "t=x,v1=zz", "=,=", signed(now, secret) + ",t=1")) {
            assertThat(sent(url, broken, BODY)).as(broken).isEqualTo(400);
        }
        var tampered = BODY.clone();
        tampered[tampered.length - 4] ^= 1;
        assertThat(sent(url, signed(now, secret), tampered)).as("tampered").isEqualTo(400);
    }

    private static String signed(Instant at, String... secrets) {
        return Signature.headers(ID, at, BODY, List.of(secrets)).get(Signature.HEADER);
    }

    private static int sent(String url, String signature, byte[] body) {
        var headers = signature.isEmpty()
                ? Map.<String, String>of()
                : Map.of(Signature.HEADER, signature, "webhook-id", ID.toString());
        return ClientApi.post(url, "none", body, headers).statusCode();
    }

    /** One of them is on the page, and the page leads to all. */
    @Test
    void thePageShowsTheReceivers() {
        var page = Repository.file("docs/webhooks.md");
        for (var language : Language.values()) {
            assertThat(Repository.text(page)).contains("(../examples/receivers/%s)".formatted(language.file));
        }
        var sample = Repository.text(SAMPLES.resolve(Language.PYTHON.file)).stripTrailing();
        Golden.checkPart(page, "receiver-python", "```python\n%s\n```\n".formatted(sample));
    }

    @Test
    void theSignatureIsThatOfTheSkillsTestVector() {
        var body =
                "{\"id\":\"7c9f1e1a-8a55-4b7e-9d3f-0c1d2e3f4a5b\",\"type\":\"quota.threshold.reached\",\"created_at\":\"2026-11-20T12:00:00.000Z\",\"data\":{\"scope\":\"commands\",\"threshold\":80,\"limit\":10000,\"count\":8000,\"plan\":\"free\"}}";
        var headers = Signature.headers(
                ID,
                Instant.ofEpochSecond(1_795_176_000),
                body.getBytes(StandardCharsets.UTF_8),
                List.of("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="));
        assertThat(headers)
                .containsEntry(
                        Signature.HEADER,
                        "t=1795176000,v1=160bfa90fa0f55a55c1766aa9afaec7d61ccfbbabdaf26ddf25c370b6515976b")
                .containsEntry("webhook-signature", "v1,w6/Zr+YBCVZZt7LP75sk2G7sO6S5K8J9rmDKE3lKvJA=");
    }
}
