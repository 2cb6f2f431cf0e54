package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.web.server.CapturedLog;
import java.net.URI;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Deliveries that are never sent, and how that is reported. */
@Tag("slow")
class UnsentDeliveriesTest {

    private final WebhookFixture fixture = new WebhookFixture();
    private final RawReceiver receiver = RawReceiver.saying(RawReceiver.status(200));

    @AfterEach
    void close() {
        fixture.close();
        receiver.close();
    }

    @Test
    void whatMayNotBeSentToAnyMoreIsNot() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.db
                .sql("UPDATE webhook_endpoint SET url = 'https://a:b@example.com/'")
                .run();
        fixture.happens("Ada");
        await().untilAsserted(() -> assertThat(
                        fixture.deliveries(endpoint.get("id").asString()))
                .extracting(delivery -> delivery.at("/attempts/0/error").asString(""))
                .singleElement()
                .asString()
                .startsWith("not sent: url must have no user info"));
    }

    @Test
    void whatWasStoredWhileItWasAllowedIsNotSentToWhereItIsNot() {
        try (var strict = new WebhookFixture(Map.of("ENGINE_WEBHOOKS_ALLOW_PRIVATE", "false"))) {
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
                    .containsExactly("not sent: url must begin with https://; the operator allows http:// with"
                            + " ENGINE_WEBHOOKS_ALLOW_PRIVATE"));
            assertThat(receiver.connections()).isZero();
        }
    }

    /** Its secret was encrypted with a key that is no longer configured. */
    @Test
    void thatASecretCannotBeOpenedIsSaidOnce() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.db
                .sql("UPDATE webhook_endpoint SET secret = overlay(secret placing 'xxxx' from length(secret) - 6)")
                .run();
        try (var log = new CapturedLog()) {
            IntStream.range(0, 3).forEach(i -> fixture.happens("Agent" + i));
            await().untilAsserted(() -> assertThat(
                            fixture.deliveries(endpoint.get("id").asString()))
                    .extracting(delivery -> delivery.at("/attempts/0/error").asString(""))
                    .hasSize(3)
                    .containsOnly("not sent: the engine cannot decrypt its secret"));
            assertThat(log.text().split("cannot sign deliveries for the endpoint", -1))
                    .hasSize(2);
        }
        assertThat(receiver.requests()).noneMatch(request -> request.startsWith("POST "));
    }
}
