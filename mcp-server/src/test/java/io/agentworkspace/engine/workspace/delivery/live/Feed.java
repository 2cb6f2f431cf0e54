package io.agentworkspace.engine.workspace.delivery.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Reads {@code /api/stream} as a program does. */
public final class Feed implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Event END = new Event("", "end", Json.object());

    private final HttpResponse<InputStream> response;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private volatile String id = "";

    public record Event(String id, String name, JsonNode data) {}

    private Feed(HttpResponse<InputStream> response) {
        this.response = response;
        Thread.startVirtualThread(this::read);
    }

    public static Feed open(String url, String query, String... headers) {
        var request =
                HttpRequest.newBuilder(URI.create(url + "/api/stream" + query)).headers(headers);
        try {
            return new Feed(CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Opens a stream and waits until it has begun. */
    public static Feed connect(String url, String query, String... headers) {
        var feed = open(url, query, headers);
        assertThat(feed.status()).isEqualTo(200);
        assertThat(feed.next().name()).isEqualTo("open");
        return feed;
    }

    private void read() {
        try (var lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            var name = "";
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    events.add(new Event(id, name, Json.read(line.substring(6).getBytes(StandardCharsets.UTF_8))));
                }
            }
        } catch (IOException e) {
            // A normal end of the stream.
        } finally {
            events.add(END);
        }
    }

    int status() {
        return response.statusCode();
    }

    public String lastId() {
        return id;
    }

    public Event next() {
        try {
            var event = events.poll(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS);
            assertThat(event).as("an event").isNotNull();
            return event;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Returns the next event of a topic and skips others. */
    public JsonNode next(String topic) {
        return Stream.generate(this::next)
                .peek(event -> assertThat(event).isNotEqualTo(END))
                .filter(event -> event.name().equals(topic))
                .findFirst()
                .orElseThrow()
                .data();
    }

    /** Waits until the stream ends. */
    void awaitEnd() {
        var event = next();
        while (!event.equals(END)) {
            event = next();
        }
    }

    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            // It is closed anyway.
        }
    }
}
