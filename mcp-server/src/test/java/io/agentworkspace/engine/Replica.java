package io.agentworkspace.engine;

import java.util.Map;

/** Another engine in this process, on the tests' database and any free port, with settings of its own. */
public final class Replica implements AutoCloseable {
    private final App app;

    private Replica(App app) {
        this.app = app;
    }

    public static Replica start(Map<String, String> settings) {
        return new Replica(TestServer.start(settings));
    }

    public String url() {
        return app.baseUrl();
    }

    @Override
    public void close() {
        app.close();
    }
}
