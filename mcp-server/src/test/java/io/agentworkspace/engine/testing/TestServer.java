package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.wire.Wire;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/** The real server in this process, on any free port, with the tests' database. */
public final class TestServer {
    private static final App APP = start(Map.of());

    private TestServer() {}

    public static String url() {
        return APP.baseUrl();
    }

    /** Starts another replica of the same service. */
    public static Replica replica() {
        var app = start(Map.of());
        return new Replica(app.baseUrl(), app);
    }

    /** A separate server in this process, which the test closes. */
    public record Replica(String url, AutoCloseable app) implements AutoCloseable {
        @Override
        public void close() {
            try {
                app.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Starts another replica with additional settings. */
    public static App start(Map<String, String> settings) {
        return start(settings, Clock.systemUTC());
    }

    /** Starts another replica with its own clock. */
    public static App start(Map<String, String> settings, Clock clock) {
        return start(settings, clock, AddressPolicy.PUBLIC);
    }

    /** @param documents where the documents about OAuth clients may be */
    static App start(Map<String, String> settings, Clock clock, AddressPolicy documents) {
        var environment = new java.util.HashMap<>(Map.of(
                "ENGINE_EMBEDDING",
                "off",
                "ENGINE_PORT",
                "0",
                "ENGINE_DRAIN_SECONDS",
                "0",
                "ENGINE_HOOK_MILLIS",
                "60000",
                "ENGINE_RATE_LIMIT",
                "off",
                "ENGINE_STRANGER_LIMIT",
                "off",
                "ENGINE_DATABASE_URL",
                TestDatabase.url(),
                "ENGINE_SECRETS_KEY",
                TestDatabase.SECRETS_KEY,
                "ENGINE_DATA_DIR",
                TestDatabase.folder().resolve("engine").toString(),
                "ENGINE_WEBHOOKS_ALLOW_PRIVATE",
                "true"));
        environment.put("ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8");
        environment.putAll(settings);
        return App.start(Settings.read(environment, List.of()), clock, Wire::new, documents);
    }
}
