package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.model.tool.Route;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A start, some requests and a stop in a directory of its own. Meanwhile the JVM records which classes it loads and how often
 * methods run, from which the launcher makes the start-up cache. It ignores the environment, so it can never touch anyone's data.
 */
final class AotTraining {
    private static final List<String> PATHS =
            List.of("/api/health", "/api/health/ready", "/api/mcp/tools", "/api/openapi.json", "/mcp");

    private static final String MCP = "/mcp";

    private static final String CALL = """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}""";

    private static final List<String> FIRST =
            List.of(call("AP_Create", """
                    {"vx":{"name":"Ada","description":"Rehearses."}}"""), call("DM_Create", """
                    {"target":{"agent":"Ada"},"vx":{"name":"Stage","description":"Where it rehearses.","access":"public"}}"""), call("MB_Create", """
                    {"vx":{"name":"Lines","description":"What it learns."}}"""));

    private static final List<String> OFTEN = List.of(
            call("AP_Read", """
                    {"target":{"agent":"Ada"}}"""),
            call("AP_List", "{}"),
            call("DM_Read", """
                    {"target":{"domain":"Stage"}}"""),
            call("MB_Read", """
                    {"target":{"bank":"Lines"}}"""),
            call("MB_Search", """
                    {"target":{"bank":"Lines"},"content":"tide harbour"}"""),
            call("AP_Chat", """
                    {"target":{"agent":"Ada"},"content":"The tide turns at seven."}"""),
            call("MB_Store", """
                    {"target":{"bank":"Lines"},"content":"The harbour closes when the tide turns."}"""),
            """
            {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}""");

    private static final String COMMAND = """
            {"service":"AP_Read","target":{"agent":"Ada"}}""";

    /** Methods that ran some hundred times are recorded with what they do most. */
    private static final int ROUNDS = 400;

    private static final Duration MOST = Duration.ofSeconds(10);

    private final String url;
    private final String key;

    private AotTraining(String url, String key) {
        this.url = url;
        this.key = key;
    }

    private static String call(String tool, String arguments) {
        return CALL.formatted(tool, arguments.strip());
    }

    /** @param arguments the directory to use, which is kept for the next run */
    public static void main(String[] arguments) throws IOException {
        Locale.setDefault(Locale.ROOT);
        Settings settings =
                Settings.read(Map.of(), List.of("--port", "0", "--rate-limit", "off", "--data-dir", arguments[0]));
        Main.log(settings.logFormat(), null);
        try (App app = App.start(settings)) {
            var key = Files.readString(Path.of(arguments[0], "first-api-key")).strip();
            new AotTraining(app.baseUrl(), key).run();
        }
        Runtime.getRuntime().halt(0);
    }

    private void run() {
        for (String path : PATHS) {
            System.out.println(path + " " + send(path, null));
        }
        for (String call : FIRST) {
            System.out.println(call + " " + send(MCP, call));
        }
        var began = System.nanoTime();
        for (var round = 0; round < ROUNDS && System.nanoTime() - began < MOST.toNanos(); round++) {
            for (String call : OFTEN) {
                send(MCP, call);
            }
            send(Route.COMMANDS, COMMAND);
        }
    }

    /** Sends a request, and returns the status. Any response will do, even a refusal: only what runs matters. */
    private String send(String path, @Nullable String body) {
        try {
            var request = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
            request.setReadTimeout(2_000);
            if (body != null) {
                request.setRequestProperty("X-Api-Key", key);
                request.setRequestProperty("Content-Type", "application/json");
                request.setDoOutput(true);
                request.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
            }
            var status = request.getResponseCode();
            try (var response =
                    status < HttpURLConnection.HTTP_BAD_REQUEST ? request.getInputStream() : request.getErrorStream()) {
                // All of it, so that the connection can be used again.
                var text = response == null ? "" : new String(response.readAllBytes(), StandardCharsets.UTF_8);
                if (text.contains("\"isError\":true")) {
                    System.out.println("refused: " + body + " " + text);
                }
            }
            return Integer.toString(status);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
