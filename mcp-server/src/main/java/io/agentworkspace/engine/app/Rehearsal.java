package io.agentworkspace.engine.app;

import io.agentworkspace.engine.settings.Settings;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * A start, a few requests and a stop in a directory of its own, during which the JVM records what it loads: the launcher makes the
 * start-up cache of it. Knows nothing of the environment, so it can never touch anyone's data.
 */
final class Rehearsal {
    private static final List<String> PATHS =
            List.of("/api/health", "/api/health/ready", "/api/mcp/tools", "/api/openapi.json", "/mcp");

    private Rehearsal() {}

    /** @param arguments the directory to use, kept for the next rehearsal */
    public static void main(String[] arguments) {
        Settings settings = Settings.read(Map.of(), List.of("--port", "0", "--data-dir", arguments[0]));
        Main.log(settings.logFormat());
        try (App app = App.start(settings)) {
            for (String path : PATHS) {
                ask(app.baseUrl() + path);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Any answer will do, a refusal too: it is the way there that is rehearsed. */
    private static void ask(String url) {
        try {
            var request = (HttpURLConnection) URI.create(url).toURL().openConnection();
            request.setReadTimeout(2_000);
            System.out.println(url + " " + request.getResponseCode());
        } catch (IOException e) {
            System.out.println(url + " " + e);
        }
    }
}
