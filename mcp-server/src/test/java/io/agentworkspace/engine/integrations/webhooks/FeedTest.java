package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How long events are in the feed, and which of them an endpoint has to read there. */
@Tag("slow")
class FeedTest {

    private final WebhookFixture fixture = new WebhookFixture();
    private final AtomicReference<String> answer = new AtomicReference<>(RawReceiver.status(200));
    private final RawReceiver receiver =
            new RawReceiver((_, out) -> out.write(answer.get().getBytes(StandardCharsets.ISO_8859_1)));

    @AfterEach
    void close() {
        fixture.close();
        receiver.close();
    }

    /** Returns the ids of the events that arrived, without pre-flights. */
    private List<String> sent() {
        return receiver.requests().stream()
                .filter(request -> request.startsWith("POST "))
                .map(request -> request.substring(request.indexOf("\r\n\r\n") + 4))
                .map(body -> Json.readObject(body.getBytes(StandardCharsets.UTF_8))
                        .get("id")
                        .asString())
                .toList();
    }

    private void awaitRequests(int count) {
        await().until(() -> sent().size() >= count);
        assertThat(sent()).hasSize(count);
    }

    private void awaitState(ObjectNode endpoint, String state) {
        await().untilAsserted(
                        () -> assertThat(fixture.deliveries(endpoint.get("id").asString()))
                                .extracting(delivery -> delivery.get("state").asString())
                                .containsExactly(state));
    }

    /** Waits until the given number of events are numbered in the feed. */
    private void awaitPlaced(long count) {
        await().until(() -> fixture.call("GET", "/api/events", "").get("latest").asLong() == count);
    }

    @Test
    void whatWasMissedWhileItWasDisabledIsTold() {
        var endpoint = fixture.endpoint(receiver.url(), "*");
        var id = endpoint.get("id").asString();
        assertThat(endpoint.has("missed")).isFalse();
        fixture.happens("Ada");
        awaitRequests(2);
        var disabled = fixture.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': false}");
        assertThat(disabled.at("/endpoint/missed").toString()).isEqualTo("{\"after\":2}");
        fixture.happens("Bob");
        awaitPlaced(4);
        var enabled = fixture.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': true}");
        assertThat(enabled.at("/endpoint/missed").toString()).isEqualTo("{\"after\":2,\"until\":4}");
        fixture.happens("Eve");
        awaitRequests(4);
        assertThat(fixture.endpoint(id).get("missed")).isEqualTo(enabled.at("/endpoint/missed"));
        var sent = sent();
        assertThat(events(0))
                .allSatisfy(event -> assertThat(sent.contains(event.get("id").asString()))
                        .isNotEqualTo(List.of(3L, 4L).contains(event.get("seq").asLong())));
    }

    @Test
    void anAttemptThatEndsAfterItWasDisabledHidesNothing() {
        var hangs = new AtomicBoolean();
        var end = new CountDownLatch(1);
        try (var hanging = new RawReceiver((_, out) -> {
            if (hangs.get()) {
                end.await();
            }
            out.write(RawReceiver.status(500).getBytes(StandardCharsets.ISO_8859_1));
        })) {
            var id = fixture.endpoint(hanging.url(), "agent.deployment.created")
                    .get("id")
                    .asString();
            hangs.set(true);
            fixture.happens("Ada");
            await().until(() -> hanging.requests().stream().anyMatch(request -> request.startsWith("POST ")));
            var disabled = fixture.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': false}");
            fixture.happens("Bob");
            awaitPlaced(4);
            end.countDown();
            await().until(() ->
                    fixture.deliveries(id).getFirst().get("attempts").size() == 1);
            assertThat(fixture.endpoint(id).get("missed")).isEqualTo(disabled.at("/endpoint/missed"));
        }
    }

    /** Two replicas number events while the endpoint is enabled: each event is either reported as missed or delivered. */
    @Test
    void whatIsNotMissedIsDeliveredHoweverOftenItIsEnabled() throws Exception {
        var id = fixture.endpoint(receiver.url(), "agent.deployment.created")
                .get("id")
                .asString();
        var missed = new ArrayList<long[]>();
        try (var other = fixture.replica();
                var writer = Executors.newSingleThreadExecutor()) {
            writer.submit(() -> IntStream.range(0, 150).forEach(i -> fixture.happens("Agent" + i)));
            writer.shutdown();
            while (!writer.isTerminated()) {
                fixture.ask(other.url(), "PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': false}");
                var range = fixture.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': true}")
                        .at("/endpoint/missed");
                missed.add(new long[] {
                    range.get("after").asLong(), range.get("until").asLong()
                });
            }
        }
        fixture.happens("Last");
        var created = new ArrayList<JsonNode>();
        await().until(() -> {
            created.clear();
            for (var page = events(0);
                    !page.isEmpty();
                    page = events(page.getLast().get("seq").asLong())) {
                page.stream()
                        .filter(event -> event.get("type").asString().equals("agent.deployment.created"))
                        .forEach(created::add);
            }
            return created.size() == 151;
        });
        var expected = created.stream()
                .filter(event -> missed.stream()
                        .noneMatch(range -> event.get("seq").asLong() > range[0]
                                && event.get("seq").asLong() <= range[1]))
                .map(event -> event.get("id").asString())
                .toList();
        await().untilAsserted(() -> assertThat(sent()).containsExactlyInAnyOrderElementsOf(expected));
    }

    @Test
    void whatIsDeletedWhileItIsDisabledGetsNothing() {
        var id = fixture.endpoint(receiver.url(), "webhook.endpoint.deleted")
                .get("id")
                .asString();
        fixture.call("PATCH", "/api/webhooks/endpoints/" + id, "{'enabled': false}");
        fixture.call("DELETE", "/api/webhooks/endpoints/" + id, "");
        awaitPlaced(3);
        // The deliveries of an event are queued by the statement that numbers it, so there will be none.
        assertThat(fixture.db.sql("SELECT count(*) AS n FROM webhook_delivery").one(row -> row.number("n")))
                .contains(0L);
        assertThat(sent()).isEmpty();
    }

    /** The engine does this every ten minutes, with the days of ENGINE_EVENTS_DAYS. */
    @Test
    void eventsAndDeliveriesGoWhenTheirDaysAreOver() {
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        var gone = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.call("DELETE", "/api/webhooks/endpoints/" + gone.get("id").asString(), "");
        fixture.happens("Ada");
        awaitRequests(2); // One reports the end.
        awaitState(endpoint, "delivered");
        var store = new OutboxStore(fixture.db, fixture.vault(), new EventLog());
        store.purge(fixture.clock.instant().minus(Duration.ofHours(1)));
        awaitState(endpoint, "delivered");
        assertThat(events(0)).hasSize(4);

        fixture.clock.advance(Duration.ofDays(30));
        fixture.happens("Bob");
        awaitRequests(3);
        store.purge(fixture.clock.instant().minus(Duration.ofDays(30)).plusSeconds(30));
        assertThat(fixture.deliveries(endpoint.get("id").asString()))
                .extracting(delivery -> delivery.get("sequence").asLong())
                .containsExactly(2L);
        assertThat(events(0)).extracting(event -> event.get("seq").asLong()).containsExactly(5L);
        assertThat(fixture.db.sql("SELECT count(*) AS n FROM webhook_endpoint").one(row -> row.number("n")))
                .contains(1L);
    }

    /** A failing delivery may be kept longer than the feed, but is no longer part of it. */
    @Test
    void whatADeliveryStillAwaitsIsKeptForItAloneAndStandsInNoFeed() {
        answer.set(RawReceiver.status(500));
        var endpoint = fixture.endpoint(receiver.url(), "agent.deployment.created");
        fixture.happens("Ada");
        awaitState(endpoint, "failed");
        fixture.endpoint(receiver.url(), "webhook.test");
        awaitPlaced(3);
        fixture.clock.advance(Duration.ofHours(1));
        fixture.endpoint(receiver.url(), "webhook.test");
        awaitPlaced(4);
        var store = new OutboxStore(fixture.db, fixture.vault(), new EventLog());
        store.purge(fixture.clock.instant().minus(Duration.ofMinutes(30)));
        assertThat(rows()).containsExactly(2L, 4L);
        for (var after : List.of(0L, 1L, 2L)) {
            assertThat(events(after))
                    .extracting(event -> event.get("seq").asLong())
                    .containsExactly(4L);
            assertThat(fixture.call("GET", "/api/events?after=" + after, "")
                            .get("oldest")
                            .asLong())
                    .isEqualTo(4);
        }
        assertThat(fixture.call("GET", "/api/events?after=3", "").has("oldest")).isFalse();
        answer.set(RawReceiver.status(200));
        fixture.clock.advance(Duration.ofHours(1));
        awaitState(endpoint, "delivered");
        store.purge(fixture.clock.instant().minus(Duration.ofMinutes(90)));
        assertThat(rows()).containsExactly(4L);
    }

    private List<Long> rows() {
        return fixture.db.sql("SELECT seq FROM event ORDER BY seq").list(row -> row.number("seq"));
    }

    /** The clocks of replicas differ: events after one that is young enough stay as well. */
    @Test
    void theFeedIsClearedInItsOrder() {
        fixture.clock.advance(Duration.ofDays(1));
        fixture.db.sql("""
                INSERT INTO event (tenant_id, id, type, created_at, data, seq)
                SELECT f.tenant_id, gen_random_uuid(), 'webhook.test', CAST(:now AS timestamptz) - e.age * interval '1 hour', '{}', e.seq
                  FROM event_feed f, (VALUES (1, 9), (2, 3), (3, 9), (4, 3)) e (seq, age)
                """).set("now", fixture.clock.instant()).run();
        fixture.db.sql("UPDATE event_feed SET last_seq = 4").run();
        var store = new OutboxStore(fixture.db, fixture.vault(), new EventLog());
        store.purge(fixture.clock.instant().minus(Duration.ofHours(5)));
        assertThat(rows()).containsExactly(2L, 3L, 4L);
        assertThat(fixture.call("GET", "/api/events", "").get("oldest").asLong())
                .isEqualTo(2);
        store.purge(fixture.clock.instant().minus(Duration.ofHours(1)));
        assertThat(rows()).isEmpty();
        assertThat(fixture.call("GET", "/api/events", "").get("oldest").asLong())
                .isEqualTo(5);
    }

    private List<JsonNode> events(long after) {
        return fixture.call("GET", "/api/events?after=" + after, "")
                .get("events")
                .valueStream()
                .toList();
    }
}
