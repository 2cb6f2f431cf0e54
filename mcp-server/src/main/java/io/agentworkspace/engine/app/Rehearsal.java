package io.agentworkspace.engine.app;

import io.agentworkspace.engine.settings.Settings;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * A start, a few requests and a stop in a directory of its own. Meanwhile the JVM records which classes it loads,
 * from which the launcher makes the startup cache. It ignores the environment, so it can never touch anyone's data.
 */
final class Rehearsal {
    private static final List<String> PATHS =
            List.of("/api/health", "/api/health/ready", "/api/mcp/tools", "/api/openapi.json", "/mcp");

    private Rehearsal() {}

    /** @param arguments the directory to use, which is kept for the next run */
    public static void main(String[] arguments) {
        Settings settings = Settings.read(Map.of(), List.of("--port", "0", "--data-dir", arguments[0]));
        Main.log(settings.logFormat());
        try (App app = App.start(settings)) {
            for (String path : PATHS) {
                request(app.baseUrl() + path);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Sends a request. Any response will do, even a refusal: only the classes on the request path matter. */
    private static void request(String url) {
        try {
            var request = (HttpURLConnection) URI.create(url).toURL().openConnection();
            request.setReadTimeout(2_000);
            System.out.println(url + " " + request.getResponseCode());
        } catch (IOException e) {
            System.out.println(url + " " + e);
        }
    }
}
