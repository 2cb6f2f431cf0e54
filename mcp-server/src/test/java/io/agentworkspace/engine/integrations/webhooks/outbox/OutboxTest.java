package io.agentworkspace.engine.integrations.webhooks.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.integrations.webhooks.WebhookFixture;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** The deliveries of events, on a clock that the test sets (decisions, section 8). */
@Tag("slow")
class OutboxTest {
    private static final Pattern SEQUENCE = Pattern.compile("(?m)^X-Service-Sequence: (\\d+)");
    private static final List<Duration> STEPS = List.of(
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            Duration.ofMinutes(30),
            Duration.ofHours(2),
            Duration.ofHours(5),
            Duration.ofHours(10),
            Duration.ofHours(14),
            Duration.ofHours(20),
            Duration.ofHours(24));

    private final WebhookFixture fixture = new WebhookFixture();
    private final AtomicReference<String> answer = new AtomicReference<>(RawReceiver.status(200));
    private final RawReceiver receiver =
            new RawReceiver((_, out) -> out.write(answer.get().getBytes(StandardCharsets.ISO_8859_1)));

    @AfterEach
    void close() {
        fixture.close();
        receiver.close();
    }

    /** Returns the deliveries, without pre-flights. */
    private static List<String> posts(RawReceiver receiver) {
        return receiver.requests().stream()
                .filter(request -> request.startsWith("POST "))
                .toList();
    }

    /** Returns the sequence numbers of the deliveries, each once. */
    private static List<Long> sequences(RawReceiver receiver) {
        return posts(receiver).stream()
                .map(SEQUENCE::matcher)
                .peek(found -> assertThat(found.find()).isTrue())
                .map(found -> Long.parseLong(found.group(1)))
                .sorted()
                .distinct()
                .toList();
    }

    private static ObjectNode body(String request) {
        return Json.readObject(
                request.substring(request.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.UTF_8));
    }

    private void awaitRequests(int count) {
        await().until(() -> posts(receiver).size() >= count);
        assertThat(posts(receiver)).hasSize(count);
    }

    private ObjectNode delivery(ObjectNode endpoint) {
        return fixture.deliveries(endpoint.get("id").asString()).getFirst();
    }

    private void awaitState(ObjectNode endpoint, String state) {
        // A delivery appears shortly after its event.
        await().until(() -> fixture.deliveries(endpoint.get("id").asString()).stream()
                .findFirst()
                .map(delivery -> delivery.get("state").asString())
                .filter(state::equals)
                .isPresent());
    }

    @Test
    void anEventReachesWhoeverSubscribesToIt() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.happens("Ada");
        awaitRequests(1);
        var sent = body(posts(receiver).getFirst());
        assertThat(sent.propertyNames()).containsExactly("id", "type", "created_at", "data");
        assertThat(sent.get("type").asString()).isEqualTo("agent.deployment.created");
        assertThat(sent.at("/data/agent").asString()).isEqualTo("Ada");
        awaitState(endpoint, "delivered");
        var delivery = delivery(endpoint);
        assertThat(delivery.get("event_id")).isEqualTo(sent.get("id"));
        assertThat(delivery.get("attempts")).hasSize(1);
        assertThat(delivery.at("/attempts/0/status").asInt()).isEqualTo(200);
        assertThat(delivery.has("next_attempt_at")).isFalse();
    }

    @Test
    void attemptsKeepToTheScheduleAndEndThen() {
        answer.set(RawReceiver.status(500));
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.happens("Ada");
        awaitRequests(1);
        awaitState(endpoint, "failed");
        for (var made = 1; made <= STEPS.size(); made++) {
            var step = STEPS.get(made - 1);
            fixture.clock.advance(
                    Duration.ofMillis((long) (step.toMillis() * 0.8)).minusSeconds(3));
            assertNothingMoreFor(made);
            fixture.clock.advance(
                    Duration.ofMillis((long) (step.toMillis() * 0.4)).plusSeconds(4));
            awaitRequests(made + 1);
            var attempts = made + 1;
            await().until(() -> delivery(endpoint).get("attempts").size() == attempts);
        }
        awaitState(endpoint, "exhausted");
        var ids = posts(receiver).stream()
                .map(request -> body(request).get("id").asString())
                .distinct();
        assertThat(ids).hasSize(1);
        fixture.clock.advance(Duration.ofDays(3));
        assertNothingMoreFor(STEPS.size() + 1);
    }

    private void assertNothingMoreFor(int requests) {
        assertNothingMoreFor(requests, fixture);
    }

    private void assertNothingMoreFor(int requests, WebhookFixture engine) {
        engine.awaitRound();
        assertThat(engine.attempts(receiver.url())).isEqualTo(requests);
        assertThat(posts(receiver)).hasSize(requests);
    }

    @Test
    void retryAfterIsGrantedUpToTwiceTheStep() {
        answer.set(RawReceiver.status(429, "Retry-After: 3600"));
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.happens("Ada");
        awaitState(endpoint, "failed");
        assertThat(wait(delivery(endpoint))).isBetween(Duration.ofMillis(9_900), Duration.ofSeconds(60));
        answer.set(RawReceiver.status(503, "Retry-After: 400"));
        fixture.clock.advance(Duration.ofSeconds(11));
        await().until(() -> delivery(endpoint).get("attempts").size() == 2);
        assertThat(wait(delivery(endpoint))).isBetween(Duration.ofSeconds(399), Duration.ofSeconds(500));
    }

    private static Duration wait(ObjectNode delivery) {
        var attempts = delivery.get("attempts");
        var last = java.time.Instant.parse(
                attempts.get(attempts.size() - 1).get("at").asString());
        return Duration.between(
                last, java.time.Instant.parse(delivery.get("next_attempt_at").asString()));
    }

    @Test
    void whoeverIsGoneIsDisabledAtOnceAndTheOthersHearOfIt() {
        answer.set(RawReceiver.status(410));
        try (var other = RawReceiver.saying(RawReceiver.status(200))) {
            fixture.endpoint(other.url(), "webhook.endpoint.updated");
            var endpoint = fixture.endpoint(receiver.url(), "*");
            await().until(() -> !posts(other).isEmpty());
            var event = body(posts(other).getFirst());
            assertThat(event.at("/data/endpoint_id")).isEqualTo(endpoint.get("id"));
            assertThat(event.at("/data/enabled").asBoolean()).isFalse();
            assertThat(event.at("/data/disabled_reason").asString()).isEqualTo("gone");
            assertThat(fixture.endpoint(endpoint.get("id").asString())
                            .at("/missed/after")
                            .asLong())
                    .isEqualTo(2);
            var requests = posts(receiver).size();
            fixture.happens("Ada");
            fixture.clock.advance(Duration.ofHours(1));
            assertNothingMoreFor(requests);

            answer.set(RawReceiver.status(200));
            var id = endpoint.get("id").asString();
            fixture.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': true}");
            await().untilAsserted(() -> assertThat(fixture.deliveries(id))
                    .extracting(delivery -> delivery.get("state").asString())
                    .containsOnly("delivered"));
        }
    }

    /** Returns each verdict once: the clock jumps, so a delivery that is under way may be sent again. */
    private static List<String> verdicts(RawReceiver other) {
        return posts(other).stream().map(OutboxTest::verdict).distinct().toList();
    }

    @Test
    void nothingButFailuresForFiveDaysDisableAnEndpointAndItsTenantIsWarnedBefore() {
        answer.set(RawReceiver.status(500));
        try (var other = RawReceiver.saying(RawReceiver.status(200))) {
            var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
            fixture.endpoint(other.url(), "webhook.endpoint.updated");
            for (var hours : List.of(0, 61, 24, 24, 12)) { // In all 0, 61, 85, 109, 121.
                fixture.clock.advance(Duration.ofHours(hours));
                var before = posts(receiver).size();
                fixture.happens("Agent" + before);
                await().until(() ->
                        posts(receiver).size() > before || verdicts(other).size() == 4);
                await().until(() -> nothingIsUnderWay(endpoint.get("id").asString()));
            }
            await().until(() -> verdicts(other).size() >= 4);
            assertThat(verdicts(other)).containsExactly("50", "70", "90", "failing");
            var now = fixture.endpoint(endpoint.get("id").asString());
            assertThat(now.get("enabled").asBoolean()).isFalse();
            assertThat(now.get("disabled_reason").asString()).isEqualTo("failing");
        }
    }

    private boolean nothingIsUnderWay(String endpoint) {
        return fixture.deliveries(endpoint).stream()
                .noneMatch(delivery -> delivery.get("state").asString().equals("delivering"));
    }

    @Test
    void whatFailsForLongIsWarnedOfAndDisabledAlsoWhereNothingIsSentAnyMore() {
        answer.set(RawReceiver.status(500));
        try (var other = RawReceiver.saying(RawReceiver.status(200))) {
            var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
            fixture.endpoint(other.url(), "webhook.endpoint.updated");
            fixture.happens("Ada");
            awaitState(endpoint, "failed");
            fixture.db
                    .sql("UPDATE webhook_delivery SET state = 'exhausted', due_at = NULL")
                    .run();
            for (var step :
                    List.of(new Step(59, 0), new Step(2, 1), new Step(24, 2), new Step(24, 3), new Step(10, 3))) {
                fixture.clock.advance(Duration.ofHours(step.hours()));
                fixture.awaitRound(); // Each round judges before it claims.
                assertThat(fixture.db
                                .sql("SELECT id FROM event WHERE type = 'webhook.endpoint.updated'")
                                .list(row -> row.text("id")))
                        .hasSize(step.events());
                await().until(() -> posts(other).size() == step.events());
            }
            assertThat(fixture.endpoint(endpoint.get("id").asString())
                            .get("enabled")
                            .asBoolean())
                    .as("after 119 hours")
                    .isTrue();
            fixture.clock.advance(Duration.ofHours(1));
            await().until(() -> posts(other).size() == 4);
            assertThat(posts(other)).extracting(OutboxTest::verdict).containsExactly("50", "70", "90", "failing");
            assertThat(posts(receiver)).hasSize(1);
        }
    }

    /** The number of events about the failure that the tenant has received after the given hours. */
    private record Step(int hours, int events) {}

    private static String verdict(String request) {
        var data = body(request).get("data");
        return data.has("warning")
                ? data.at("/warning/percent").asString()
                : data.get("disabled_reason").asString();
    }

    @Test
    void aSuccessForgivesAllFailures() {
        answer.set(RawReceiver.status(500));
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.happens("Ada");
        awaitState(endpoint, "failed");
        fixture.clock.advance(Duration.ofHours(119));
        answer.set(RawReceiver.status(200));
        awaitState(endpoint, "delivered");
        fixture.clock.advance(Duration.ofHours(2));
        answer.set(RawReceiver.status(500));
        fixture.happens("Bob");
        awaitState(endpoint, "failed");
        assertThat(fixture.endpoint(endpoint.get("id").asString())
                        .get("enabled")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aSuccessThatCameInTheMiddleOfFailuresForgivesThem() {
        var failing = new AtomicBoolean();
        var failed = new CountDownLatch(1);
        try (var mixed = new RawReceiver((_, out) -> {
            var status = failing.get() ? 500 : 200;
            if (status == 200 && slows.get()) {
                failed.await();
            }
            out.write(RawReceiver.status(status).getBytes(StandardCharsets.ISO_8859_1));
        })) {
            var id = fixture.endpoint(mixed.url(), "agent.deployment.created")
                    .get("id")
                    .asString();
            slows.set(true);
            fixture.happens("Slow");
            await().until(() -> posts(mixed).size() == 1);
            failing.set(true);
            fixture.happens("Bad");
            await().until(() -> fixture.endpoint(id).at("/health").has("failing_since"));
            failed.countDown();
            await().until(() -> !fixture.endpoint(id).at("/health").has("failing_since"));
            assertThat(fixture.deliveries(id))
                    .extracting(delivery -> delivery.get("state").asString())
                    .containsExactly("failed", "delivered");
        }
    }

    @Test
    void whatADeadReplicaHeldOfADeletedEndpointIsGivenUp() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.happens("Ada");
        awaitState(endpoint, "delivered");
        fixture.call("DELETE", "/api/webhooks/endpoints/" + endpoint.get("id").asString(), "");
        awaitRequests(2); // The second reports the end.
        fixture.db
                .sql(
                        "UPDATE webhook_delivery SET state = 'delivering', due_at = :due WHERE event_type = 'agent.deployment.created'")
                .set("due", fixture.clock.instant())
                .run();
        fixture.clock.advance(Duration.ofMinutes(2));
        await().until(() -> fixture.db
                .sql("SELECT state FROM webhook_delivery WHERE event_type = 'agent.deployment.created'")
                .list(row -> row.text("state"))
                .equals(List.of("exhausted")));
    }

    @Test
    void theFirstStepOfTheScheduleIsWaitedForToo() {
        try (var patient = new WebhookFixture(Map.of("ENGINE_WEBHOOKS_RETRY_SCHEDULE", "60s,5m"))) {
            patient.endpoint(receiver.url(), "agent.deployment.created");
            patient.happens("Ada");
            await() // The step begins when the delivery is queued.
                    .until(
                            () -> patient.db
                                    .sql("SELECT state FROM webhook_delivery")
                                    .list(row -> row.text("state")),
                            List.of("pending")::equals);
            patient.clock.advance(Duration.ofSeconds(40));
            assertNothingMoreFor(0, patient);
            patient.clock.advance(Duration.ofSeconds(40));
            awaitRequests(1);
        }
    }

    private final AtomicBoolean slows = new AtomicBoolean();
    private final CountDownLatch release = new CountDownLatch(1);

    /** Returns a receiver that responds to pre-flights at once, and to deliveries only when it is released. */
    private RawReceiver slow() {
        return new RawReceiver((_, out) -> {
            if (slows.get()) {
                release.await();
            }
            out.write(RawReceiver.status(200).getBytes(StandardCharsets.ISO_8859_1));
        });
    }

    /** There are enough slow endpoints to use all the room. */
    @Test
    void manySlowEndpointsDelayNoOther() {
        try (var slow = slow()) {
            IntStream.range(0, 12).forEach(_ -> fixture.endpoint(slow.url(), "agent.deployment.created"));
            slows.set(true);
            fixture.db
                    .sql("UPDATE webhook_endpoint SET open_until = 'infinity'")
                    .run();
            IntStream.range(0, 32).forEach(i -> fixture.happens("Slow" + i));
            fixture.db.sql("UPDATE webhook_endpoint SET open_until = NULL").run(); // All of it is due at once.
            await().until(() -> posts(slow).size() >= Outbox.IN_ALL / 2);
            fixture.endpoint(receiver.url(), "agent.deployment.created");
            IntStream.range(0, 30).forEach(i -> fixture.happens("Agent" + i));
            awaitRequests(30);
            assertThat(fixture.db
                            .sql("SELECT state FROM webhook_delivery WHERE state = 'delivering'")
                            .list(row -> row.text("state")))
                    .as("there is room for others")
                    .hasSizeLessThan(Outbox.IN_ALL);
            release.countDown();
        }
    }

    @Test
    void aDeadEndpointIsAskedOneAtATimeOnceItsCircuitIsOpen() {
        answer.set(RawReceiver.status(500));
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        IntStream.range(0, CircuitBreaker.PATIENCE).forEach(i -> {
            fixture.happens("Agent" + i);
            awaitRequests(i + 1);
        });
        await().untilAsserted(
                        () -> assertThat(fixture.endpoint(endpoint.get("id").asString())
                                        .at("/health/circuit")
                                        .asString())
                                .isEqualTo("open"));
        IntStream.range(0, 5).forEach(i -> fixture.happens("Late" + i));
        assertNothingMoreFor(CircuitBreaker.PATIENCE);
        // Its first pause is the first step, 5 s: all 15 are due, one is tried.
        fixture.clock.advance(Duration.ofSeconds(7));
        awaitRequests(CircuitBreaker.PATIENCE + 1);
        assertNothingMoreFor(CircuitBreaker.PATIENCE + 1);
        answer.set(RawReceiver.status(200));
        // The second pause is twice as long; then deliveries succeed again.
        fixture.clock.advance(Duration.ofSeconds(11));
        await().untilAsserted(
                        () -> assertThat(fixture.endpoint(endpoint.get("id").asString())
                                        .at("/health/circuit")
                                        .asString())
                                .isEqualTo("closed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "webhook.endpoint.deleted", "agent.deployment.created"})
    void aDeletedEndpointGetsItsOwnLastEventAndNothingAfter(String type) {
        var endpoint = fixture.endpoint(receiver.url(), type);
        var before = type.equals("*") ? 1 : 0; // Its creation.
        awaitRequests(before);
        fixture.call("DELETE", "/api/webhooks/endpoints/" + endpoint.get("id").asString(), "");
        awaitRequests(before + 1);
        var last = body(posts(receiver).getLast());
        assertThat(last.get("type").asString()).isEqualTo("webhook.endpoint.deleted");
        assertThat(last.at("/data/endpoint_id")).isEqualTo(endpoint.get("id"));
        fixture.happens("Ada");
        assertNothingMoreFor(before + 1);
        fixture.clock.advance(Duration.ofMinutes(2));
        await() // It no longer counts when events are numbered and deliveries are claimed.
                .until(() -> fixture.db
                        .sql("SELECT id FROM webhook_endpoint WHERE enabled AND deleted_at IS NOT NULL")
                        .list(row -> row.text("id"))
                        .isEmpty());
    }

    /** Many writers on two replicas: each delivery arrives once, and neither the feed nor the sequence has a gap. */
    @Test
    void nothingIsMissingAndNothingComesTwiceWhereTwoReplicasWork() throws Exception {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created")
                .get("id")
                .asString();
        var count = 240;
        try (var other = fixture.replica();
                var writers = Executors.newFixedThreadPool(8)) {
            for (var i = 0; i < count; i++) {
                var base = i % 2 == 0 ? fixture.url() : other.url();
                var body = "{'vx': {'name': 'Agent%d', 'description': 'An agent.'}}".formatted(i);
                writers.submit(() -> fixture.ask(base, "POST", "/demo/v1/Engine/tps/agent/create", body));
            }
            writers.shutdown();
            assertThat(writers.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
            await().until(() -> sequences(receiver).size() >= count);
        }
        var sequences = sequences(receiver);
        // On a slow machine an attempt may time out: only then does the same delivery come again.
        await().untilAsserted(() -> assertThat(posts(receiver).size() - count)
                .isLessThanOrEqualTo(
                        fixture.endpoint(endpoint).at("/health/failed").asInt()));
        assertThat(sequences)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, count).boxed().toList());
        var places = new ArrayList<Long>();
        var after = 0L;
        while (places.size() <= count) {
            var page = fixture.call("GET", "/api/events?limit=100&after=" + after, "")
                    .get("events");
            page.forEach(event -> places.add(event.get("seq").asLong()));
            if (page.isEmpty()) {
                break;
            }
            after = places.getLast();
        }
        assertThat(places)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, count + 1).boxed().toList());
    }
}
