package io.agentworkspace.engine.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.http.CapturedLog;
import java.net.URI;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is not sent at all, and how that is told. */
@Tag("slow")
class NotSentTest {

    private final WebhookStage stage = new WebhookStage();
    private final RawReceiver receiver = RawReceiver.saying(RawReceiver.status(200));

    @AfterEach
    void close() {
        stage.close();
        receiver.close();
    }

    @Test
    void whatMayNotBeSentToAnyMoreIsNot() {
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.db
                .sql("UPDATE webhook_endpoint SET url = 'https://a:b@example.com/'")
                .run();
        stage.happens("Ada");
        await().untilAsserted(() -> assertThat(
                        stage.deliveries(endpoint.get("id").asString()))
                .extracting(delivery -> delivery.at("/attempts/0/error").asString(""))
                .singleElement()
                .asString()
                .startsWith("not sent: url must have no user info"));
    }

    @Test
    void whatWasStoredWhileItWasAllowedIsNotSentToWhereItIsNot() {
        try (var strict = new WebhookStage(Map.of("ENGINE_WEBHOOKS_ALLOW_PRIVATE", "false"))) {
            var id = strict.endpoint(URI.create("https://hooks.invalid/"), "agent.deployment.created")
                    .get("id")
                    .asString();
            strict.db
                    .sql("UPDATE webhook_endpoint SET url = :url")
                    .set("url", receiver.url().toString())
                    .run();
            strict.happens("Ada");
            await().untilAsserted(() -> assertThat(strict.deliveries(id))
                    .extracting(delivery -> delivery.at("/attempts/0/error").asString(""))
                    .containsExactly("not sent: url must begin with https://"));
            assertThat(receiver.connections()).isZero();
        }
    }

    /** Its secret was sealed under a key that is here no more. */
    @Test
    void thatASecretCannotBeOpenedIsSaidOnce() {
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.db
                .sql("UPDATE webhook_endpoint SET secret = overlay(secret placing 'xxxx' from length(secret) - 6)")
                .run();
        try (var log = new CapturedLog()) {
            IntStream.range(0, 3).forEach(i -> stage.happens("Agent" + i));
            await().untilAsserted(() -> assertThat(
                            stage.deliveries(endpoint.get("id").asString()))
                    .extracting(delivery -> delivery.at("/attempts/0/error").asString(""))
                    .hasSize(3)
                    .containsOnly("not sent: its secret cannot be opened here"));
            assertThat(log.text().split("nothing can be signed for the endpoint", -1))
                    .hasSize(2);
        }
        assertThat(receiver.requests()).noneMatch(request -> request.startsWith("POST "));
    }
}
