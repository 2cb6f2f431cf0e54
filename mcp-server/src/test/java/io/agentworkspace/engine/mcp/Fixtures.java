package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.db.DatabaseSignals;
import io.agentworkspace.engine.mcp.lanes.SessionStore;
import io.agentworkspace.engine.mcp.source.ServerFeatures;
import io.agentworkspace.engine.mcp.wire.Change;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.ObjectNode;

/** What the fixtures of the referee are made of. */
public final class Fixtures {
    static final String PNG =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
    private static final String WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

    /** How often long work was begun. */
    public static final AtomicInteger STARTED = new AtomicInteger();

    /** How often it was stopped before its end. */
    public static final AtomicInteger STOPPED = new AtomicInteger();

    private Fixtures() {}

    /** The fixture catalogue, on the production door's terms. */
    public static ServerFeatures offer() {
        return new ServerFeatures(
                new ServerFeatures.Identity(
                        "io.agentworkspace/fixture", "Fixtures", "1", "Fixtures of the referee.", "For tests."),
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

    /** Works for so long, and counts when it begins and when it is stopped. */
    static void work(int millis) {
        STARTED.incrementAndGet();
        if (!rested(millis)) {
            STOPPED.incrementAndGet();
            throw new IllegalStateException("stopped");
        }
    }

    /** Whether nobody interrupted it. */
    private static boolean rested(int millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Tells all replicas, as a trigger of the database would. */
    static void tell(Change change) {
        new SessionStore(TestDatabase.db())
                .tell(new DatabaseSignals.Signal(change.tenant(), change.kind(), change.names(), null));
    }
}
