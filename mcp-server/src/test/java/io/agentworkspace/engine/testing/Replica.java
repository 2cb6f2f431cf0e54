package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.app.App;
import java.time.Clock;
import java.util.Map;

/** Another engine in this process, on the tests' database and any free port, with additional settings. */
public final class Replica implements AutoCloseable {
    private final App app;

    private Replica(App app) {
        this.app = app;
    }

    public static Replica start(Map<String, String> settings) {
        return new Replica(TestServer.start(settings));
    }

    public static Replica start(Map<String, String> settings, Clock clock) {
        return new Replica(TestServer.start(settings, clock));
    }

    public String url() {
        return "http://127.0.0.1:" + app.port();
    }

    /** Deletes what has expired. */
    public void clear() {
        app.clear();
    }

    @Override
    public void close() {
        app.close();
    }
}
