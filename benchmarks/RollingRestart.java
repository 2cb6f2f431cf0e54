import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Three replicas behind a proxy are restarted one after the other. */
final class RollingRestart implements Bench.Benchmark {
    private static final int REPLICAS = 3;

    @Override
    public String words() {
        return "three replicas behind a proxy restart one after the other [--proxy haproxy|caddy --writers 6]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var proxy = options.text("proxy", "haproxy");
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var ports = new ArrayList<Integer>();
        for (var i = 0; i < REPLICAS; i++) {
            ports.add(Servers.freePort());
        }
        try (var servers = Servers.alone()) {
            var replicas = new ArrayList<Engine>();
            var front = Servers.freePort();
            var url = "http://localhost:" + front;
            try (var _ = new Proxy(proxy, front, ports)) {
                for (var port : ports) {
                    replicas.add(start(servers, key, port));
                }
                awaitReady(url);
                Thread.sleep(3_000); // Until the proxy has checked all of them.
                var writes = new Writes(List.of(url), key, options.number("writers", 6));
                writes.awaitMore(200);
                writes.mark();
                for (var i = 0; i < REPLICAS; i++) {
                    replicas.get(i).close();
                    writes.awaitMore(60);
                    replicas.set(i, start(servers, key, ports.get(i)));
                    Thread.sleep(3_000);
                    writes.awaitMore(60);
                }
                writes.close();
                writes.report("%d replicas behind %s restarted in turn".formatted(REPLICAS, proxy));
                writes.check(servers.url());
                writes.limit(0, 10);
            } finally {
                for (var replica : replicas) {
                    replica.close();
                }
            }
        }
    }

    static Engine start(Servers servers, String key, int port) throws Exception {
        return start(servers, key, port, Map.of());
    }

    /** @param more settings beside those of each engine */
    static Engine start(Servers servers, String key, int port, Map<String, String> more) throws Exception {
        var environment = new HashMap<>(Servers.engine(servers.url(), key));
        environment.putAll(more);
        environment.put("ENGINE_BASE_URL", "http://localhost:" + port);
        return Engine.startAt(port, environment);
    }

    static void awaitReady(String url) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(url + "/api/health/ready")).build();
            while (true) {
                try {
                    if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
                        return;
                    }
                } catch (java.io.IOException e) {
                    // The proxy is starting.
                }
                Thread.sleep(100);
            }
        }
    }

    /** A proxy as docs/replicas.md configures it, in a folder that is deleted when it is closed. */
    static final class Proxy implements AutoCloseable {
        private final Path folder = Files.createTempDirectory("drill-proxy");
        private final Process process;

        Proxy(String name, int front, List<Integer> ports) throws Exception {
            process = proxy(folder, name, front, ports);
            Drill.closeAtExit(this);
        }

        @Override
        public void close() throws Exception {
            process.destroyForcibly().waitFor();
            if (!Files.exists(folder)) {
                return;
            }
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static Process proxy(Path folder, String name, int front, List<Integer> ports) throws Exception {
        var isCaddy = name.equals("caddy");
        var file = folder.resolve(isCaddy ? "Caddyfile" : "haproxy.cfg");
        Files.writeString(file, isCaddy ? caddy(front, ports) : haproxy(front, ports));
        var command = isCaddy
                ? List.of("caddy", "run", "--adapter", "caddyfile", "--config", file.toString())
                : List.of("/usr/sbin/haproxy", "-db", "-f", file.toString());
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put("HOME", folder.toString());
        return builder.start();
    }

    private static String documented(String language) throws Exception {
        var text = Files.readString(Path.of("docs/replicas.md"));
        var begin = text.indexOf("```" + language + "\n") + language.length() + 4;
        return text.substring(begin, text.indexOf("```", begin));
    }

    private static String caddy(int front, List<Integer> ports) throws Exception {
        var backends = ports.stream().map("127.0.0.1:%d"::formatted).collect(Collectors.joining(" "));
        return "{\n\tadmin off\n\tauto_https off\n}\n"
                + documented("caddyfile")
                        .replace("engine.example.com {", "http://localhost:%d {".formatted(front))
                        .replace("10.0.0.1:8080 10.0.0.2:8080 10.0.0.3:8080", backends);
    }

    private static String haproxy(int front, List<Integer> ports) throws Exception {
        var backend = documented("haproxy").replaceAll("(?m)^ +server .*\\n", "");
        return """
                defaults
                    mode http
                    timeout connect 5s
                    timeout client 120s
                    timeout server 120s
                frontend front
                    bind 127.0.0.1:%d
                    default_backend engine
                %s
                """.formatted(front, backend)
                + ports.stream().map("    server replica-%1$d 127.0.0.1:%1$d\n"::formatted).collect(Collectors.joining());
    }
}
