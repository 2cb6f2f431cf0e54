package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import java.time.Clock;
import java.util.List;
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

    /** Starts an engine that reads documents about OAuth clients from this machine, where tests serve them. */
    public static Replica readingHere(Map<String, String> settings, Clock clock) {
        return new Replica(TestServer.start(settings, clock, AddressPolicy.allowing(List.of("127.0.0.0/8"))));
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
