package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** An event stream that a test reads. */
public final class Events implements AutoCloseable {
    private final HttpResponse<InputStream> response;
    private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
    private volatile boolean ended;

    public Events(HttpResponse<InputStream> response) {
        this.response = response;
        Thread.startVirtualThread(this::read);
    }

    private void read() {
        try (var lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("data: ")) {
                    messages.add(Json.read(line.substring("data: ".length()).getBytes(StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException e) {
            // A normal end of the stream.
        } finally {
            ended = true;
        }
    }

    public int status() {
        return response.statusCode();
    }

    public boolean ended() {
        return ended;
    }

    /** Returns the next message. */
    public JsonNode next() {
        var message = poll(HangLimit.TIME);
        assertThat(message).as("a message on the stream").isNotNull();
        return message;
    }

    /** Returns the next message with this method and skips others. */
    public JsonNode next(String method) {
        var message = next();
        while (!message.path("method").asString("").equals(method)) {
            message = next();
        }
        return message;
    }

    /** Returns the messages that nobody has read. Of a stream that has ended, these are all that came. */
    public List<JsonNode> rest() {
        var rest = new ArrayList<JsonNode>();
        messages.drainTo(rest);
        return rest;
    }

    /** Returns null if no message arrives within this time. */
    public JsonNode poll(Duration time) {
        try {
            return messages.poll(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Disconnects. */
    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            // It is closed anyway.
        }
    }
}
