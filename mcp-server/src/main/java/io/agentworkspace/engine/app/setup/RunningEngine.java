package io.agentworkspace.engine.app.setup;

import io.agentworkspace.engine.app.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The engine that runs with the same settings: its metrics, its health, and the threads of its process on this machine. */
public record RunningEngine(Settings settings) {
    /** As long as a scraper waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int PROCESSES = 4;

    /** How the main class is called on a command line. */
    private static final String MAIN = "io.agentworkspace.engine.app.Main";

    /** Returns the text of the metrics; empty if they are closed. */
    public String metrics() throws IOException, InterruptedException {
        var listen = settings.observability().metricsListen();
        if (listen != null) {
            return get(address(listen.host(), listen.port()) + "/metrics", null);
        }
        var token = settings.observability().metricsToken();
        return token == null ? "" : get(own() + "/metrics", token);
    }

    public String health() throws IOException, InterruptedException {
        return get(own() + "/api/health", null) + "\n";
    }

    private String own() {
        return address(settings.http().host(), settings.http().port());
    }

    private static String address(String host, int port) {
        var reachable = host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
        return "http://%s:%d".formatted(reachable.contains(":") ? "[" + reachable + "]" : reachable, port);
    }

    private static String get(String url, @Nullable String token) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var response = client.send(request.build(), BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException("%s answers %d".formatted(url, response.statusCode()));
            }
            return response.body();
        }
    }

    /** Returns a dump of the threads of each engine on this machine, with the virtual ones. */
    public static String threads() throws InterruptedException {
        var own = ProcessHandle.current().pid();
        var engines = ProcessHandle.allProcesses()
                .filter(process -> process.pid() != own && isEngine(process))
                .limit(PROCESSES)
                .toList();
        var dumps = new ArrayList<String>();
        for (var engine : engines) {
            dumps.add(threads(engine.pid()));
        }
        return dumps.isEmpty() ? "no engine was found among the processes of this machine\n" : String.join("\n", dumps);
    }

    private static boolean isEngine(ProcessHandle process) {
        return process.info().arguments().map(List::of).orElse(List.of()).contains(MAIN);
    }

    /** The engine writes the dump itself, into a file that must not exist. */
    private static String threads(long process) throws InterruptedException {
        try {
            var folder = Files.createTempDirectory("engine-threads");
            var dump = folder.resolve("dump");
            var output = folder.resolve("output");
            try {
                ask(process, output, "Thread.dump_to_file", dump.toString());
                if (Files.isReadable(dump)) {
                    return Files.readString(dump);
                }
                ask(process, output, "Thread.print"); // That engine writes as another user, or elsewhere.
                return Files.readString(output);
            } finally {
                Files.deleteIfExists(dump);
                Files.deleteIfExists(output);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            return "the threads of process %d cannot be read: %s%n".formatted(process, e);
        }
    }

    private static void ask(long process, Path output, String... words) throws IOException, InterruptedException {
        var program = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var command = new ArrayList<>(List.of(program, Long.toString(process)));
        command.addAll(List.of(words));
        var running = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!running.waitFor(PATIENCE)) {
                throw new IOException("it does not answer within %d s".formatted(PATIENCE.toSeconds()));
            }
        } finally {
            running.destroyForcibly();
        }
    }
}
