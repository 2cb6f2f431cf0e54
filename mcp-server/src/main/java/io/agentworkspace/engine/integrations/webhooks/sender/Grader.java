package io.agentworkspace.engine.integrations.webhooks.sender;

import io.agentworkspace.engine.integrations.webhooks.sender.Sender.Header;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Progress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Tests a receiver: sends deliveries that a correct receiver accepts, and others that it refuses with 400. All are events
 * of type webhook.test. All but the repetition are sent at once, so the test takes at most the time of two attempts.
 */
public final class Grader {
    private static final String TAKEN = "2xx";
    private static final String REFUSED = "400";
    private static final int BAD_REQUEST = 400;

    /** Twice the tolerance that is recommended to receivers. */
    private static final Duration OFF = Duration.ofMinutes(10);

    private final Sender sender;
    private final Clock clock;

    Grader(Sender sender, Clock clock) {
        this.sender = sender;
        this.clock = clock;
    }

    /**
     * The receiver to test.
     *
     * @param secret signs its deliveries
     * @param other a secret that it must refuse: a former one, or one that it never had
     */
    public record Receiver(URI url, String secret, String other) {}

    /** One test delivery and its result. */
    public record Trial(
            @Doc("What was sent.") String delivery,

            @Doc("What a correct receiver answers: 2xx or 400.")
            String expected,

            @Doc("The status of its response; absent if there was none.") @Nullable
            Integer status,

            @Doc("Why there was no response.") @Nullable String error,
            @Doc("Whether it responded correctly.") boolean ok) {}

    private record Delivery(String name, String expected, byte[] body, Map<String, String> headers) {}

    /** Returns the trials in the order of the report. */
    List<Trial> grade(Receiver receiver, Progress progress) {
        var valid = valid(receiver, "valid");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = tried(receiver, valid, threads);
            var trials = new ArrayList<CompletableFuture<Trial>>();
            trials.add(first);
            trials.add(first.thenApplyAsync(_ -> tried(receiver, again(valid)), threads));
            hostile(receiver).forEach(delivery -> trials.add(tried(receiver, delivery, threads)));
            var done = new ArrayList<Trial>();
            for (var trial : trials) {
                done.add(trial.join());
                progress.report(
                        done.size(), (double) trials.size(), done.getLast().delivery());
            }
            return done;
        }
    }

    private CompletableFuture<Trial> tried(Receiver receiver, Delivery delivery, Executor threads) {
        return CompletableFuture.supplyAsync(() -> tried(receiver, delivery), threads);
    }

    private Trial tried(Receiver receiver, Delivery delivery) {
        var headers = new ArrayList<Header>();
        delivery.headers().forEach((name, value) -> headers.add(new Header(name, value)));
        try {
            var outcome = sender.send(receiver.url(), headers, delivery.body());
            var ok = delivery.expected().equals(TAKEN)
                    ? outcome.delivered()
                    : outcome.status() != null && outcome.status() == BAD_REQUEST;
            var error = outcome.status() == null ? outcome.error() : null;
            return new Trial(delivery.name(), delivery.expected(), outcome.status(), error, ok);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Trial(delivery.name(), delivery.expected(), null, "the engine is stopping", false);
        }
    }

    private Delivery valid(Receiver receiver, String name) {
        return signed(name, TAKEN, Duration.ZERO, List.of(receiver.secret()));
    }

    private static Delivery again(Delivery delivery) {
        return new Delivery("the same again", TAKEN, delivery.body(), delivery.headers());
    }

    private List<Delivery> hostile(Receiver receiver) {
        var own = List.of(receiver.secret());
        return List.of(
                // Until a receiver changes over to the new secret, its signature is the second one.
                signed("signed with two secrets", TAKEN, Duration.ZERO, List.of(receiver.other(), receiver.secret())),
                wrong(valid(receiver, "wrong signature")),
                unsigned(valid(receiver, "no signature")),
                signed("signed with an old secret", REFUSED, Duration.ZERO, List.of(receiver.other())),
                tampered(valid(receiver, "changed body")),
                signed("ten minutes old", REFUSED, OFF.negated(), own),
                signed("ten minutes ahead", REFUSED, OFF, own));
    }

    private Delivery signed(String name, String expected, Duration off, List<String> secrets) {
        var now = clock.instant();
        var id = UUID.randomUUID();
        var body = body(id, now);
        return new Delivery(name, expected, body, Signature.headers(id, now.plus(off), body, secrets));
    }

    private static byte[] body(UUID id, Instant now) {
        var event = Json.object().put("id", id.toString()).put("type", "webhook.test");
        event.set("created_at", Json.valueTree(now));
        event.putObject("data").put("message", "your receiver is being graded");
        return Json.bytes(event);
    }

    private static Delivery wrong(Delivery valid) {
        var headers = new LinkedHashMap<>(valid.headers());
        headers.replaceAll((name, value) -> name.endsWith("ignature") ? changed(value) : value);
        return new Delivery(valid.name(), REFUSED, valid.body(), headers);
    }

    /** Replaces a character in the middle of the signature by another valid one. */
    private static String changed(String signature) {
        var at = signature.length() - 12;
        return signature.substring(0, at) + (signature.charAt(at) == 'a' ? 'b' : 'a') + signature.substring(at + 1);
    }

    private static Delivery unsigned(Delivery valid) {
        return new Delivery(valid.name(), REFUSED, valid.body(), Map.of());
    }

    private static Delivery tampered(Delivery valid) {
        var body = new String(valid.body(), StandardCharsets.UTF_8).replace("graded", "tricked");
        return new Delivery(valid.name(), REFUSED, body.getBytes(StandardCharsets.UTF_8), valid.headers());
    }
}
