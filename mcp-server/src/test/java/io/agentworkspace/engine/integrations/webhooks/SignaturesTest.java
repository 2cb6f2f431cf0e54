package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Third-party libraries verify our signatures, over HTTPS with a test authority. */
@Tag("slow")
class SignaturesTest {
    private static final int ENDPOINTS = 20;

    /** Each kind of data seven times, and the longest once. */
    private static final int EVENTS = 49;

    /** The next events are sent when these have arrived: on a slow machine all at once would take longer than an attempt may. */
    private static final int PORTION = 5;

    /** On a machine that is too slow for the load, the first attempts take too long. */
    private static final String PROMPT_RETRIES = "0s,1s,1s,2s,2s,5s,5s,5s,5s,5s";

    @TempDir
    private Path directory;

    @Test
    void deliveriesWithOddBodiesAreVerified() throws Exception {
        Node.require();
        var ca = new TestCa(directory).sign("hook", "ip:127.0.0.1", "-1d", 30);
        var receiver = Node.start(
                "receiver.mjs",
                Map.of(
                        "CERT",
                        ca.certificate("hook").toString(),
                        "KEY",
                        ca.key("hook").toString()));
        var process = receiver.process();
        var settings = Map.of(
                "ENGINE_WEBHOOKS_CA_FILE", ca.pem().toString(), "ENGINE_WEBHOOKS_RETRY_SCHEDULE", PROMPT_RETRIES);
        try (var fixture = new WebhookFixture(settings);
                var said = process.inputReader();
                var tells = process.outputWriter()) {
            for (var i = 0; i < ENDPOINTS; i++) {
                var endpoint = fixture.endpoint(
                        URI.create("https://127.0.0.1:%s/%d".formatted(receiver.port(), i)), "webhook.test");
                tells.write("/%d %s\n".formatted(i, endpoint.get("secret").asString()));
            }
            tells.flush();
            for (var sent = 0; sent < EVENTS; sent++) {
                send(fixture, sent);
                if (sent % PORTION == 0) {
                    awaitReceived((sent - PORTION) * ENDPOINTS, tells, said);
                }
            }
            awaitReceived(EVENTS * ENDPOINTS, tells, said);
            var report = ask(tells, said);
            assertThat(report.get("problems")).isEmpty();
            for (var verifier : List.of("received", "standardwebhooks", "svix", "byHand")) {
                assertThat(report.get(verifier).asInt()).as(verifier).isEqualTo(ENDPOINTS * EVENTS);
            }
            assertThat(report.get("events").asInt()).isEqualTo(EVENTS);
            assertThat(report.get("longest").asInt()).isGreaterThan(60_000);
        } finally {
            process.destroy();
        }
    }

    private static void awaitReceived(int deliveries, BufferedWriter tells, BufferedReader said) {
        await().untilAsserted(() ->
                assertThat(ask(tells, said).get("received").asInt()).isGreaterThanOrEqualTo(deliveries));
    }

    private static void send(WebhookFixture fixture, int number) {
        var body = Json.object().put("event_type", "webhook.test");
        body.set("data", odd(number));
        accepted(fixture, Json.text(body).replace("'", "\\u0027"));
    }

    /** Repeats a call if the service was unavailable and did nothing, as clients do. Each event still counts once. */
    private static void accepted(WebhookFixture fixture, String body) {
        var answer = fixture.ask("POST", "/api/webhooks/test", body);
        for (var again = 0; again < 3 && answer.path("error").asString("").equals("unavailable"); again++) {
            answer = fixture.ask("POST", "/api/webhooks/test", body);
        }
        assertThat(answer.at("/status/success").asBoolean())
                .as(answer.toString())
                .isTrue();
    }

    /**
     * Returns unusual data: Unicode of all planes, escapes, long and deep values, and numbers that parsers read differently.
     */
    private static ObjectNode odd(int i) {
        var data = Json.object().put("number", i);
        return switch (i % 7) {
            case 0 -> data.put("text", "Grüße, 世界, שלום, 🦊👩‍👩‍👧‍👦, e\u0301, \u2028\u2029\uFEFF");
            case 1 -> data.put("text", "\"quoted\" \\back\\ /slash/ \b\f\n\r\t \u0001\u007f </script> & ' `");
            case 2 ->
                data.put("big", new java.math.BigDecimal("12345678901234567890.123456789012345678"))
                        .put("tiny", 1e-300);
            case 3 -> deep(data, 40);
            case 4 -> i % 49 == 4 ? data.put("long", "ß€".repeat(15_000)) : data.put("empty", "");
            case 5 -> data.put(" odd key \u00e9🦊", true).put("", false);
            default -> data;
        };
    }

    private static ObjectNode deep(ObjectNode data, int levels) {
        var inner = data;
        for (var i = 0; i < levels; i++) {
            inner = inner.putObject("deeper");
        }
        return data;
    }

    private static ObjectNode ask(BufferedWriter tells, BufferedReader said) {
        try {
            tells.write("report\n");
            tells.flush();
            return Json.readObject(said.readLine().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
