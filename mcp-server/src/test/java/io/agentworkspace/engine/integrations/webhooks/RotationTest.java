package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The signatures of deliveries after the rotation of an endpoint's secret (decisions, section 8). */
@Tag("slow")
class RotationTest {
    private final WebhookFixture fixture = new WebhookFixture();
    private final RawReceiver receiver = RawReceiver.saying(RawReceiver.status(200));

    @AfterEach
    void close() {
        fixture.close();
        receiver.close();
    }

    /** Returns the deliveries, without pre-flights. */
    private List<String> posts() {
        return receiver.requests().stream()
                .filter(request -> request.startsWith("POST "))
                .toList();
    }

    private void awaitPosts(int count) {
        await().until(() -> posts().size() == count);
    }

    @Test
    void theOldSecretSignsTooWhileItOverlaps() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        var id = endpoint.get("id").asString();
        var rotated = fixture.call("POST", "/api/webhooks/endpoints/" + id + "/rotate-secret", "{}");
        var old = endpoint.get("secret").asString();
        var young = rotated.at("/endpoint/secret").asString();
        fixture.happens("Ada");
        awaitPosts(1);
        fixture.clock.advance(Duration.ofHours(25));
        fixture.happens("Bob");
        awaitPosts(2);
        assertSigned(posts().get(0), young, old);
        assertSigned(posts().get(1), young);
    }

    private String rotate(String id, String body) {
        return fixture.call("POST", "/api/webhooks/endpoints/" + id + "/rotate-secret", body)
                .at("/endpoint/secret")
                .asString();
    }

    @Test
    void withoutAnOverlapTheNewSecretSignsAlone() {
        var id = fixture.endpoint(receiver.url(), "agent.deployment.created")
                .get("id")
                .asString();
        var young = rotate(id, "{'overlap_seconds': 0}");
        fixture.happens("Ada");
        awaitPosts(1);
        assertSigned(posts().getFirst(), young);
    }

    @Test
    void theLongestOverlapIsSevenDays() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        var old = endpoint.get("secret").asString();
        var id = endpoint.get("id").asString();
        var young = rotate(id, "{'overlap_seconds': 604800}");
        fixture.clock.advance(Duration.ofDays(7).minusMinutes(1));
        fixture.happens("Ada");
        awaitPosts(1);
        fixture.clock.advance(Duration.ofMinutes(2));
        fixture.happens("Bob");
        awaitPosts(2);
        assertSigned(posts().get(0), young, old);
        assertSigned(posts().get(1), young);
        for (var seconds : List.of(-1, 604_801)) {
            var refused = fixture.ask(
                    "POST",
                    "/api/webhooks/endpoints/" + id + "/rotate-secret",
                    "{'overlap_seconds': %d}".formatted(seconds));
            assertThat(refused.get("status").asInt()).isEqualTo(422);
            assertThat(refused.get("detail").asString()).contains("overlap_seconds");
        }
        fixture.happens("Eve");
        awaitPosts(3);
        assertSigned(posts().get(2), young);
    }

    @Test
    void aSecondRotationEndsTheFirstOverlap() {
        var id = fixture.endpoint(receiver.url(), "agent.deployment.created")
                .get("id")
                .asString();
        var second = rotate(id, "{}");
        var third = rotate(id, "{}");
        fixture.happens("Ada");
        awaitPosts(1);
        assertSigned(posts().getFirst(), third, second);
    }

    /** Checks that exactly these secrets signed, in both schemes, with signatures computed here (decisions, section 8). */
    private static void assertSigned(String request, String... secrets) {
        var body = request.substring(request.indexOf("\r\n\r\n") + 4);
        var time = header(request, "webhook-timestamp");
        var ours = Arrays.stream(secrets)
                .map(secret -> ",v1="
                        + HexFormat.of().formatHex(hmac(secret.getBytes(StandardCharsets.UTF_8), time + "." + body)))
                .collect(Collectors.joining());
        assertThat(header(request, "X-Service-Signature")).isEqualTo("t=" + time + ours);
        var signed = header(request, "webhook-id") + "." + time + "." + body;
        var standard = Arrays.stream(secrets)
                .map(secret -> Base64.getDecoder().decode(secret.substring("whsec_".length())))
                .map(secret -> "v1," + Base64.getEncoder().encodeToString(hmac(secret, signed)))
                .collect(Collectors.joining(" "));
        assertThat(header(request, "webhook-signature")).isEqualTo(standard);
    }

    private static String header(String request, String name) {
        return request.lines()
                .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
