package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.lanes.SessionStore;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.ObjectNode;

/** Builds the fixtures of the conformance suite. */
public final class Fixtures {
    static final String PNG =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
    private static final String WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

    /** How often long work was started. */
    public static final AtomicInteger STARTED = new AtomicInteger();

    /** How often it was stopped early. */
    public static final AtomicInteger STOPPED = new AtomicInteger();

    private Fixtures() {}

    /** Returns the fixture catalogue in the form of the production endpoint. */
    public static ServedContent offer() {
        return new ServedContent(
                new ServedContent.Identity("io.agentworkspace/fixture", "Fixtures", "1", "Fixtures of the referee."),
                _ -> "For tests.",
                List.of(new FixtureTools(), new FixtureTasks()),
                List.of(new FixtureResources()),
                List.of(new FixturePrompts()),
                List.of());
    }

    static ObjectNode text(String text) {
        return Json.object().put("type", "text").put("text", text);
    }

    static ObjectNode image() {
        return Json.object().put("type", "image").put("data", PNG).put("mimeType", "image/png");
    }

    static ObjectNode sound() {
        return Json.object().put("type", "audio").put("data", WAV).put("mimeType", "audio/wav");
    }

    static ObjectNode resource(String uri, String mediaType, String text) {
        var block = Json.object().put("type", "resource");
        block.putObject("resource").put("uri", uri).put("mimeType", mediaType).put("text", text);
        return block;
    }

    static ObjectNode json(String text) {
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8));
    }

    public static void pause(int millis) {
        if (!rested(millis)) {
            throw new IllegalStateException("interrupted");
        }
    }

    /** Works for the given time, and counts its start and an early stop. */
    static void work(int millis) {
        STARTED.incrementAndGet();
        if (!rested(millis)) {
            STOPPED.incrementAndGet();
            throw new IllegalStateException("stopped");
        }
    }

    /** Returns whether the pause was not interrupted. */
    private static boolean rested(int millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Signals a change to all replicas, as a database trigger would. */
    static void change(SubscribedChange change) {
        new SessionStore(TestDatabase.db())
                .signal(new DatabaseSignals.Signal(change.tenant(), change.kind(), change.names(), null));
    }
}
