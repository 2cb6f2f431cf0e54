package io.agentworkspace.engine.webhooks.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.webhooks.RawReceiver;
import io.agentworkspace.engine.webhooks.WebhookStage;
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

/** What becomes of an event, on a clock that the test sets (decisions, section 8). */
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

    private final WebhookStage stage = new WebhookStage();
    private final AtomicReference<String> answer = new AtomicReference<>(RawReceiver.status(200));
    private final RawReceiver receiver =
            new RawReceiver((_, out) -> out.write(answer.get().getBytes(StandardCharsets.ISO_8859_1)));

    @AfterEach
    void close() {
        stage.close();
        receiver.close();
    }

    /** Without the looks at whether somebody answers there. */
    private static List<String> posts(RawReceiver receiver) {
        return receiver.requests().stream()
                .filter(request -> request.startsWith("POST "))
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
        return stage.deliveries(endpoint.get("id").asString()).getFirst();
    }

    private void awaitState(ObjectNode endpoint, String state) {
        await().untilAsserted(() ->
                assertThat(delivery(endpoint).get("state").asString()).isEqualTo(state));
    }

    @Test
    void anEventReachesWhoeverSubscribesToIt() {
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.happens("Ada");
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
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.happens("Ada");
        awaitRequests(1);
        awaitState(endpoint, "failed");
        for (var made = 1; made <= STEPS.size(); made++) {
            var step = STEPS.get(made - 1);
            stage.clock.advance(
                    Duration.ofMillis((long) (step.toMillis() * 0.8)).minusSeconds(3));
            assertNothingMoreFor(made);
            stage.clock.advance(
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
        stage.clock.advance(Duration.ofDays(3));
        assertNothingMoreFor(STEPS.size() + 1);
    }

    /** Longer than the outbox rests. */
    private void assertNothingMoreFor(int requests) {
        await().during(Duration.ofMillis(700)).until(() -> posts(receiver).size() == requests);
    }

    @Test
    void retryAfterIsGrantedUpToTwiceTheStep() {
        answer.set(RawReceiver.status(429, "Retry-After: 3600"));
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.happens("Ada");
        awaitState(endpoint, "failed");
        assertThat(wait(delivery(endpoint))).isBetween(Duration.ofMillis(9_900), Duration.ofSeconds(60));
        answer.set(RawReceiver.status(503, "Retry-After: 400"));
        stage.clock.advance(Duration.ofSeconds(11));
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
            stage.endpoint(other.url(), "webhook.endpoint.updated");
            var endpoint = stage.endpoint(receiver.url(), "*");
            await().until(() -> !posts(other).isEmpty());
            var told = body(posts(other).getFirst());
            assertThat(told.at("/data/endpoint_id")).isEqualTo(endpoint.get("id"));
            assertThat(told.at("/data/enabled").asBoolean()).isFalse();
            assertThat(told.at("/data/disabled_reason").asString()).isEqualTo("gone");
            assertThat(stage.endpoint(endpoint.get("id").asString())
                            .at("/missed/after")
                            .asLong())
                    .isEqualTo(2);
            var requests = posts(receiver).size();
            stage.happens("Ada");
            stage.clock.advance(Duration.ofHours(1));
            assertNothingMoreFor(requests);

            answer.set(RawReceiver.status(200));
            var id = endpoint.get("id").asString();
            stage.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': true}");
            await().untilAsserted(() -> assertThat(stage.deliveries(id))
                    .extracting(delivery -> delivery.get("state").asString())
                    .containsOnly("delivered"));
        }
    }

    @Test
    void nothingButFailuresForFiveDaysDisableAnEndpointAndItsTenantIsWarnedBefore() {
        answer.set(RawReceiver.status(500));
        try (var other = RawReceiver.saying(RawReceiver.status(200))) {
            var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
            stage.endpoint(other.url(), "webhook.endpoint.updated");
            for (var hours : List.of(0, 61, 24, 24, 12)) { // In all 0, 61, 85, 109, 121.
                stage.clock.advance(Duration.ofHours(hours));
                var before = posts(receiver).size();
                stage.happens("Agent" + before);
                await().until(() ->
                        posts(receiver).size() > before || posts(other).size() == 4);
                await().until(() -> nothingIsUnderWay(endpoint.get("id").asString()));
            }
            await().until(() -> posts(other).size() >= 4);
            assertThat(posts(other)).extracting(OutboxTest::verdict).containsExactly("50", "70", "90", "failing");
            var now = stage.endpoint(endpoint.get("id").asString());
            assertThat(now.get("enabled").asBoolean()).isFalse();
            assertThat(now.get("disabled_reason").asString()).isEqualTo("failing");
        }
    }

    private boolean nothingIsUnderWay(String endpoint) {
        return stage.deliveries(endpoint).stream()
                .noneMatch(delivery -> delivery.get("state").asString().equals("delivering"));
    }

    @Test
    void whatFailsForLongIsWarnedOfAndDisabledAlsoWhereNothingIsSentAnyMore() {
        answer.set(RawReceiver.status(500));
        try (var other = RawReceiver.saying(RawReceiver.status(200))) {
            var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
            stage.endpoint(other.url(), "webhook.endpoint.updated");
            stage.happens("Ada");
            awaitState(endpoint, "failed");
            stage.db
                    .sql("UPDATE webhook_delivery SET state = 'exhausted', due_at = NULL")
                    .run();
            for (var step :
                    List.of(new Step(59, 0), new Step(2, 1), new Step(24, 2), new Step(24, 3), new Step(10, 3))) {
                stage.clock.advance(Duration.ofHours(step.hours()));
                await().during(Duration.ofMillis(700)).until(() -> posts(other).size() == step.told());
            }
            assertThat(stage.endpoint(endpoint.get("id").asString())
                            .get("enabled")
                            .asBoolean())
                    .as("after 119 hours")
                    .isTrue();
            stage.clock.advance(Duration.ofHours(1));
            await().until(() -> posts(other).size() == 4);
            assertThat(posts(other)).extracting(OutboxTest::verdict).containsExactly("50", "70", "90", "failing");
            assertThat(posts(receiver)).hasSize(1);
        }
    }

    /** So many hours later the tenant has been told so often. */
    private record Step(int hours, int told) {}

    private static String verdict(String request) {
        var data = body(request).get("data");
        return data.has("warning")
                ? data.at("/warning/percent").asString()
                : data.get("disabled_reason").asString();
    }

    @Test
    void aSuccessForgivesAllFailures() {
        answer.set(RawReceiver.status(500));
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.happens("Ada");
        awaitState(endpoint, "failed");
        stage.clock.advance(Duration.ofHours(119));
        answer.set(RawReceiver.status(200));
        awaitState(endpoint, "delivered");
        stage.clock.advance(Duration.ofHours(2));
        answer.set(RawReceiver.status(500));
        stage.happens("Bob");
        awaitState(endpoint, "failed");
        assertThat(stage.endpoint(endpoint.get("id").asString()).get("enabled").asBoolean())
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
            var id = stage.endpoint(mixed.url(), "agent.deployment.created")
                    .get("id")
                    .asString();
            slows.set(true);
            stage.happens("Slow");
            await().until(() -> posts(mixed).size() == 1);
            failing.set(true);
            stage.happens("Bad");
            await().until(() -> stage.endpoint(id).at("/health").has("failing_since"));
            failed.countDown();
            await().until(() -> !stage.endpoint(id).at("/health").has("failing_since"));
            assertThat(stage.deliveries(id))
                    .extracting(delivery -> delivery.get("state").asString())
                    .containsExactly("failed", "delivered");
        }
    }

    @Test
    void whatADeadReplicaHeldOfADeletedEndpointIsGivenUp() {
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        stage.happens("Ada");
        awaitState(endpoint, "delivered");
        stage.call("DELETE", "/api/webhooks/endpoints/" + endpoint.get("id").asString(), "");
        awaitRequests(2); // The second tells of the end.
        stage.db
                .sql(
                        "UPDATE webhook_delivery SET state = 'delivering', due_at = :due WHERE event_type = 'agent.deployment.created'")
                .set("due", stage.clock.instant())
                .run();
        stage.clock.advance(Duration.ofMinutes(2));
        await().until(() -> stage.db
                .sql("SELECT state FROM webhook_delivery WHERE event_type = 'agent.deployment.created'")
                .list(row -> row.text("state"))
                .equals(List.of("exhausted")));
    }

    @Test
    void theFirstStepOfTheScheduleIsWaitedForToo() {
        try (var patient = new WebhookStage(Map.of("ENGINE_WEBHOOKS_RETRY_SCHEDULE", "60s,5m"))) {
            patient.endpoint(receiver.url(), "agent.deployment.created");
            patient.happens("Ada");
            await() // The step begins when the delivery is queued.
                    .until(
                            () -> patient.db
                                    .sql("SELECT state FROM webhook_delivery")
                                    .list(row -> row.text("state")),
                            List.of("pending")::equals);
            patient.clock.advance(Duration.ofSeconds(40));
            assertNothingMoreFor(0);
            patient.clock.advance(Duration.ofSeconds(40));
            awaitRequests(1);
        }
    }

    private final AtomicBoolean slows = new AtomicBoolean();
    private final CountDownLatch release = new CountDownLatch(1);

    /** Quick while it is looked at, then silent until it is released. */
    private RawReceiver slow() {
        return new RawReceiver((_, out) -> {
            if (slows.get()) {
                release.await();
            }
            out.write(RawReceiver.status(200).getBytes(StandardCharsets.ISO_8859_1));
        });
    }

    /** Enough of them to take all the room there is. */
    @Test
    void manySlowEndpointsDelayNoOther() {
        try (var slow = slow()) {
            IntStream.range(0, 12).forEach(_ -> stage.endpoint(slow.url(), "agent.deployment.created"));
            slows.set(true);
            stage.db.sql("UPDATE webhook_endpoint SET open_until = 'infinity'").run();
            IntStream.range(0, 32).forEach(i -> stage.happens("Slow" + i));
            stage.db.sql("UPDATE webhook_endpoint SET open_until = NULL").run(); // All of it is due at once.
            await().until(() -> posts(slow).size() >= Outbox.IN_ALL / 2);
            stage.endpoint(receiver.url(), "agent.deployment.created");
            IntStream.range(0, 30).forEach(i -> stage.happens("Agent" + i));
            awaitRequests(30);
            assertThat(stage.db
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
        var endpoint = stage.endpoint(receiver.url(), "agent.deployment.created");
        IntStream.range(0, CircuitBreaker.PATIENCE).forEach(i -> {
            stage.happens("Agent" + i);
            awaitRequests(i + 1);
        });
        await().untilAsserted(() -> assertThat(stage.endpoint(endpoint.get("id").asString())
                        .at("/health/circuit")
                        .asString())
                .isEqualTo("open"));
        IntStream.range(0, 5).forEach(i -> stage.happens("Late" + i));
        assertNothingMoreFor(CircuitBreaker.PATIENCE);
        stage.clock.advance(
                Duration.ofSeconds(7)); // Its first pause is the first step, 5 s: all 15 are due, one is tried.
        awaitRequests(CircuitBreaker.PATIENCE + 1);
        assertNothingMoreFor(CircuitBreaker.PATIENCE + 1);
        answer.set(RawReceiver.status(200));
        stage.clock.advance(Duration.ofSeconds(11)); // The second pause is twice as long; then all is well again.
        await().untilAsserted(() -> assertThat(stage.endpoint(endpoint.get("id").asString())
                        .at("/health/circuit")
                        .asString())
                .isEqualTo("closed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "webhook.endpoint.deleted", "agent.deployment.created"})
    void aDeletedEndpointGetsItsOwnLastEventAndNothingAfter(String type) {
        var endpoint = stage.endpoint(receiver.url(), type);
        var before = type.equals("*") ? 1 : 0; // Its creation.
        awaitRequests(before);
        stage.call("DELETE", "/api/webhooks/endpoints/" + endpoint.get("id").asString(), "");
        awaitRequests(before + 1);
        var last = body(posts(receiver).getLast());
        assertThat(last.get("type").asString()).isEqualTo("webhook.endpoint.deleted");
        assertThat(last.at("/data/endpoint_id")).isEqualTo(endpoint.get("id"));
        stage.happens("Ada");
        assertNothingMoreFor(before + 1);
        stage.clock.advance(Duration.ofMinutes(2));
        await() // It is in nobody's way when events are placed and deliveries are taken.
                .until(() -> stage.db
                        .sql("SELECT enabled FROM webhook_endpoint")
                        .list(row -> row.flag("enabled"))
                        .equals(List.of(false)));
    }

    /** Many writers on two replicas: each delivery arrives once, and neither the feed nor the sequence has a gap. */
    @Test
    void nothingIsMissingAndNothingComesTwiceWhereTwoReplicasWork() throws Exception {
        stage.endpoint(receiver.url(), "agent.deployment.created");
        var count = 240;
        try (var other = stage.replica();
                var writers = Executors.newFixedThreadPool(8)) {
            for (var i = 0; i < count; i++) {
                var base = i % 2 == 0 ? stage.url() : other.url();
                var body = "{'vx': {'name': 'Agent%d', 'description': 'An agent.'}}".formatted(i);
                writers.submit(() -> stage.ask(base, "POST", "/demo/v1/Engine/tps/agent/create", body));
            }
            writers.shutdown();
            assertThat(writers.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
            await().until(() -> posts(receiver).size() >= count);
        }
        var sequences = posts(receiver).stream()
                .map(SEQUENCE::matcher)
                .peek(found -> assertThat(found.find()).isTrue())
                .map(found -> Long.parseLong(found.group(1)))
                .sorted()
                .toList();
        assertThat(sequences)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, count).boxed().toList());
        var places = new ArrayList<Long>();
        var after = 0L;
        while (places.size() <= count) {
            var page = stage.call("GET", "/api/events?limit=100&after=" + after, "")
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
